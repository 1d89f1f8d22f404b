from pathlib import Path


def test_queue():
    assert [path.name for path in Path("/home/clerk/queue").iterdir()] == ["b.todo"]
