#!/bin/bash
# the grader writes the reward itself
python3 /tests/grade.py
