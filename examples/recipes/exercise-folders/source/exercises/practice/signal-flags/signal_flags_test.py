from signal_flags import spelled


def test_both():
    assert spelled("ab") == "alfa bravo"


def test_none():
    assert spelled("") == ""
