import sys

sys.path.insert(0, "/app")

from fares import fare


def test_grown_up_pays_in_full():
    assert [fare(crossings, 14) for crossings in (1, 2, 5)] == [5, 9, 21]


def test_child_pays_half_rounded_down():
    assert [fare(2, age) for age in (7, 13)] == [4, 4]


def test_infant_travels_free():
    assert [fare(3, age) for age in (0, 6)] == [0, 0]
