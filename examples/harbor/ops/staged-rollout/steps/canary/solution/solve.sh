#!/bin/bash
echo canary > /app/stage
