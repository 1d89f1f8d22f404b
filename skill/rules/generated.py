"""Rules about a verifier that suite-converter wrote: its library and manifest are whole and true: SC65x."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Final

from skill.ledger import digest
from skill.packing import Kind
from skill.rules.base import Defect, Family
from skill.rules.verifier import Verifier

GENERATED: Family[Verifier] = Family("verifier")

LIBRARY: Final = ".verdict/lib.sh"
MANIFEST: Final = ".verdict/manifest.sha256"
UNLISTED: Final = ("test.sh", MANIFEST)  # test.sh holds the manifest's hash, so neither can be in it
MANIFEST_LINE: Final = re.compile(r"([0-9a-f]{64}) [ *](.+)\Z")
VERDICT_CALL: Final = re.compile(rb"^[ \t]*(?:pass|fail|infra|judge_\w+)\b[^\n]*\s*\Z", re.MULTILINE)


@cache
def shipped_library() -> bytes:
    """The shell library as this version of suite-converter writes it into cases."""
    return (files("skill.verifier") / "lib.sh").read_bytes()


@GENERATED.defect("SC651", "verdict-library-changed", basis="D4")
def verdict_library_changed(verifier: Verifier) -> Iterator[Defect]:
    """tests/.verdict/lib.sh is not the reviewed library that test.sh counts on.

    All verdicts of a generated verifier are given by functions of that file.
    Right: the file as suite-converter ships it; convert the case again after an upgrade.
    """
    if verifier.is_generated and verifier.case.read(f"tests/{LIBRARY}") != shipped_library():
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
            yield verifier.at(
                0, "does not name the hash of tests/.verdict/manifest.sha256", "convert the case again"
            )


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
        listed[found[2].removeprefix("./")] = found[1]
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


@GENERATED.defect("SC654", "generated-verifier-without-verdict", basis="D4")
def generated_verifier_without_verdict(verifier: Verifier) -> Iterator[Defect]:
    """A generated test.sh does not end with a function that gives the verdict.

    Right: `pass`, `fail`, `infra` or one of the `judge_` functions as the last line.
    """
    if verifier.is_generated and not VERDICT_CALL.search(verifier.data.rstrip()):
        line = verifier.data.rstrip().count(b"\n") + 1
        yield verifier.at(line, "the last line gives no verdict", "end with a judge_ function of the library")


@GENERATED.defect("SC655", "staged-script-not-executable", basis="W1")
def staged_script_not_executable(verifier: Verifier) -> Iterator[Defect]:
    """The source's script beside a generated test.sh is not executable.

    The source framework runs it by its name after making it executable.
    Right: mode 0755
    """
    entry = verifier.case.tests.find("source-test.sh") if verifier.is_generated else None
    if entry and entry.kind is Kind.FILE and entry.mode & 0o111 != 0o111:
        yield _in_tests(
            verifier, "source-test.sh", 0, f"mode {entry.mode:04o} is not executable", "chmod 0755"
        )


def _in_tests(verifier: Verifier, path: str, line: int, message: str, fix: str) -> Defect:
    """A defect of a file of tests/."""
    return Defect(f"{verifier.case.path}/tests/{path}", line, message, fix)
