# the cases stand beside this script
set -uo pipefail
cd /app

result=PASSED
while read -r metres seconds knots; do
    said=$(bash ./knots.sh "$metres" "$seconds" 2>&1)
    if [ "$said" != "$knots" ]; then
        echo "knots.sh $metres $seconds: $said, not $knots"
        result=FAILED
    fi
done < "$TEST_DIR/cases.txt"

echo "SWEBench results starts here"
echo "$result"
echo "SWEBench results ends here"
