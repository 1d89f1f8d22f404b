"""Rules about the folders that Margin packs (tests/, env/ unless an image is named, oracle/): SC3xx."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from skill.case import Case
from skill.contract import MAX_PACKED_BYTES, MAX_UNPACKED_BYTES
from skill.finding import Severity
from skill.packing import MARGIN_OF_ERROR, Entry, Folder, Kind, packed_path, packed_size
from skill.rules.base import Defect, Family

PACKING: Family[Case] = Family("packing")

LITTER: Final = (".git", "__pycache__", ".DS_Store", "node_modules", ".pytest_cache", ".venv")
LFS_POINTER: Final = b"version https://git-lfs.github.com/spec/v1"
LFS_SIZES: Final = range(120, 140)


@PACKING.defect("SC301", "link-in-packed-folder", basis="M30")
def link_in_packed_folder(case: Case) -> Iterator[Defect]:
    """A packed folder is, or holds, a symbolic link.

    Margin refuses links of every kind there, dangling or not, to files or folders. Below oracle/ it does
    so in oracle runs (row M23).
    Right: a copy of the target.
    """
    for name, folder in _packed(case):
        if folder.kind is Kind.LINK:
            yield Defect(f"{case.path}/{name}", 0, f"{name}/ itself is a symbolic link", "copy the folder")
    for path, _ in _entries(case, Kind.LINK):
        yield Defect(path, 0, "Margin does not pack symbolic links", "copy the target")


@PACKING.defect("SC302", "special-file", basis="M31")
def special_file(case: Case) -> Iterator[Defect]:
    """A packed folder holds something that is no regular file.

    Example: a FIFO, a socket or a device below tests/.
    Right: make it when the verifier runs.
    """
    for path, _ in _entries(case, Kind.SPECIAL):
        yield Defect(path, 0, "Margin packs regular files only", "remove it")


@PACKING.defect("SC303", "unpackable-name", basis="M35")
def unpackable_name(case: Case) -> Iterator[Defect]:
    """A file's name becomes empty or leaves the folder when it is packed.

    Margin trims the whole path and turns backslashes into slashes first.
    Example: a file named `..\\x`
    Right: a plain name.
    """
    for path, entry in _entries(case, Kind.FILE):
        if packed_path(entry.path) is None:
            yield Defect(path, 0, f"{entry.path!r} cannot be packed", "rename it")


@PACKING.defect("SC304", "packed-names-collide", basis="M36")
def packed_names_collide(case: Case) -> Iterator[Defect]:
    """Two files have the same name once they are packed.

    Example: a file `a\\b` beside a folder a with a file b, or `b` beside `b ` with a space.
    Right: names without backslashes and outer white space.
    """
    for name, folder in _packed(case):
        taken: dict[str, list[str]] = defaultdict(list)
        for entry in folder.files:
            taken[packed_path(entry.path) or ""].append(entry.path)
        for clean, paths in taken.items():
            if clean and len(paths) > 1:
                yield Defect(f"{case.path}/{name}/{paths[1]}", 0, f'packed as "{clean}" like {paths[0]!r}', "rename it")


@PACKING.defect("SC305", "folder-too-large", basis="M37")
def folder_too_large(case: Case) -> Iterator[Defect]:
    """The files of a packed folder are larger than 512 MiB together.

    Right: put bulk data into the image.
    """
    for name, folder in _packed(case):
        if folder.size > MAX_UNPACKED_BYTES:
            said = f"{folder.size} bytes, more than {MAX_UNPACKED_BYTES}"
            yield Defect(f"{case.path}/{name}", 0, said, "put bulk data into the image")


@PACKING.defect("SC306", "archive-too-large", basis="M38")
def archive_too_large(case: Case) -> Iterator[Defect]:
    """A packed folder is larger than 128 MiB even when compressed.

    Right: put bulk data into the image.
    """
    for name, folder in _packed(case):
        if folder.size <= MAX_UNPACKED_BYTES and packed_size(folder) > MAX_PACKED_BYTES + MARGIN_OF_ERROR:
            said = f"more than {MAX_PACKED_BYTES} bytes when packed"
            yield Defect(f"{case.path}/{name}", 0, said, "put bulk data into the image")


@PACKING.defect("SC307", "archive-may-be-too-large", basis="M38 within 8 MiB", severity=Severity.WARNING)
def archive_may_be_too_large(case: Case) -> Iterator[Defect]:
    """A packed folder is so near to 128 MiB compressed that only Margin itself can tell.

    Right: put bulk data into the image.
    """
    for name, folder in _packed(case):
        if folder.size <= MAX_UNPACKED_BYTES:
            size = packed_size(folder)
            if abs(size - MAX_PACKED_BYTES) <= MARGIN_OF_ERROR:
                yield Defect(f"{case.path}/{name}", 0, f"about {size} bytes when packed", "make it smaller")


@PACKING.defect("SC308", "empty-packed-folder", basis="M40")
def empty_packed_folder(case: Case) -> Iterator[Defect]:
    """A packed folder holds no file at all.

    Right: at least the one file that its purpose asks for.
    """
    for name, folder in _packed(case):
        if folder.kind is Kind.FOLDER and not folder.files:
            yield Defect(f"{case.path}/{name}", 0, f"{name}/ holds no file", "add the files, or remove the folder")


@PACKING.defect("SC309", "unreadable-packed-file", basis="M40")
def unreadable_packed_file(case: Case) -> Iterator[Defect]:
    """A file or folder that has to be packed cannot be read.

    Right: `chmod a+r`, for folders `a+rx`.
    """
    for name, folder in _packed(case):
        for entry in folder.entries:
            if not entry.readable:
                yield Defect(f"{case.path}/{name}/{entry.path}", 0, "cannot be read, so not packed", "chmod a+rX")


@PACKING.defect("SC310", "empty-folder-is-dropped", basis="M33", severity=Severity.WARNING)
def empty_folder_is_dropped(case: Case) -> Iterator[Defect]:
    """A packed folder holds an empty folder, which Margin drops.

    A Dockerfile that copies it fails to build, a test that lists it sees nothing.
    Right: a placeholder file such as `.gitkeep` in it.
    """
    for name, folder in _packed(case):
        for path in folder.empty_folders():
            yield Defect(f"{case.path}/{name}/{path}", 0, "empty, so not packed", "add a placeholder file")


@PACKING.defect("SC311", "mode-bits-are-lost", basis="M34", severity=Severity.WARNING)
def mode_bits_are_lost(case: Case) -> Iterator[Defect]:
    """A packed file has a setuid, setgid or sticky bit.

    Only the nine permission bits survive; a file of mode 000 becomes 0644.
    Right: set the bit in the Dockerfile, or when the verifier runs.
    """
    for path, entry in _entries(case, Kind.FILE):
        if entry.mode & 0o7000 or not entry.mode & 0o777:
            yield Defect(path, 0, f"mode {entry.mode:04o} does not survive packing", "set it at run time")


@PACKING.defect("SC312", "private-staged-file", basis="W12", severity=Severity.WARNING)
def private_staged_file(case: Case) -> Iterator[Defect]:
    """A staged file is readable for its owner only.

    Files below tests/ and oracle/ keep their mode and get the owner that runs margin; another user cannot
    read them, so an image or a test that is not root is lost.
    Right: mode 0644, scripts 0755.
    """
    for path, entry in _entries(case, Kind.FILE):
        if not path.startswith(f"{case.path}/env/") and entry.mode & 0o777 and not entry.mode & 0o004:
            yield Defect(path, 0, f"mode {entry.mode:04o}: only its owner reads it", "chmod 0644, scripts 0755")


@PACKING.defect("SC313", "packed-litter", basis="M32", severity=Severity.WARNING)
def packed_litter(case: Case) -> Iterator[Defect]:
    """A packed folder holds caches or version control data.

    Margin has no ignore list: everything is packed, staged and part of the case's digest.
    Example: `tests/__pycache__/`
    Right: remove it.
    """
    for name, folder in _packed(case):
        for entry in folder.entries:
            if entry.path.rpartition("/")[2] in LITTER:
                yield Defect(f"{case.path}/{name}/{entry.path}", 0, "packed with the case", "remove it")


@PACKING.defect("SC314", "pointer-instead-of-content", basis="D10")
def pointer_instead_of_content(case: Case) -> Iterator[Defect]:
    """A file is only a Git LFS pointer; its content was never fetched.

    The verifier or the build then works on three lines of text.
    Right: fetch the content (`git lfs pull`) and convert again.
    """
    for path, entry in _entries(case, Kind.FILE):
        if entry.size in LFS_SIZES:
            data = case.read(path.removeprefix(f"{case.path}/"))
            if data and data.startswith(LFS_POINTER):
                yield Defect(path, 1, "a Git LFS pointer, not the content", "run git lfs pull in the source")


def _packed(case: Case) -> Iterator[tuple[str, Folder]]:
    """The folders of the case that Margin packs in some mode."""
    yield "tests", case.tests
    if case.config and not case.image:
        yield "env", case.env
    yield "oracle", case.oracle


def _entries(case: Case, kind: Kind) -> Iterator[tuple[str, Entry]]:
    """Every packed entry of one kind, with its path in the suite."""
    for name, folder in _packed(case):
        for entry in folder.entries:
            if entry.kind is kind:
                yield f"{case.path}/{name}/{entry.path}", entry
