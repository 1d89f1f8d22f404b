from pathlib import Path


def test_sorted():
    wanted = ["3 lamp oil", "12 rope", "40 biscuit", "101 hull tar"]
    assert Path("/app/sorted.txt").read_text().splitlines() == wanted
