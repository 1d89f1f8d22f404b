#!/bin/bash
# the reward depends on how far the script came, whatever stopped it
set -e
sentinel=/tmp/graded
rm -f "$sentinel"
finish() {
  if [ -e "$sentinel" ]; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi
}
trap finish EXIT

[ -d /app/cargo ]
[ -f /app/cargo/rope ]
[ "$(cat /app/count.txt)" -eq 3 ]
touch "$sentinel"
