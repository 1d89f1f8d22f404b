"""Writing below one root: plain paths land, everything that could lead elsewhere is refused."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tools.errors import WorkspaceError
from tools.new_tree import NewTree
from tools.workspace import Workspace, components

ESCAPES = ["", ".", "..", "../x", "a/../b", "/etc/x", "a//b", "a/", "./a", "a\0b"]
PLAIN = ["a", "a/b", "a b", "..a", "a..", ".hidden", "-x", "a\\b", "ä/ü", "a\nb"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "victim").write_text("mine")
    return tmp_path / "root"


@pytest.mark.parametrize("path", PLAIN)
def test_plain_paths_land_where_they_say(path: str, root: Path) -> None:
    with Workspace(root) as files:
        files.write(path, b"new")
        files.write(path, b"newer")
        assert files.read(path) == b"newer"
    assert (root / path).read_bytes() == b"newer"


@pytest.mark.parametrize("path", ESCAPES)
def test_paths_that_could_leave_are_refused(path: str, root: Path) -> None:
    with pytest.raises(WorkspaceError, match="plain relative path"):
        components(path)
    with Workspace(root) as files, pytest.raises(WorkspaceError):
        files.write(path, b"new")
    assert list(root.iterdir()) == []


def plant_link(root: Path) -> None:
    (root / "name").symlink_to(root.parent / "outside" / "victim")


def plant_dangling_link(root: Path) -> None:
    (root / "name").symlink_to(root.parent / "outside" / "new")


def plant_hard_link(root: Path) -> None:
    (root / "name").hardlink_to(root.parent / "outside" / "victim")


def plant_pipe(root: Path) -> None:
    os.mkfifo(root / "name")


def plant_folder(root: Path) -> None:
    (root / "name").mkdir()


@pytest.mark.parametrize("act", ["write", "chmod", "read"])
@pytest.mark.parametrize("plant", [plant_link, plant_dangling_link, plant_hard_link, plant_pipe, plant_folder])
def test_a_target_that_is_not_a_plain_file_is_refused(plant, act, root: Path) -> None:
    plant(root)
    with Workspace(root) as files, pytest.raises(WorkspaceError, match=r"^name: "):
        {"write": lambda: files.write("name", b"x"), "chmod": lambda: files.chmod("name", 0o755)}.get(
            act, lambda: files.read("name")
        )()
    outside = root.parent / "outside"
    assert [path.name for path in outside.iterdir()] == ["victim"]
    assert (outside / "victim").read_text() == "mine"
    assert stat.S_IMODE((outside / "victim").stat().st_mode) != 0o755


def test_a_linked_folder_on_the_way_is_refused(root: Path) -> None:
    (root / "sub").symlink_to(root.parent / "outside")
    with Workspace(root) as files, pytest.raises(WorkspaceError):
        files.write("sub/victim", b"x")
    assert (root.parent / "outside" / "victim").read_text() == "mine"


def test_a_root_that_is_a_link_is_refused(root: Path) -> None:
    (root.parent / "link").symlink_to(root)
    with pytest.raises(WorkspaceError):
        Workspace(root.parent / "link")


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_modes_owe_nothing_to_the_umask(umask: int, root: Path) -> None:
    before = os.umask(umask)
    try:
        with Workspace(root) as files:
            files.write("deep/script", b"x", 0o755)
            files.write("deep/text", b"x")
        with NewTree(root / "tree") as tree:
            tree.put("deep/script", b"x", 0o755)
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (root / "deep").iterdir()}
    assert modes == {"script": 0o755, "text": 0o644}
    assert {stat.S_IMODE(path.stat().st_mode) for path in (root / "tree").rglob("*")} == {0o755}


def test_setuid_never_survives(root: Path) -> None:
    with Workspace(root) as files:
        files.write("a", b"x", 0o4755)
        files.chmod("a", 0o6711)
    assert stat.S_IMODE((root / "a").stat().st_mode) == 0o711


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(root: Path) -> None:
    with Workspace(root) as files:
        files.write("a", b"old")
        with pytest.raises(RuntimeError), files.replacing("a") as stream:
            stream.write(b"half")
            raise RuntimeError
    assert [path.name for path in root.iterdir()] == ["a"]
    assert (root / "a").read_bytes() == b"old"


def test_a_new_tree_is_filled_once(root: Path) -> None:
    (root.parent / "data").write_bytes(b"bytes")
    with NewTree(root / "tree") as tree:
        tree.put("a/b/c", b"1", 0o644)
        digest = tree.copy("a/copy", root.parent / "data", 0o755)
        with pytest.raises(WorkspaceError):
            tree.put("a/b/c", b"2", 0o644)
        with pytest.raises(WorkspaceError):
            tree.put("../x", b"2", 0o644)
    assert (root / "tree/a/b/c").read_bytes() == b"1"
    assert (root / "tree/a/copy").read_bytes() == b"bytes"
    assert digest == "277089d91c0bdf4f2e6862ba7e4a07605119431f5d13f726dd352b06f1b206a9"
    with pytest.raises(WorkspaceError):
        NewTree(root / "tree")


def test_a_copy_follows_no_link(root: Path) -> None:
    (root.parent / "link").symlink_to(root.parent / "outside" / "victim")
    with NewTree(root / "tree") as tree, pytest.raises(OSError, match=r"symbolic"):
        tree.copy("a", root.parent / "link", 0o644)
