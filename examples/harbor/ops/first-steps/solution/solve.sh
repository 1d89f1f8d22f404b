#!/bin/bash
echo lantern-7 > /app/hostname.txt
