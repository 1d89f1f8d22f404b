"""Rules about a verifier that suite-converter wrote: its library and manifest are whole and true: SC65x."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from skill.ledger import digest
from skill.packing import Kind
from skill.rules.base import Defect, Family
from skill.rules.verifier import Verifier
from skill.verifier.patterns import SHIPPED, staged
from skill.verifier.template import LIBRARY, MANIFEST, SOURCE_SCRIPT, library

GENERATED: Family[Verifier] = Family("verifier")

UNLISTED: Final = ("test.sh", MANIFEST)  # test.sh holds the manifest's hash, so neither can be in it
MANIFEST_LINE: Final = re.compile(r"(\\?)([0-9a-f]{64}) [ *](.+)\Z")
ENDING: Final = re.compile(rb"\n  (?:pass|fail|infra|judge_\w+)\b[^\n]*\n\}\nmain \"\$@\"; exit 2\n\Z")
OWN_EXIT: Final = re.compile(rb"^[ \t]*exit(?! 2\b)[^\n]*", re.MULTILINE)


@GENERATED.defect("SC651", "verdict-library-changed", basis="D4")
def verdict_library_changed(verifier: Verifier) -> Iterator[Defect]:
    """tests/.verdict/lib.sh is not the reviewed library that test.sh counts on.

    All verdicts of a generated verifier are given by functions of that file.
    Right: the file as suite-converter ships it; convert the case again after an upgrade.
    """
    if verifier.is_generated and verifier.case.read(f"tests/{LIBRARY}") != library():
        yield _in_tests(verifier, LIBRARY, 0, "missing, or not the shipped library", "convert the case again")


@GENERATED.defect("SC652", "manifest-hash-differs", basis="D4")
def manifest_hash_differs(verifier: Verifier) -> Iterator[Defect]:
    """tests/test.sh does not name the hash of its manifest.

    The manifest is checked by that hash before anything is judged, so every run ends in 2.
    Right: the sha256 of tests/.verdict/manifest.sha256
    """
    if verifier.is_generated:
        manifest = verifier.case.read(f"tests/{MANIFEST}")
        if manifest is None or digest(manifest).encode() not in verifier.data:
            yield verifier.at(0, "does not name the hash of tests/.verdict/manifest.sha256", "convert the case again")


@GENERATED.defect("SC653", "manifest-differs-from-files", basis="D4")
def manifest_differs_from_files(verifier: Verifier) -> Iterator[Defect]:
    """The manifest does not list exactly the staged files with their hashes.

    A file that is listed and missing, or changed, ends every run in 2; an unlisted one is not protected.
    Right: one line for every file of tests/ but test.sh and the manifest.
    """
    manifest = verifier.case.read(f"tests/{MANIFEST}") if verifier.is_generated else None
    if manifest is None:
        return
    listed: dict[str, str] = {}
    for number, text in enumerate(manifest.decode("utf-8", "surrogateescape").splitlines(), start=1):
        found = MANIFEST_LINE.match(text)
        if found is None:
            yield _in_tests(verifier, MANIFEST, number, "no line of sha256sum", "convert the case again")
            continue
        name = found[3].replace("\\n", "\n").replace("\\\\", "\\") if found[1] else found[3]
        listed[name] = found[2]
    for entry in verifier.case.tests.files:
        if entry.path in UNLISTED:
            continue
        wanted = listed.pop(entry.path, None)
        if wanted is None:
            yield _in_tests(verifier, entry.path, 0, "not in the manifest", "list it, or remove it")
        elif wanted != digest(verifier.case.read(f"tests/{entry.path}") or b""):
            yield _in_tests(verifier, entry.path, 0, "not the bytes that the manifest lists", "restore it")
    for path in listed:
        yield _in_tests(verifier, MANIFEST, 0, f"lists {path}, which is not there", "restore it")


@GENERATED.defect("SC654", "generated-verifier-edited", basis="D4")
def generated_verifier_edited(verifier: Verifier) -> Iterator[Defect]:
    """A generated test.sh does not end as suite-converter writes it, or has an exit of its own.

    Its verdict comes from a function of the library in the last line of `main`; every other way out is 2.
    Right: the script as it was generated; a script of your own without the marker line.
    """
    if verifier.is_generated and not ENDING.search(verifier.data):
        line = verifier.data.rstrip().count(b"\n") + 1
        yield verifier.at(line, "does not end with a verdict of the library", "convert the case again")
    if verifier.is_generated and (found := OWN_EXIT.search(verifier.data)):
        line = verifier.data.count(b"\n", 0, found.start()) + 1
        yield verifier.at(line, "has an exit of its own", "convert the case again")


@GENERATED.defect("SC655", "staged-script-not-executable", basis="W1")
def staged_script_not_executable(verifier: Verifier) -> Iterator[Defect]:
    """The source's script beside a generated test.sh is not executable.

    The source framework runs it by its name after making it executable.
    Right: mode 0755
    """
    entry = verifier.case.tests.find(SOURCE_SCRIPT) if verifier.is_generated else None
    if entry and entry.kind is Kind.FILE and entry.mode & 0o111 != 0o111:
        yield _in_tests(verifier, SOURCE_SCRIPT, 0, f"mode {entry.mode:04o} is not executable", "chmod 0755")


@GENERATED.defect("SC656", "hardening-file-changed", basis="D17")
def hardening_file_changed(verifier: Verifier) -> Iterator[Defect]:
    """A hardening file beside a generated test.sh is not the shipped one.

    What watches the tests, or runs them, could say anything.
    Right: the file as suite-converter ships it; convert the case again after an upgrade.
    """
    if verifier.is_generated:
        for path in SHIPPED:
            data = verifier.case.read(f"tests/{path}")
            if data is not None and data != staged(path):
                yield _in_tests(verifier, path, 0, "not the shipped file", "convert the case again")


def _in_tests(verifier: Verifier, path: str, line: int, message: str, fix: str) -> Defect:
    """A defect of a file of tests/."""
    return Defect(f"{verifier.case.path}/tests/{path}", line, message, fix)
