"""A Dockerfile beside the files it is built from: its entrypoint's script, and what its COPY lines name."""

from __future__ import annotations

import fnmatch
import posixpath
import re
from typing import Final

from skill.dockerfile import Dockerfile
from skill.sources.harbor.files import Part

SHELLS: Final = frozenset({"sh", "bash", "ash", "dash", "zsh"})
INITS: Final = frozenset({"tini", "dumb-init", "docker-init", "catatonit", "env", "sudo"})
IDLE: Final = re.compile(r"(?:exec\s+)?(?:sleep\s+\S+|tail\s+-f\s+/dev/null|(?:/bin/)?(?:ba)?sh)\Z")
HARMLESS: Final = re.compile(
    r"(?:set\s+-\S+(?:\s+pipefail)?|echo\s[^&|<>$`]*|:"
    r"|(?:sudo\s+)?(?:mkdir|chmod|chown)\s[^&|;<>]*/logs\S*(?:\s[^&|;]*)?(?:\s*\|\|\s*true)?)\Z"
)
PASS_ON: Final = re.compile(r'exec\s+(?:\S*tini\s+(?:-\S+\s+)*)?"?\$@"?\Z')
LEAKS: Final = frozenset({"solution", "oracle"})
MAX_SCRIPT: Final = 4096


def passes_on(entrypoint: tuple[str, ...], environment: Part) -> bool:
    """Whether an entrypoint only hands over: a shell, an init, or a script that is but an exec "$@"."""
    words = [word for word in entrypoint if word and word != "--"]
    while words and posixpath.basename(words[0]) in INITS:
        words = words[1:]
        while words and words[0].startswith("-"):
            words = words[1:]
    if not words:
        return True
    program, arguments = posixpath.basename(words[0]), words[1:]
    if program in SHELLS:
        options = [word for word in arguments if word.startswith("-")]
        rest = [word for word in arguments if not word.startswith("-")]
        if any("c" in option for option in options) and rest:
            return _only_passes_on(re.split(r"[;\n]|&&", rest[0]))
        words = rest
    return not words or IDLE.match(" ".join(words)) is not None or _script_passes_on(words[0], environment)


def _script_passes_on(program: str, environment: Part) -> bool:
    name = posixpath.basename(program)
    file = next((file for file in environment.files if posixpath.basename(file.path) == name), None)
    if file is None or file.size > MAX_SCRIPT:
        return False
    try:
        return _only_passes_on(file.host.read_text("utf-8", "replace").splitlines())
    except OSError:
        return False


def _only_passes_on(lines: list[str]) -> bool:
    code = [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]
    if not code or not all(HARMLESS.match(line) for line in code[:-1]):
        return False
    return PASS_ON.match(code[-1]) is not None or IDLE.match(code[-1]) is not None


def leaked_solutions(facts: Dockerfile) -> list[str]:
    """Sources of COPY lines that lie in a folder called like the reference solution's."""
    sources = (source for copy in facts.copies for source in copy.sources)
    return [source for source in sources if source.lstrip("./").partition("/")[0] in LEAKS]


def missing_sources(facts: Dockerfile, environment: Part) -> list[str]:
    """Sources of COPY and ADD lines that nothing in environment/ answers to, as Docker looks for them."""
    wanted = {source for copy in facts.copies for source in copy.sources}
    if not wanted:
        return []
    there = {file.path for file in environment.files} | set(environment.empty_dirs)
    there |= {parent for path in there for parent in _parents(path)}
    return sorted(source for source in wanted if not _is_there(source, there))


def _parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _is_there(source: str, there: set[str]) -> bool:
    if "$" in source or "://" in source or source.startswith("git@"):
        return True
    path = posixpath.normpath(f"/{source}").strip("/")
    if not path or path in there:
        return True
    return any(mark in path for mark in "*?[") and any(fnmatch.fnmatchcase(name, path) for name in there)
