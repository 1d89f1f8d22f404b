#!/bin/bash
bash /tests/checks.sh 2>&1 | tee /logs/verifier/checks.log
summary=$(tail -n 1 /logs/verifier/checks.log)
case "$summary" in
  *"3 of 3 good"*) echo 1 > /logs/verifier/reward.txt ;;
  *) echo 0 > /logs/verifier/reward.txt ;;
esac
