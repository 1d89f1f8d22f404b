"""Compares the flag that was found with the one of data.json."""

import hmac
import json
import sys
from pathlib import Path

FLAG = json.loads((Path(__file__).parent / "data.json").read_text())["flag"].strip()
place = Path("/app/flag.txt")
found = place.read_bytes().strip() if place.is_file() else b""
verdict = bool(FLAG) and hmac.compare_digest(found, FLAG.encode())
print("the flag is right" if verdict else "the flag is wrong")
sys.exit(not verdict)
