#!/bin/bash
sum=0
n=$1
while [ "$n" -ne 0 ]; do
  sum=$((sum + n))
  n=$((n + 1))
done
echo "$sum"
