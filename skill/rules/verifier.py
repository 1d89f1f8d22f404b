"""Rules about tests/test.sh as a file, and the subject that all verifier rules share: SC60x."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from skill.case import Case
from skill.contract import TEST_SCRIPT
from skill.finding import Severity
from skill.packing import Kind
from skill.rules.base import Defect, Family
from skill.rules.shell_view import ShellView, view
from skill.shell_syntax import SHEBANG

MARKER: Final = re.compile(rb"^# suite-converter verifier \d+\b", re.MULTILINE)
MAX_ANALYSED: Final = 1 << 20  # a larger script is data, and syntax trees are many times its size
MAX_DEPTH: Final = 200  # no person nests deeper, and Python's stack has an end
SHELLS: Final = ("bash", "sh")


@dataclass(frozen=True, eq=False)
class Verifier:
    """A case seen from its verifier."""

    case: Case

    @cached_property
    def data(self) -> bytes:
        """tests/test.sh, empty when there is none or it is too large to look at."""
        data = self.case.script or b""
        return data if len(data) <= MAX_ANALYSED else b""

    @cached_property
    def is_generated(self) -> bool:
        """Whether the script says that suite-converter wrote it; other rules then check that this is true."""
        return MARKER.search(self.data) is not None

    @cached_property
    def view(self) -> ShellView:
        """The script's syntax together with the files of the case that it sources."""
        alone = view(self.data)
        sourced = [words[1] for name, words, _ in alone.commands if name in ("source", ".") and len(words) > 1]
        libraries = [data for word in sourced if (data := self._staged(word)) is not None]
        return view(self.data, tuple(libraries)) if libraries else alone

    @cached_property
    def staged(self) -> str:
        """Where Margin stages tests/ in the container."""
        return posixpath.join(posixpath.normpath(self.case.test_cwd or "/"), "tests").replace("//", "/")

    @cached_property
    def is_readable(self) -> bool:
        """Whether the syntax tree can be trusted and is ours to judge."""
        if not self.data or self.is_generated:
            return False
        return not self.view.script.broken and self.view.depth <= MAX_DEPTH

    def _staged(self, word: str) -> bytes | None:
        """The file of tests/ that a sourced word most likely means."""
        parts = word.split("/")
        for start in range(len(parts)):
            data = self.case.read("tests/" + "/".join(parts[start:]))
            if data is not None and len(data) <= MAX_ANALYSED:
                return data
        return None

    def at(self, line: int, message: str, fix: str) -> Defect:
        """A defect of tests/test.sh."""
        return Defect(f"{self.case.path}/{TEST_SCRIPT}", line, message, fix)


VERIFIER: Family[Verifier] = Family("verifier")


@VERIFIER.defect("SC601", "no-tests-folder", basis="M27")
def no_tests_folder(verifier: Verifier) -> Iterator[Defect]:
    """The case has no folder tests/.

    Right: tests/ with test.sh in it, a real folder and no link.
    """
    if verifier.case.tests.kind not in (Kind.FOLDER, Kind.LINK):
        yield Defect(f"{verifier.case.path}/tests", 0, "tests/ is no folder of this case", "create it with test.sh")


@VERIFIER.defect("SC602", "no-test-script", basis="M28")
def no_test_script(verifier: Verifier) -> Iterator[Defect]:
    """tests/ has no file test.sh.

    The command is fixed; no other name works.
    Right: tests/test.sh
    """
    if verifier.case.tests.kind is Kind.FOLDER:
        entry = verifier.case.tests.find("test.sh")
        if entry is None or entry.kind is Kind.FOLDER:
            yield verifier.at(0, "there is no file tests/test.sh, the one that Margin runs", "write it")


@VERIFIER.defect("SC603", "test-script-not-executable", basis="W1")
def test_script_not_executable(verifier: Verifier) -> Iterator[Defect]:
    """tests/test.sh is not executable.

    Margin runs it by its name and keeps its mode; it ends with 126, which is an infrastructure failure.
    Right: mode 0755
    """
    entry = verifier.case.tests.find("test.sh")
    if entry and entry.kind is Kind.FILE and entry.mode & 0o111 != 0o111:
        yield verifier.at(0, f"mode {entry.mode:04o} is not executable for everybody, so it ends in 126", "chmod 0755")


@VERIFIER.defect("SC604", "empty-verifier", basis="W3")
def empty_verifier(verifier: Verifier) -> Iterator[Defect]:
    """tests/test.sh holds no command, so every candidate passes.

    Example: an empty file, or comments only.
    Right: a script that judges.
    """
    if verifier.case.script is not None and verifier.is_readable and not verifier.view.statements:
        yield verifier.at(1, "no command in it: bash ends with 0 and every candidate passes", "write the verifier")
    elif verifier.case.script == b"":
        yield verifier.at(0, "empty: bash ends with 0 and every candidate passes", "write the verifier")


@VERIFIER.defect("SC605", "carriage-returns-in-script", basis="W2")
def carriage_returns_in_script(verifier: Verifier) -> Iterator[Defect]:
    """tests/test.sh has Windows line ends.

    The interpreter's name then ends in a carriage return and is not found (127); without an interpreter line
    bash takes the returns for part of the words.
    Right: line feeds only.
    """
    at = verifier.data.find(b"\r\n")
    if at >= 0:
        line = verifier.data.count(b"\n", 0, at) + 1
        yield verifier.at(line, "line ends in a carriage return, which the shell takes for text", "use line feeds")


@VERIFIER.defect("SC606", "foreign-interpreter", basis="W2", severity=Severity.WARNING)
def foreign_interpreter(verifier: Verifier) -> Iterator[Defect]:
    """tests/test.sh asks for an interpreter that is neither bash nor sh.

    Margin needs bash and sh in the image anyway; another interpreter may be missing, and the run ends in 127.
    Example: `#!/usr/bin/env zsh`
    Right: `#!/usr/bin/env bash`
    """
    if (found := SHEBANG.match(verifier.data)) and found[1]:
        words = [word.decode(errors="replace") for word in (found[1] + b" " + found[2]).split()]
        names = [posixpath.basename(word) for word in words if not word.startswith("-")]
        name = names[1] if names[0] == "env" and len(names) > 1 else names[0]
        if name not in SHELLS:
            yield verifier.at(1, f'runs under "{name}", which the image may lack', "use bash")


@VERIFIER.defect("SC610", "no-interpreter-line", basis="W4", severity=Severity.NOTE)
def no_interpreter_line(verifier: Verifier) -> Iterator[Defect]:
    """tests/test.sh does not name its interpreter in the first line.

    bash runs such a script itself, so it works; a comment or a blank line above `#!` has the same effect.
    Right: `#!/bin/bash` as the very first bytes.
    """
    if verifier.data.strip() and not SHEBANG.match(verifier.data):
        yield verifier.at(1, "no interpreter line; it runs because bash falls back to itself", "begin with #!/bin/bash")


@VERIFIER.defect("SC607", "byte-order-mark-in-script", basis="W4", severity=Severity.WARNING)
def byte_order_mark_in_script(verifier: Verifier) -> Iterator[Defect]:
    """tests/test.sh starts with a byte order mark.

    The interpreter line is not seen as such; bash runs the script itself and stumbles over the first line.
    Right: the script without the mark.
    """
    if verifier.data.startswith(b"\xef\xbb\xbf"):
        yield verifier.at(1, "starts with a byte order mark, which hides the interpreter line", "remove the mark")


@VERIFIER.defect("SC608", "unreadable-shell-syntax", basis="D4", severity=Severity.WARNING)
def unreadable_shell_syntax(verifier: Verifier) -> Iterator[Defect]:
    """tests/test.sh does not read as bash.

    Nothing can be said about its exits; conflict markers and unfilled templates show like this.
    Right: a script that `bash -n` accepts.
    """
    if verifier.data and not verifier.is_generated and (line := verifier.view.script.broken):
        yield verifier.at(line, "not understood as bash, so its exits were not checked", "check with bash -n")


@VERIFIER.defect("SC609", "verifier-not-analysed", basis="D4", severity=Severity.WARNING)
def verifier_not_analysed(verifier: Verifier) -> Iterator[Defect]:
    """tests/test.sh is larger than 1 MiB or nested too deeply, and was not looked at.

    Right: a short script; bulk data in files of its own.
    """
    if len(verifier.case.script or b"") > MAX_ANALYSED:
        yield verifier.at(0, "larger than 1 MiB, so its exits were not checked", "move data into files of tests/")
    elif verifier.data and not verifier.is_generated and verifier.view.depth > MAX_DEPTH:
        yield verifier.at(0, "nested too deeply, so its exits were not checked", "write it in a flatter way")
