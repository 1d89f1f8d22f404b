"""What a session over an odd verifier is told first: its task, the words it may use, and the facts, as data."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from typing import Final

from agent.odd import OddGroup
from skill.finding import Finding
from skill.packing import Folder
from skill.sources.base import SourceFile, SourceTask
from tools.fence import capped, fenced
from tools.landing import told_lines
from tools.plain import plain

SCRIPT_CAP: Final = 12_000  # characters of the source's script in a brief
FILE_CAP: Final = 4_000  # of each file beside it
FILES_CAP: Final = 16_000  # of all of them
LISTED: Final = 60  # files named in a brief
WORDS: Final = """\
Words of the library that stand at your disposal between the marks. To end:
- `pass "why"`, `fail "why"`, `infra "why"`: the verdict, and the end; nothing after it runs
To find out, before the candidate's turn, that the verifier itself has what it needs:
- `need TOOL...`: each is there and runs, else infra
- `runner_works python3 -m pytest`: pytest, called like this, passes a test that is known to pass, else infra; for any \
other runner say `works` with a test of your own in `$PRIVATE`
- `unshadowed python3 -m pytest`: and it does so from the working directory too, else fail
- `tool_starts COMMAND...`: a tool that is fetched while grading can be had and starts, else infra
- `works COMMAND...`, `refuses COMMAND...`: it succeeds, it does not, else infra
To run the candidate or the tests:
- `candidate COMMAND...`: runs it without input within the time that is left; then `$STATUS` is its status, and \
`$TIMED_OUT` is 1 where the time was up. It takes a command, not a pipe: for its output redirect the whole, as in \
`candidate COMMAND... >"$PRIVATE/out" 2>&1`, and read the file afterwards
- `counted PATTERN COMMAND...`: as `candidate`; the output is kept in `$PRIVATE/output`, and status 0 is a fail unless \
it matches the extended regular expression PATTERN, such as `[1-9][0-9]* passed`
To judge:
- `judge_status`, `judge_pytest "$PRIVATE/report.xml"`, `judge_reward [KEY OPERATOR NUMBER]`: the verdict and the end, \
from the status (0 passes, all else fails); from pytest's status and the report that `--junitxml` wrote (3, 4, 5, 126, \
127 are infra); from the reward that the source's script left: reward.json before reward.txt, one that is 0 or 1, or \
KEY with OPERATOR `>=`, `>` or `==`. What lay there before the verifier began is gone; none, or a bad one, is infra
- `read_report FILE`: `$RAN`, `$BROKE` and `$SKIPPED` from a JUnit report; `$RAN` is 0 where there is none
- `is_plain FILE`: it is a regular file and no link
- `intact`: fail where the staged tests were changed meanwhile; `alone`: ends what the candidate left running; \
`guarded` before and `genuine` after pytest: fail where a test that did not pass was called passed. Where the frame \
above the first mark has them, they need not be said again
Places: `$TESTS`, the staged tests; `$PRIVATE`, a folder of yours; `$(left)`, the seconds that are left, less than 1 \
when they are used up; `$(seconds_left)`, the same for `timeout`.
To give pytest an option that no candidate's file can take back, write an ini and name it: \
`printf '[pytest]\\n' >"$PRIVATE/pytest.ini"`, then `-c "$PRIVATE/pytest.ini"`.
None of these may be redefined or set; no `eval`, `exec`, `alias`, EXIT trap; no reward written here."""


def brief(
    group: OddGroup, task: SourceTask, errors: Sequence[Finding], frame: str = "", drafted: Folder | None = None
) -> str:
    """What the session is told first; text of the dataset stands between marks that it cannot forge.

    ``frame`` is tests/test.sh as it was drafted, ``drafted`` all of tests/.
    """
    case = group.first
    tests = f"suite/cases/{case.name}/tests"
    script = next(file for file in task.tests if file.path == "test.sh")
    parts = [
        _order(group),
        fenced("\n".join(plain(fact) for fact in case.facts), "Why no rule covers it"),
        *([fenced(plain(group.why), "Why a verifier for cases of the same shape did not fit")] if group.why else []),
        f"What the gates miss now:\n{told_lines(errors)}",
        WORDS,
        *([fenced(frame, f"{tests}/test.sh")] if frame else []),
        fenced("; ".join(_image_facts(task)), "The image"),
        fenced("\n".join(_listing(task)), "The files of source/tests"),
        *([fenced("\n".join(_drafted(drafted)), f"The files of {tests}")] if drafted else []),
        fenced(capped(_text(script), SCRIPT_CAP), "source/tests/test.sh"),
        *_neighbours(task, _text(script)),
    ]
    return "\n\n".join(parts)


def _order(group: OddGroup) -> str:
    case, others = group.first, len(group.cases) - 1
    tests = f"suite/cases/{case.name}/tests"
    lines = [
        f"Write the verifier of the case {case.name}, whose source is read-only in source/.",
        "",
        f"All else is drafted: case.toml, prompt.md, env/, oracle/, copies of the source's tests, its script as "
        f"{tests}/source-test.sh, the library {tests}/.verdict/lib.sh. Missing is what stands in {tests}/test.sh "
        "between the marks `# >>> the verifier` and `# <<< the verifier`: replace the line there with `old` and `new`.",
        "Lines outside of the marks are a program's; so is the list of hashes, which is brought up to date by itself.",
        "Run what the source's script runs, all of it, and pass only in a branch that depends on its outcome. "
        "Change source-test.sh only where it cannot be run as it is, and no other file of the source.",
    ]
    if others:
        lines.append(
            f"A program applies your verifier to {others} more case{'s' * (others > 1)} whose scripts differ in names, "
            "paths and compared values: use those words as the source's script has them, and count, size or name "
            "nothing of this case besides. For time limits use `$(left)`, not numbers."
        )
    return "\n".join(lines)


def _image_facts(task: SourceTask) -> Iterator[str]:
    dockerfile = task.dockerfile
    if task.image:
        yield f"image {plain(task.image)}"
    if dockerfile is None:
        yield "no Dockerfile"
        return
    yield f"FROM {plain(dockerfile.base or '?')}"
    yield f"WORKDIR {plain(task.workdir or dockerfile.workdir or 'not stated')}"
    if dockerfile.installed:
        yield "installs " + plain(", ".join(sorted(dockerfile.installed)))[:600]
    if dockerfile.env:
        yield "sets " + plain(", ".join(sorted(dockerfile.env)))[:300]


def _listing(task: SourceTask) -> Iterator[str]:
    for file in task.tests[:LISTED]:
        yield f"{plain(file.path)}  {file.size:,} bytes{', executable' if file.mode & 0o111 else ''}"
    if len(task.tests) > LISTED:
        yield f"and {len(task.tests) - LISTED} more"


def _drafted(folder: Folder) -> Iterator[str]:
    for entry in folder.files[:LISTED]:
        yield f"{plain(entry.path)}{', executable' if entry.is_executable else ''}"
    if len(folder.files) > LISTED:
        yield f"and {len(folder.files) - LISTED} more"


def _neighbours(task: SourceTask, script: str) -> Iterator[str]:
    """The files of tests/ that the script names first, as far as there is room."""
    room = FILES_CAP
    files = [file for file in task.tests if file.path != "test.sh"]
    for file in sorted(files, key=lambda file: (posixpath.basename(file.path) not in script, file.path)):
        text = _text(file) if file.size <= 1 << 16 else "\0"
        if "\0" in text or room <= 0:
            continue
        shown = capped(text, min(FILE_CAP, room))
        room -= len(shown)
        yield fenced(f"{plain(file.path)}\n\n{shown}", "A file of source/tests: its name, a blank line, its text")


def _text(file: SourceFile) -> str:
    return file.read().decode("utf-8", "replace")
