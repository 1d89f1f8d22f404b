#!/bin/bash
set -e

wanted=$(mktemp)
printf '7\n9\n12\n' > "$wanted"
code=0
cmp -s "$wanted" /app/codes.txt || code=1

echo
echo "=== short test summary info ==="
if [ $code -eq 0 ]; then
    echo "PASSED bell_codes"
else
    echo "FAILED bell_codes"
fi
exit $code
