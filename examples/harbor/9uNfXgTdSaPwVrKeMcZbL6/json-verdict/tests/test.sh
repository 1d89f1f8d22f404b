#!/bin/bash
if pytest -q /tests/test_sorted.py; then
  echo '{"reward": 1}' > /logs/verifier/reward.json
else
  echo '{"reward": 0}' > /logs/verifier/reward.json
fi
