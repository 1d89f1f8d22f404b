#!/bin/bash
# The reference patch of the record.
set -e
cd /testbed
python3 -c 'import json, sys; sys.stdout.write(json.load(open("/solution/data.json"))["patch"])' | git apply -
