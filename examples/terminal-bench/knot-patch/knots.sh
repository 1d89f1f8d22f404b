#!/bin/bash
# knots.sh METRES SECONDS
echo $(($1 * 3600 / ($2 * 1000)))
