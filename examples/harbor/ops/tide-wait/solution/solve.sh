#!/bin/bash
sed -i 's/n=$((n + 1))/n=$((n - 1))/' /app/tide.sh
