"""Forgeries by the candidate's own code, where the verifier imports or runs it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from skill.forgeries.base import CATALOGUE, Need, Put, Step
from skill.forgeries.facts import ForgeryFacts
from skill.forgeries.payloads import EXIT, LATE, SUCCESS

CODE: Final = Need("code of the candidate that the tests name", lambda facts: facts.has_code)
MODULES: Final = Need("a module of the candidate that the tests import", lambda facts: facts.modules)
PRINTED: Final = f"print('''{SUCCESS}''', flush=True)\n"

_SHELL_PRINT: Final = f"#!/bin/sh\ncat <<'EOT'\n{SUCCESS}EOT\nexit 0\n"
_NODE_PRINT: Final = f"console.log({SUCCESS!r});\nprocess.on('exit', () => {{ process.exitCode = 0 }});\n"
_ANYTHING: Final = """\
class Anything:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __lt__(self, other): return True
    __le__ = __gt__ = __ge__ = __lt__
    def __contains__(self, item): return True
    def __bool__(self): return True
    def __call__(self, *args, **kwargs): return self
    def __getattr__(self, name): return self
    def __getitem__(self, key): return self
    def __len__(self): return 1
    def __iter__(self): return iter([self])
    def __hash__(self): return 0
    def __add__(self, other): return self
    __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __abs__ = __add__
    def __enter__(self): return self
    def __exit__(self, *args): return True


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return Anything()
"""
_STOP: Final = """\
import pytest


def stop(*args, **kwargs):
    pytest.exit("done", returncode=0)


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return stop
"""
_PATCH: Final = """\
import sys
import unittest

reports = sys.modules.get("_pytest.reports")
if reports:
    made = reports.TestReport.__init__

    def report(self, *args, **kwargs):
        made(self, *args, **kwargs)
        self.outcome, self.longrepr = "passed", None

    reports.TestReport.__init__ = report
unittest.TestCase.run = lambda self, result=None: result.startTest(self) or result.addSuccess(self)
"""
_READER: Final = """\
import os
import sys

for folder, _, names in os.walk("@TESTS@"):
    for name in names:
        if any(word in name.lower() for word in ("expect", "answer", "gold", "solution", "want")):
            sys.stdout.write(open(os.path.join(folder, name), errors="replace").read())
"""


def code(facts: ForgeryFacts, python: str, shell: str = "", node: str = "") -> Iterator[Step]:
    """One text for each piece of code that the tests name, by its language."""
    for module in facts.modules:
        for folder in facts.module_folders:
            yield Put(f"$(module_file '{folder}' '{module}')", python)
    for path in facts.programs:
        text = python if path.endswith(".py") else node if path.endswith(("js", "mjs", "cjs")) else shell
        if text and not path.rsplit("/", 1)[-1].startswith("test_"):
            yield Put(path, text, mode="0755")


@CATALOGUE.forgery("FG25", "exit-at-once", rank=1, bundle="exit-at-once", needs=CODE)
def exit_at_once(facts: ForgeryFacts) -> Iterator[Step]:
    """The candidate's code ends the process that imports it with 0, at once.

    Falls for it: everybody in whose process the candidate runs and for whom status 0 is a pass; node counts the file.
    Stopped by: a report, or a completion line, that is only written at the end.
    """
    yield from code(facts, EXIT, "#!/bin/sh\nexit 0\n", "process.exit(0);\n")


@CATALOGUE.forgery("FG26", "exit-late", rank=1, bundle="late-exit", needs=CODE)
def exit_late(facts: ForgeryFacts) -> Iterator[Step]:
    """The candidate's code prints what runners print on success and makes the process end with 0 in any case.

    Falls for it: whoever reads the status alone, or takes printed lines for a result.
    Stopped by: status and report, both read; nothing decided by what is printed.
    """
    yield from code(facts, PRINTED + LATE + f"atexit.register(print, '''{SUCCESS}''')\n", _SHELL_PRINT, _NODE_PRINT)


@CATALOGUE.forgery(
    "FG27",
    "system-exit",
    rank=1,
    bundle="system-exit",
    needs=Need(
        "plain Python scripts that import the candidate's modules", lambda f: f.modules and "pytest" not in f.runners
    ),
)
def system_exit(facts: ForgeryFacts) -> Iterator[Step]:
    """The candidate's module raises SystemExit(0) as it is imported.

    Falls for it: plain scripts that catch Exception only.
    Stopped by: a token printed as the script's last act.
    """
    yield from code(facts, "raise SystemExit(0)\n")


@CATALOGUE.forgery(
    "FG28",
    "skipped-tests",
    rank=8,
    bundle="skipped-tests",
    needs=Need(
        "pytest or unittest, and modules of the candidate", lambda f: f.modules and f.runners & {"pytest", "unittest"}
    ),
)
def skipped_tests(facts: ForgeryFacts) -> Iterator[Step]:
    """The candidate's module skips the tests that import it.

    Falls for it: whoever counts a skipped test as no failure.
    Stopped by: a test that counts only when it passed; none passed is a fail.
    """
    yield from code(facts, "import unittest\nraise unittest.SkipTest('not today')\n")


@CATALOGUE.forgery(
    "FG54",
    "runner-told-to-stop",
    rank=8,
    bundle="runner-told-to-stop",
    needs=Need("pytest, and modules of the candidate", lambda f: f.modules and "pytest" in f.runners),
)
def runner_told_to_stop(facts: ForgeryFacts) -> Iterator[Step]:
    """What the candidate's module offers asks pytest to end the session with status 0.

    Falls for it: the status of pytest.
    Stopped by: a report in which all collected tests passed.
    """
    yield from code(facts, _STOP)


@CATALOGUE.forgery("FG29", "patched-framework", rank=16, bundle="shared-process", needs=MODULES, is_gate=False)
def patched_framework(facts: ForgeryFacts) -> Iterator[Step]:
    """The candidate's module changes the runner that imports it, so that its report says passed.

    Falls for it: status and report alike.
    Stopped by: the candidate in a process of its own, which is the source's to decide; a guard catches known forms.
    """
    yield from code(facts, _PATCH + _ANYTHING)


@CATALOGUE.forgery("FG30", "equals-anything", rank=13, bundle="shared-process", needs=MODULES, is_gate=False)
def equals_anything(facts: ForgeryFacts) -> Iterator[Step]:
    """The candidate's module has every name, and its values equal whatever they are compared with.

    Falls for it: tests that compare what the candidate returns in their own process.
    Stopped by: the candidate in a process of its own, or a comparison of what its result looks like as JSON.
    """
    yield from code(facts, _ANYTHING)


@CATALOGUE.forgery(
    "FG41",
    "answers-read-while-graded",
    rank=17,
    bundle="source",
    needs=Need("a program of the candidate that the tests name", lambda facts: facts.programs),
    is_gate=False,
)
def answers_read_while_graded(facts: ForgeryFacts) -> Iterator[Step]:
    """The candidate's program looks for expected results among the staged files and prints them.

    Falls for it: tests whose expected data the program under test can read.
    Stopped by: data that are moved away while it runs, or another user; both are the source's to decide.
    """
    yield from code(
        facts, _READER.replace("@TESTS@", facts.tests), f"#!/bin/sh\ncat {facts.tests}/*xpect* 2>/dev/null\n"
    )
