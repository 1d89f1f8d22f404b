#!/bin/bash
cp "$(dirname "$0")/wordfreq.py" /app/wordfreq.py
