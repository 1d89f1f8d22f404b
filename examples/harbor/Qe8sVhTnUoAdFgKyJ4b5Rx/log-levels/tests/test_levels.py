import json
from pathlib import Path


def test_counts():
    assert json.loads(Path("/srv/relay/levels.json").read_text()) == {"INFO": 3, "WARN": 1, "ERROR": 1}
