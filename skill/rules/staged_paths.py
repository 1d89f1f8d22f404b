"""Rules about where tests/test.sh looks for the staged files: SC62x and SC63x."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Final

from skill import bash
from skill.finding import Severity
from skill.rules.base import Defect, Family
from skill.rules.verifier import Verifier

STAGED_PATHS: Family[Verifier] = Family("verifier")

TESTS_PATH: Final = re.compile(rb"(?<![\w.$}/~*-])/tests(?=[/\"'\s);:,]|$)", re.MULTILINE)
MAX_HELPER: Final = 1 << 18
TESTS_VARIABLE: Final = r"[A-Z_]*TESTS?_(?:DIR|ROOT|PATH)"
INTERPRETERS: Final = frozenset(
    ("python", "python3", "bash", "sh", "node", "source", ".", "ruby", "perl", "Rscript", "pytest")
)


@STAGED_PATHS.defect("SC621", "absolute-tests-path", basis="contract 2.4")
def absolute_tests_path(verifier: Verifier) -> Iterator[Defect]:
    """The verifier reads /tests, but Margin stages its files elsewhere.

    They are at `{test_cwd}/tests`; only with `test_cwd = "/"` is that /tests.
    Example: `test_cwd = "/app"` and `pytest /tests/test_x.py`
    Right: `test_cwd = "/"`, or `"$PWD/tests/test_x.py"` before any cd.
    """
    if verifier.is_generated or verifier.staged == "/tests" or not verifier.case.test_cwd:
        return
    for number, text in enumerate(verifier.data.split(b"\n"), start=1):
        if not text.lstrip().startswith(b"#") and TESTS_PATH.search(text):
            said = f"/tests is not where the files are; they are staged at {verifier.staged}"
            yield verifier.at(number, said, 'set test_cwd = "/"')
            return


@STAGED_PATHS.defect("SC622", "tests-folder-from-image", basis="W20")
def tests_folder_from_image(verifier: Verifier) -> Iterator[Defect]:
    """The script falls back to the staged folder only when a variable is unset, and the image sets it.

    The image's ENV reaches the verifier, so the fallback never fires.
    Example: `${TEST_DIR:-$PWD/tests}` with `ENV TEST_DIR=/tests` and `test_cwd = "/app"`
    Right: set the variable outright.
    """
    dockerfile = verifier.case.dockerfile
    for name, line in _variables(verifier) if dockerfile else ():
        value = dockerfile.env.get(name) if dockerfile else None
        if value is not None and posixpath.normpath(value) != verifier.staged:
            said = f"the image sets {name}={value}, but the files are staged at {verifier.staged}"
            yield verifier.at(line, said, f"set {name} outright")


@STAGED_PATHS.defect("SC623", "tests-folder-from-environment", basis="W20", severity=Severity.WARNING)
def tests_folder_from_environment(verifier: Verifier) -> Iterator[Defect]:
    """The staged folder is taken from a variable that the script itself does not set.

    Margin adds nothing to the environment; the image's ENV decides, or nobody does.
    Example: `pytest "$TEST_DIR"`
    Right: `TEST_DIR=/tests` first.
    """
    dockerfile = verifier.case.dockerfile
    for name, line in _variables(verifier):
        if dockerfile is None or name not in dockerfile.env:
            yield verifier.at(line, f"{name} is whatever the environment says", f"set {name} outright")


@STAGED_PATHS.defect("SC631", "relative-tests-path-after-cd", basis="contract 2.5", severity=Severity.WARNING)
def relative_tests_path_after_cd(verifier: Verifier) -> Iterator[Defect]:
    """After a cd the script still says tests/..., which now means a folder of the workspace.

    Example: `cd /app; pytest tests/test_x.py` with `test_cwd = "/"`
    Right: `/tests/test_x.py`; a path of the workspace is fine when that is meant.
    """
    away = False
    for name, words, node in verifier.view.commands if verifier.is_readable else ():
        if name == "cd" and len(words) > 1 and words[1].startswith("/"):
            away = posixpath.normpath(words[1]) != posixpath.normpath(verifier.case.test_cwd or "/")
        staged = next((w for w in words[1:] if _is_staged_file(verifier, w.removeprefix("./"))), None)
        if away and staged is not None:
            yield verifier.at(
                bash.line(node), f'"{staged}" no longer is the staged file', f"write {verifier.staged}/..."
            )
            return


@STAGED_PATHS.defect("SC632", "staged-file-is-missing", basis="D4")
def staged_file_is_missing(verifier: Verifier) -> Iterator[Defect]:
    """The script runs a file of tests/ that the case does not have.

    Example: `python3 /tests/grade.py` without tests/grade.py
    Right: the file in tests/.
    """
    for name, words, node in verifier.view.commands if verifier.is_readable else ():
        for word in words[1:] if name in INTERPRETERS else ():
            inner = word.removeprefix(verifier.staged + "/")
            if inner == word or not re.fullmatch(r"[\w./-]+\.\w+", inner) or verifier.case.tests.find(inner):
                continue
            if verifier.data.count(inner.encode()) == 1:
                yield verifier.at(bash.line(node), f"tests/{inner} is not in the case", "add it")


@STAGED_PATHS.defect("SC633", "two-test-locations", basis="D4", severity=Severity.WARNING)
def two_test_locations(verifier: Verifier) -> Iterator[Defect]:
    """The script copies the staged tests into the workspace and then lets a runner search for tests.

    A runner that searches finds them in both places, or the candidate's own beside them.
    Example: `cp -r /tests /app/; cd /; pytest`
    Right: name the files that are to run, in one place.
    """
    copied = False
    for name, words, node in verifier.view.commands if verifier.is_readable else ():
        from_staged = any(w.startswith((verifier.staged, "tests/", "./tests")) for w in words[1:-1])
        copied = copied or (name in ("cp", "rsync", "mv") and from_staged)
        files = [word for word in words[1:] if not word.startswith("-")]
        if copied and name == "pytest" and not any(re.search(r"\.py|::", word) for word in files):
            yield verifier.at(bash.line(node), "tests were copied, and pytest searches for them", "name the test files")
            return


@STAGED_PATHS.defect("SC635", "absolute-tests-path-in-helper", basis="contract 2.4", severity=Severity.WARNING)
def absolute_tests_path_in_helper(verifier: Verifier) -> Iterator[Defect]:
    """A file beside test.sh names /tests, but Margin stages it elsewhere.

    It may be a path that is opened, or a word that a test looks for; only a reader can tell.
    Example: `TESTS = Path("/tests")` with `test_cwd = "/app"`
    Right: `test_cwd = "/"`, or a path relative to the file itself.
    """
    if verifier.is_generated or verifier.staged == "/tests" or not verifier.case.test_cwd:
        return
    for entry in verifier.case.tests.files:
        if entry.path != "test.sh" and entry.size <= MAX_HELPER:
            data = verifier.case.read(f"tests/{entry.path}") or b""
            if b"\0" not in data and (found := TESTS_PATH.search(data)):
                line = data.count(b"\n", 0, found.start()) + 1
                said = f"names /tests; the files are staged at {verifier.staged}"
                yield Defect(f"{verifier.case.path}/tests/{entry.path}", line, said, 'set test_cwd = "/"')


def _variables(verifier: Verifier) -> Iterator[tuple[str, int]]:
    """Every tests-folder variable that is read and not set outright by the script, with its first line."""
    if not verifier.is_readable or b"TEST" not in verifier.data:
        return
    text = verifier.data.decode("utf-8", "replace")
    for name in sorted(set(re.findall(rf"\$\{{?({TESTS_VARIABLE})\b", text))):
        fallback = rf"=\s*[\"']?\$\{{{name}:?-"
        own = re.search(rf"(?m)(?:^|[\s;]){name}(?!{fallback})=", text)
        if own is None:
            found = re.search(rf"\$\{{?{name}\b", text)
            yield name, text.count("\n", 0, found.start() if found else 0) + 1


def _is_staged_file(verifier: Verifier, word: str) -> bool:
    """Whether ``word`` is a relative path that names a file of tests/."""
    return word.startswith("tests/") and verifier.case.tests.find(word.removeprefix("tests/")) is not None
