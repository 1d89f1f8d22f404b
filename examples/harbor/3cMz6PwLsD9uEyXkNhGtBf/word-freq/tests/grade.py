"""Runs the candidate on two texts and writes the reward."""

import subprocess
from pathlib import Path

CASES = {
    "Tern gull tern. Gull! tern auk": "tern 3\ngull 2\nauk 1\n",
    "Été été; hiver": "été 2\nhiver 1\n",
}


def answer(text):
    done = subprocess.run(
        ["python3", "/app/wordfreq.py"], input=text.encode(), capture_output=True, timeout=20, check=False
    )
    return done.stdout.decode("utf-8", "replace")


passed = all(answer(text) == wanted for text, wanted in CASES.items())
Path("/logs/verifier/reward.txt").write_text("1" if passed else "0")
