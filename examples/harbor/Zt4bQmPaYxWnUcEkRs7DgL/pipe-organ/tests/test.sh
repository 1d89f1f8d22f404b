#!/bin/bash
# each rank is tuned by itself; the tally of all of them is the verdict, taken when the script leaves
mkdir -p /logs/verifier
tally=/tmp/tally
: > "$tally"
settle() {
  if [ "$(grep -c '^in tune' "$tally")" -eq "$(grep -c . /tests/ranks.txt)" ]; then
    echo 1 > /logs/verifier/reward.txt
  else
    echo 0 > /logs/verifier/reward.txt
  fi
}
trap settle EXIT

while read -r rank feet; do
  timeout 10 /app/organ.sh "$feet" | awk -v rank="$rank" -v feet="$feet" -f /tests/tune.awk >> "$tally"
done < /tests/ranks.txt
cat "$tally"
