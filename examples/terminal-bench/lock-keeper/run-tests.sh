#!/bin/bash
echo "=== short test summary info ==="
grep -qx 7 /app/level.txt && echo "PASSED level" || echo "FAILED level"
