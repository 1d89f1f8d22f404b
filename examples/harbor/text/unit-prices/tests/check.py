import sys
from pathlib import Path

answer = Path("/work/best.txt")
if not answer.is_file():
    sys.exit("best.txt is missing")
if answer.read_text().strip() != "dulse":
    sys.exit("not the cheapest offer")
