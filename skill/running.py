"""Which program a simple command starts in the end, and by which of its words it says so."""

from __future__ import annotations

import posixpath
import re
from typing import Final

from skill import bash
from skill.bash import Node

# Commands that name a test file without running it.
HANDLING: Final = frozenset(
    "[ [[ test echo printf true : cd mkdir rm cp mv ln ls cat chmod chown touch stat head tail wc sha256sum md5sum need"
    " reached infra fail pass export local declare readonly set unset dirname basename realpath readlink find trap sed"
    " awk install rsync tar type which command source . runner_works tool_starts works modules same_hash exit"
    " return".split()
)
IDLE: Final = frozenset(("--version", "-V", "--help", "-h", "py_compile"))
LISTING: Final = frozenset(("--collect-only", "--co", "--fixtures", "--markers", "--list", "--listTests", "-N", "-n"))
SHELLS: Final = ("bash", "sh", "dash")
# What starts another command, with the number of words that it takes for itself.
WRAPPERS: Final = {
    **dict.fromkeys("candidate env nice setsid stdbuf sudo time nohup command builtin exec runuser".split(), 0),
    **dict.fromkeys(("counted", "timeout", "chroot"), 1),
}
TAKING: Final = frozenset(("-k", "-s", "-u", "-n", "-g", "--signal", "--kill-after"))
INTERPRETER: Final = re.compile(r"(?:python[\d.]*|node|ruby|perl|php|bash|sh|dash)$")
MASKED: Final = re.compile(r"\|\|\s*(?:true|:|echo|printf|exit 0)|[;\n&]\s*(?:true|:|exit 0)\b")
RUNNERS: Final = (
    "pytest", "py.test", "unittest", "node --test", "jest", "vitest", "mocha", "npm test", "npm run", "yarn test",
    "pnpm test", "npx", "go test", "cargo test", "cargo nextest", "ctest", "bats", "mvn", "gradle", "gradlew", "make",
    "dotnet test", "rspec", "phpunit", "Rscript", "deno test", "bun test", "swift test", "sbt", "mix test", "tox",
)  # fmt: skip
RUNNER: Final = re.compile(r"(?<![\w/.-])(?:[\w./-]*/)?(" + "|".join(map(re.escape, RUNNERS)) + r")(?![\w./-])")


def is_running(script: bash.Script, command: Node) -> bool:
    """Whether a simple command starts a program, other than one that moves or looks at files."""
    words = unwrapped(bash.words(script, command))
    if not words or posixpath.basename(words[0]) in HANDLING:
        return False
    syntax = posixpath.basename(words[0]) in SHELLS
    listed = LISTING & set(words[1:]) and (RUNNER.search(script.text(command)) or syntax)
    return not (IDLE & set(words[1:]) or listed)


def unwrapped(words: list[str]) -> list[str]:
    """The command that ``timeout``, ``env``, ``candidate`` and their like start in the end."""
    rest = list(words)
    while rest and (name := posixpath.basename(rest[0])) in WRAPPERS:
        rest = rest[1 + WRAPPERS[name] :] if name == "counted" else rest[1:]
        while rest and (rest[0].startswith("-") or re.match(r"\w+=", rest[0])):
            rest = rest[2:] if rest[0] in TAKING else rest[1:]
        rest = rest[WRAPPERS[name] :] if name != "counted" else rest
    return rest


def acting_text(script: bash.Script, command: Node) -> str:
    """The part of a command that says what is run: an interpreter's program, not what that program is given.

    Empty for code that ends well whatever it runs.
    """
    words = unwrapped(bash.words(script, command))
    whole = whole_text(script, command)
    if not words or not INTERPRETER.match(posixpath.basename(words[0])):
        return whole
    for at, word in enumerate(words[1:], start=1):
        if word in ("-c", "-e", "-lc", "--eval", "-r"):
            code = words[at + 1] if at + 1 < len(words) else ""
            return "" if MASKED.search(code) else code
        if word in ("-m", "-", "--test") or "<<" in whole:
            return whole
        if not word.startswith("-"):
            return word
    return whole


def whole_text(script: bash.Script, command: Node) -> str:
    """The command with its redirections and here-document, as they stand in the script."""
    parent = command.parent
    if parent is not None and parent.type == "redirected_statement":
        return script.text(parent)
    return script.text(command)


def mentions(text: str, name: str) -> bool:
    """Whether ``text`` names the file, alone or at the end of a path."""
    start = text.find(name)
    while start >= 0:
        before, after = text[start - 1 : start], text[start + len(name) : start + len(name) + 1]
        if not re.match(r"[\w.-]", before or " ") and not re.match(r"[\w-]", after or " "):
            return True
        start = text.find(name, start + 1)
    return False


def reads(text: str, variable: str) -> bool:
    """Whether ``text`` expands the variable."""
    return re.search(r"\$(?:\{" + variable + r"\b|" + variable + r"\b)", text) is not None
