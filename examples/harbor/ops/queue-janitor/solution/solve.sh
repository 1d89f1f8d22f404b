#!/bin/bash
rm -f /home/clerk/queue/*.done
