"""Programs that do one thing, in the language of the file whose place they take.

A language is a row: how its files are known, and a text for each thing. What is compiled with other files gets
the text appended, so that it still builds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Program(StrEnum):
    """What a program does."""

    HANG = "hang"
    CRASH = "crash"
    EXIT = "exit"  # ends the process at once with status 0


HANG, CRASH, EXIT = Program.HANG, Program.CRASH, Program.EXIT


@dataclass(frozen=True)
class Language:
    """How files of a language are known, and its programs."""

    suffixes: tuple[str, ...]
    interpreter: str  # a pattern for the interpreter line of files without a suffix; empty: none
    texts: Mapping[Program, str]
    appended: bool = False


_C_START: Final = "__attribute__((constructor)) static void suite_start(void) {{ {0} }}\n"
_C_EXIT: Final = '#ifdef __cplusplus\nextern "C"\n#endif\nvoid _exit(int);\n'

LANGUAGES: Final = (
    Language(
        (".py",),
        r"python",
        {
            HANG: "import time\nwhile True:\n    time.sleep(1)\n",
            CRASH: "import os\nos.kill(os.getpid(), 11)\n",
            EXIT: "import os\nos._exit(0)\n",
        },
    ),
    Language(
        (".sh", ".bash"),
        r"/(?:ba|da|z|k)?sh\b",
        {HANG: "while :; do sleep 1; done\n", CRASH: "kill -SEGV $$\n", EXIT: "exit 0\n"},
    ),
    Language(
        (".js", ".mjs", ".cjs", ".ts", ".mts", ".jsx", ".tsx"),
        r"\b(?:node|bun|deno)\b",
        {
            HANG: "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);\n",
            CRASH: 'process.kill(process.pid, "SIGSEGV");\n',
            EXIT: "process.exit(0);\n",
        },
    ),
    Language((".rb",), r"\bruby", {HANG: "sleep\n", CRASH: 'Process.kill("SEGV", $$)\n', EXIT: "exit!(0)\n"}),
    Language((".pl", ".pm"), r"\bperl", {HANG: "sleep 1 while 1;\n", CRASH: "kill 11, $$;\n", EXIT: "exit 0;\n"}),
    Language((".R", ".r"), r"\bRscript", {HANG: "repeat Sys.sleep(1)\n", EXIT: "quit(status = 0)\n"}),
    Language(
        (".c", ".cc", ".cpp", ".cxx"),
        "",
        {
            HANG: _C_START.format("for (;;) {}"),
            CRASH: _C_START.format("__builtin_trap();"),
            EXIT: _C_EXIT + _C_START.format("_exit(0);"),
        },
        appended=True,
    ),
    Language(
        (".go",),
        "",
        {HANG: "\nfunc init() {\n\tfor {\n\t}\n}\n", CRASH: '\nfunc init() {\n\tpanic("crash")\n}\n'},
        appended=True,
    ),
)
_SHELL: Final = LANGUAGES[1]
_FIRST_LINE: Final = re.compile(rb"#!([^\n]*)\n?")


def instead(path: str, data: bytes, mode: int, program: Program) -> bytes | None:
    """The bytes that do ``program`` in the place of a file; None for what is neither run nor loaded.

    An executable without a known language becomes a shell script.
    """
    first = _FIRST_LINE.match(data)
    language = _language(path, first.group(1).decode("utf-8", "replace") if first else "")
    if language is None and mode & 0o111:
        language = _SHELL
        first = _FIRST_LINE.match(b"#!/bin/sh\n")
    text = language.texts.get(program) if language else None
    if language is None or text is None:
        return None
    head = data.rstrip(b"\n") + b"\n" if language.appended else first.group() if first else b""
    return head + text.encode()


def _language(path: str, interpreter: str) -> Language | None:
    """The language of a file, by its suffix or its interpreter line."""
    for language in LANGUAGES:
        if path.endswith(language.suffixes):
            return language
        if interpreter and language.interpreter and re.search(language.interpreter, interpreter):
            return language
    return None
