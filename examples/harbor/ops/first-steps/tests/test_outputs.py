from pathlib import Path


def test_hostname():
    assert Path("/app/hostname.txt").read_text().strip() == "lantern-7"
