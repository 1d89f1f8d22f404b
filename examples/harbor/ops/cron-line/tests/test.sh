#!/bin/bash
pass=true

if ! grep -Eq '^30 4 \* \* \* root /usr/local/bin/foghorn$' /etc/cron.d/foghorn; then
  echo "cron line is missing"
  pass=false
fi
if [ ! -x /usr/local/bin/foghorn ]; then
  echo "foghorn is not executable"
  pass=false
fi
if [ "$(/usr/local/bin/foghorn 2>/dev/null)" != "hooo" ]; then
  echo "foghorn does not sound"
  pass=false
fi

if [ "$pass" = true ]; then
  echo 1 > /logs/verifier/reward.txt
else
  echo 0 > /logs/verifier/reward.txt
fi
