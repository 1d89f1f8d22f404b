#!/bin/bash
sort -n /app/manifest.txt > /app/sorted.txt
