"""Rules about oracle/, the reference solution: SC7xx."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from skill.case import Case
from skill.contract import SOLVE_SCRIPT
from skill.finding import Severity
from skill.packing import Kind
from skill.rules.base import Defect, Family
from skill.rules.shell_view import view

ORACLE: Family[Case] = Family("oracle")

SOLUTION_PATH: Final = re.compile(rb"(?<![\w.$}/~*-])/(?:solution|oracle)(?=[/\"'\s);:,]|$)", re.MULTILINE)
TESTS_PATH: Final = re.compile(rb"(?<![\w.$}/~*-])/tests(?=[/\"'\s);:,]|$)", re.MULTILINE)
LINKS_SOLUTION: Final = re.compile(rb"(?:ln\s+-\w*s\w*|cp\s+-\w+|mkdir\s+-p)\s[^\n]*/solution\b")


@ORACLE.defect("SC701", "oracle-not-a-folder", basis="M21")
def oracle_not_a_folder(case: Case) -> Iterator[Defect]:
    """Something named oracle is there that is no folder.

    Margin refuses it in every mode, not only in oracle runs.
    Right: oracle/solve.sh, or nothing of that name.
    """
    kind = case.oracle.kind
    if kind in (Kind.FILE, Kind.SPECIAL) or (kind is Kind.LINK and (case.root / "oracle").is_file()):
        yield Defect(f"{case.path}/oracle", 0, "oracle is no folder", "make it a folder with solve.sh, or remove it")


@ORACLE.defect("SC702", "no-solve-script", basis="M22")
def no_solve_script(case: Case) -> Iterator[Defect]:
    """oracle/ has no file solve.sh.

    Such a folder stops the compilation of the whole suite in every mode.
    Right: oracle/solve.sh; material without a script belongs elsewhere.
    """
    if case.oracle.kind is Kind.FOLDER:
        entry = case.oracle.find("solve.sh")
        if entry is None or entry.kind is Kind.FOLDER:
            yield _at(case, 0, "there is no file oracle/solve.sh", "write it, or remove oracle/")


@ORACLE.defect("SC703", "solve-script-not-executable", basis="W6")
def solve_script_not_executable(case: Case) -> Iterator[Defect]:
    """oracle/solve.sh is not executable.

    An oracle run then ends as an infrastructure failure, and the tests never run.
    Right: mode 0755
    """
    entry = case.oracle.find("solve.sh")
    if entry and entry.kind is Kind.FILE and entry.mode & 0o111 != 0o111:
        yield _at(case, 0, f"mode {entry.mode:04o} is not executable for everybody", "chmod 0755")


@ORACLE.defect("SC704", "solution-path", basis="W16")
def solution_path(case: Case) -> Iterator[Defect]:
    """The oracle reads /solution, where Margin puts nothing.

    Its files are at `$MARGIN_ORACLE_DIR`, that is `{test_cwd}/oracle`.
    Example: `python3 /solution/solve.py`
    Right: `python3 "$MARGIN_ORACLE_DIR/solve.py"`, or a link /solution made first.
    """
    data = _script(case)
    if LINKS_SOLUTION.search(data):
        return
    for number, text in enumerate(data.split(b"\n"), start=1):
        found = None if text.lstrip().startswith(b"#") else SOLUTION_PATH.search(text)
        if found and not (found[0] == b"/oracle" and case.test_cwd == "/"):
            yield _at(case, number, f"{found[0].decode()} is not there", 'use "$MARGIN_ORACLE_DIR"')
            return


@ORACLE.defect("SC705", "no-oracle", basis="M24", severity=Severity.NOTE)
def no_oracle(case: Case) -> Iterator[Defect]:
    """The case has no reference solution.

    Oracle runs need one in every listed case; without it nothing shows that the case can be passed.
    Right: oracle/solve.sh, where the source has a solution.
    """
    if case.oracle.kind is Kind.ABSENT:
        yield Defect(case.path, 0, "no oracle/, so nothing shows that the case can be passed", "add a solution")


@ORACLE.defect("SC706", "carriage-returns-in-solve-script", basis="W2")
def carriage_returns_in_solve_script(case: Case) -> Iterator[Defect]:
    """oracle/solve.sh has Windows line ends.

    Its interpreter is not found, or its words end in carriage returns.
    Right: line feeds only.
    """
    data = _script(case)
    at = data.find(b"\r\n")
    if at >= 0:
        line = data.count(b"\n", 0, at) + 1
        yield _at(case, line, "line ends in a carriage return, which the shell takes for text", "use line feeds")


@ORACLE.defect("SC707", "oracle-stays-in-test-cwd", basis="W16", severity=Severity.WARNING)
def oracle_stays_in_test_cwd(case: Case) -> Iterator[Defect]:
    """oracle/solve.sh never changes to the agent's folder.

    Margin starts it in test_cwd, here another folder, so relative paths mean other files.
    Right: `cd "$MARGIN_AGENT_CWD"` at the top.
    """
    data = _script(case)
    if data.strip() and case.agent_cwd != case.test_cwd and not re.search(rb"(?m)(?:^|[\s;&(])(?:cd|pushd)\s", data):
        yield _at(case, 1, f'runs in "{case.test_cwd}", not in "{case.agent_cwd}"', 'cd "$MARGIN_AGENT_CWD" first')


@ORACLE.defect("SC708", "oracle-reads-tests", basis="contract 2.3", severity=Severity.WARNING)
def oracle_reads_tests(case: Case) -> Iterator[Defect]:
    """The oracle reads /tests, which is staged only after it has ended.

    Example: `cp /tests/expected.json /app/`
    Right: a solution that does the work itself.
    """
    data = _script(case)
    for number, text in enumerate(data.split(b"\n"), start=1):
        if not text.lstrip().startswith(b"#") and TESTS_PATH.search(text):
            yield _at(case, number, "/tests is not there yet when the oracle runs", "do without the tests' files")
            return


@ORACLE.defect("SC709", "empty-solve-script", basis="D9", severity=Severity.WARNING)
def empty_solve_script(case: Case) -> Iterator[Defect]:
    """oracle/solve.sh holds no command.

    It succeeds without solving anything, and the verifier then judges an untouched workspace.
    Right: the solution, or no oracle/.
    """
    entry = case.oracle.find("solve.sh")
    if entry and entry.kind is Kind.FILE and entry.size < 4096 and not view(_script(case)).statements:
        yield _at(case, 0, "no command in it", "write the solution, or remove oracle/")


def _script(case: Case) -> bytes:
    """oracle/solve.sh, empty when there is none."""
    return case.read(SOLVE_SCRIPT) or b""


def _at(case: Case, line: int, message: str, fix: str) -> Defect:
    """A defect of oracle/solve.sh."""
    return Defect(f"{case.path}/{SOLVE_SCRIPT}", line, message, fix)
