#!/bin/bash
set -euo pipefail
awk -F, 'NR > 1 { sum[$1] += $3 } END { for (berth in sum) printf "%s,%.2f\n", berth, sum[berth] }' /app/fees.csv \
  | sort > /tmp/rows
{ echo "berth,total"; cat /tmp/rows; } > /app/totals.csv
