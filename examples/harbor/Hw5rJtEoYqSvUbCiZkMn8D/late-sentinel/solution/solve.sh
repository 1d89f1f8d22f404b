#!/bin/bash
mkdir -p /app/cargo
tar -xf /app/cargo.tar -C /app/cargo
find /app/cargo -type f | wc -l > /app/count.txt
