#!/bin/bash
wanted=$(printf ballast | sha256sum | cut -d " " -f 1)
[ "$(cat /app/digest.txt)" = "$wanted" ] && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt
