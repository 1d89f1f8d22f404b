#!/bin/bash
echo ahoy > /app/greeting.txt
