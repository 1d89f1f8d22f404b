#!/bin/bash
echo all > /app/stage
