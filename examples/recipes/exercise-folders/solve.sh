#!/bin/bash
# The track's own example, under the name of the stub.
set -e
target=$(python3 -c 'import json; print(json.load(open("/solution/data.json"))["config"]["files"]["solution"][0])')
cp /solution/example "/app/$target"
