#!/bin/bash
echo dulse > /work/best.txt
