import csv
from pathlib import Path

TOTALS = Path("/app/totals.csv")


def rows():
    with TOTALS.open(newline="") as stream:
        return list(csv.reader(stream))


def test_header():
    assert rows()[0] == ["berth", "total"]


def test_totals_are_sorted_and_exact():
    assert rows()[1:] == [["A1", "12.10"], ["B2", "25.75"], ["C7", "31.00"]]
