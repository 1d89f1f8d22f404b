import subprocess


def tide(number):
    return subprocess.check_output(["/app/tide.sh", str(number)], text=True).strip()


def test_sums():
    assert [tide(number) for number in (1, 4, 100)] == ["1", "10", "5050"]
