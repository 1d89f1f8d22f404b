from ring import Ring


def test_keeps_the_newest():
    ring = Ring(3)
    for item in "abcde":
        ring.push(item)
    assert list(ring) == ["c", "d", "e"]
    assert len(ring) == 3


def test_starts_empty():
    assert list(Ring(1)) == []
