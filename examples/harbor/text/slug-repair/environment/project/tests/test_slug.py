import sys

sys.path.insert(0, "/app")

from slug import slug


def test_plain():
    assert slug("Low Water") == "low-water"


def test_runs_of_spaces():
    assert slug("Low   Water") == "low-water"


def test_edges():
    assert slug("  Low Water ") == "low-water"
