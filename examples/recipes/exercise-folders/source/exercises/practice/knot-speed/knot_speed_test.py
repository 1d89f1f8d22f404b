from knot_speed import kilometres


def test_zero():
    assert kilometres(0) == 0


def test_ten():
    assert kilometres(10) == 18.5
