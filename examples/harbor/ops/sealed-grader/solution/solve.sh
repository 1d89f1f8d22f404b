#!/bin/bash
sha256sum /app/ballast.bin | cut -d ' ' -f 1 > /app/digest.txt
