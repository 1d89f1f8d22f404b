"""What the tests of a source lost on their way into a case: nothing may be lost.

Compared are files, not intentions: code by its syntax (skill/weakening_python.py) or its tokens, everything else
byte for byte. The one change that is recognised is the place of the staged tests in a path.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Final

from skill.loss import Kind, Loss, Moved
from skill.weakening_python import compared

SCRIPT: Final = "test.sh"  # rewritten freely; what it runs is judged by skill/check_flow.py
CODE: Final = frozenset(
    ".sh .bash .bats .js .mjs .cjs .jsx .ts .mts .cts .tsx .rs .go .c .cc .cpp .cxx .h .hh .hpp .java .kt .kts .rb .php"
    " .pl .pm .t .lua .r .R .jl .scala .swift .cs .ex .exs .hs .ml .mli .cmake .mk .gradle .awk .zig .nim .dart".split()
)
TOKEN: Final = re.compile(
    r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[A-Za-z_$][\w$]*|\d[\w.]*|/[\w./-]+|\n\s*|[ \t\r]+|.', re.DOTALL
)
ASSERTING: Final = re.compile(r"\b(?:assert\w*|expect\w*|should\w*|test|it|EXPECT_\w+|REQUIRE\w*|ASSERT_\w+|t\.\w+)\b")
# Files that steer a runner from beside the tests; the source's own are compared like all others.
STEERING: Final = frozenset(
    "conftest.py pytest.ini .pytest.ini tox.ini setup.cfg pyproject.toml sitecustomize.py usercustomize.py .coveragerc"
    " package.json .npmrc jest.config.js jest.config.ts vitest.config.ts vitest.config.js .mocharc.json .mocharc.js"
    " go.mod go.work Cargo.toml CTestTestfile.cmake GNUmakefile Makefile makefile build.gradle pom.xml .rspec".split()
)


def losses(source: Mapping[str, bytes], case: Mapping[str, bytes], staged: str = "/tests") -> Iterator[Loss]:
    """Everything that the case's tests/ lack of the source's, in the order of their paths.

    ``source`` and ``case`` are the files of tests/ by path; both test.sh are left aside.
    """
    moved = Moved(staged)
    for path in sorted(source.keys() - {SCRIPT}):
        if path not in case:
            yield Loss(Kind.FILE, path, 0, "a file of the source's tests that the case does not have")
        elif source[path] != case[path]:
            yield from _changed(path, source[path], case[path], moved)
    for path in sorted(case.keys() - source.keys()):
        if posixpath.basename(path) in STEERING:
            yield Loss(Kind.STEERING, path, 0, "steers a test runner, and the source's tests have no such file")


def _changed(path: str, before: bytes, after: bytes, moved: Moved) -> Iterator[Loss]:
    if path.endswith(".py") and (found := compared(path, before, after, moved)) is not None:
        yield from found
    elif posixpath.splitext(path)[1] in CODE or posixpath.basename(path) in ("Makefile", "GNUmakefile"):
        yield from _tokens(path, before, after, moved)
    else:
        yield Loss(Kind.DATA, path, 0, "data of the tests, and no longer the source's bytes")


def _tokens(path: str, before: bytes, after: bytes, moved: Moved) -> Iterator[Loss]:
    """The first token that differs; what follows it would be told by guesses."""
    old, new = (list(TOKEN.finditer(_text(data))) for data in (before, after))
    old, new = ([token for token in row if token[0].strip(" \t\r")] for row in (old, new))
    for index in range(max(len(old), len(new))):
        was = _plain(old[index][0]) if index < len(old) else ""
        now = _plain(new[index][0]) if index < len(new) else ""
        if not moved.allows(was, now):
            at = new[index] if index < len(new) else None
            line = _text(after)[: at.start()].count("\n") + 1 if at else _text(after).count("\n") + 1
            whole = _line_of(_text(before), old[index].start()) if index < len(old) else ""
            said = f"{_shown(was)} of the source is {_shown(now)} here"
            yield Loss(_kind(was, now, whole), path, line, said)
            return


def _plain(token: str) -> str:
    return "\n" if token.startswith("\n") else token


def _shown(token: str) -> str:
    return repr(token[:60]) if token.strip() else "the end of a line" if token else "nothing"


def _kind(was: str, now: str, line: str) -> Kind:
    if was[:1] in "\"'0123456789" and was and now[:1] in "\"'0123456789" and now:
        return Kind.EXPECTED
    return Kind.ASSERTION if ASSERTING.search(line) else Kind.CODE


def _line_of(text: str, at: int) -> str:
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    return text[start : end if end >= 0 else len(text)]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
