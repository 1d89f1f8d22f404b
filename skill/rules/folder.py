"""Rules about a case's folder and what lies in it: SC201, SC202 and SC214 to SC217."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from skill.case import Case
from skill.contract import (
    CASE_FILE,
    DOCKERFILE,
    PROMPT_FILE,
    SOLVE_SCRIPT,
    TEST_SCRIPT,
)
from skill.finding import Severity
from skill.packing import Kind
from skill.rules.base import Defect, Family
from skill.textfile import Reading

PLACE: Family[Case] = Family("case")  # what is asked of an entry whose folder is not there
FOLDER: Family[Case] = Family("case")

KNOWN_NAMES: Final = (CASE_FILE, PROMPT_FILE, "env", "tests", "oracle")
SECRET: Final = re.compile(
    rb"\b(?:sk-[A-Za-z0-9_-]{20,}|sk_live_\w{16,}|AKIA[0-9A-Z]{16}|AIza[\w-]{35}|gh[pousr]_[A-Za-z0-9]{36}|hf_[A-Za-z]{34}"
    rb"|xox[baprs]-[\w-]{10,}|glpat-[\w-]{20})|-----BEGIN (?:RSA |EC |OPENSSH )?PRIVATE KEY-----"
)


@PLACE.defect("SC201", "no-case-folder", basis="M18")
def no_case_folder(case: Case) -> Iterator[Defect]:
    """A listed case has no folder.

    Margin compiles all listed cases or none, so one missing folder stops the whole suite.
    Right: `cases/<name>/`, or take the name off the list.
    """
    if not case.is_outside:
        yield Defect("suite.toml", case.line, f'"{case.name}" is listed, but {case.path}/ is no folder', "create it")


@PLACE.defect("SC202", "case-outside-suite", basis="D11")
def case_outside_suite(case: Case) -> Iterator[Defect]:
    """A listed case lies outside the suite.

    Margin follows `..` and links; such a suite is not complete when it is copied.
    Right: the folder itself below cases/.
    """
    if case.is_outside:
        yield Defect("suite.toml", case.line, f'"{case.name}" leads out of the suite', "move the folder into cases/")


@FOLDER.defect("SC214", "unused-entry", basis="D15", severity=Severity.WARNING)
def unused_entry(case: Case) -> Iterator[Defect]:
    """The case's folder holds something that Margin never looks at.

    It is either forgotten or misnamed.
    Example: `Prompt.md`, `solution/`, `test/`.
    Right: `prompt.md`, `oracle/`, `tests/`; notes belong outside the suite.
    """
    for name in sorted(case.names):
        if name not in KNOWN_NAMES:
            yield Defect(f"{case.path}/{name}", 0, "Margin never looks at this", "rename or remove it")


@FOLDER.defect("SC215", "link-in-case", basis="M83", severity=Severity.WARNING)
def link_in_case(case: Case) -> Iterator[Defect]:
    """The case's folder, case.toml or prompt.md is a symbolic link.

    Margin reads it locally, but refuses any link as soon as the suite is fetched from a repository.
    Right: put the file itself there.
    """
    linked = [f"{case.path}/{name}" for name in (CASE_FILE, PROMPT_FILE) if case.names.get(name) is Kind.LINK]
    for path in [case.path] * case.root.is_symlink() + linked:
        yield Defect(path, 0, "a symbolic link, which Margin refuses in fetched suites", "copy the target")


@FOLDER.defect("SC216", "link-leaves-suite", basis="D10")
def link_leaves_suite(case: Case) -> Iterator[Defect]:
    """case.toml or prompt.md is a link to something outside the suite.

    The suite is not complete without that file, and reading it would read whatever it points at.
    Right: put the file itself there.
    """
    for name, text in ((CASE_FILE, case.text), (PROMPT_FILE, case.prompt)):
        if text.reading is Reading.OUTSIDE:
            yield Defect(f"{case.path}/{name}", 0, f"{name} is a link that leaves the suite", "copy the target")


@FOLDER.defect("SC217", "secret-in-case", basis="D7", severity=Severity.WARNING)
def secret_in_case(case: Case) -> Iterator[Defect]:
    """A script, the Dockerfile or case.toml holds what looks like a key of a real service.

    Whoever gets the suite gets the key, and so does the agent where the image holds it.
    Right: revoke it; name a variable that is set when margin runs (`--agent-env`).
    """
    texts = ((CASE_FILE, case.text.data), (TEST_SCRIPT, case.script), (DOCKERFILE, case.read(DOCKERFILE)))
    for name, data in (*texts, (SOLVE_SCRIPT, case.read(SOLVE_SCRIPT))):
        if data and (found := SECRET.search(data)):
            line = data.count(b"\n", 0, found.start()) + 1
            said = f"looks like a key ({found[0][:6].decode(errors='replace')}...)"
            yield Defect(f"{case.path}/{name}", line, said, "revoke it and name a variable instead")
