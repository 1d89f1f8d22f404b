#!/bin/bash
[ "$(cat /app/stage)" = canary ] && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt
