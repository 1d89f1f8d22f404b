"""What an ENTRYPOINT does before it hands over: Margin replaces it, so whatever it starts never runs."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Sequence
from typing import Final

SHELLS: Final = frozenset({"sh", "bash", "ash", "dash", "zsh"})
INITS: Final = frozenset({"tini", "dumb-init", "docker-init", "catatonit", "env", "sudo"})
IDLE: Final = re.compile(r"(?:exec\s+)?(?:sleep\s+\S+|tail\s+-f\s+/dev/null|(?:/bin/)?(?:ba)?sh)\Z")
HARMLESS: Final = re.compile(
    r"(?:set\s+-\S+(?:\s+pipefail)?|echo\s[^&|<>$`]*|:"
    r"|(?:sudo\s+)?(?:mkdir|chmod|chown)\s[^&|;<>]*/logs\S*(?:\s[^&|;]*)?(?:\s*\|\|\s*true)?"
    r"|fi|set\s+--\s[^&|;<>`]*)\Z"
)
TEST: Final = re.compile(r"\[\s[^\]]*\]")
ONLY_TESTS: Final = re.compile(r"if\s[TE\s|&!{};]+\sthen\Z")
PASS_ON: Final = re.compile(r'exec\s+(?:\S*tini\s+(?:-\S+\s+)*)?"?\$@"?\Z')
STARTS: Final = re.compile(
    r"[^&]&\s*\Z|\b(?:service|systemctl|supervisord|nohup|rc-service|pg_ctl|mongod|redis-server|mysqld\w*|dockerd|sshd|"
    r"nginx|apachectl|cron|rabbitmq-server|postgres)\b|/etc/init\.d/"
)
MAX_SCRIPT: Final = 4096

ReadScript = Callable[[str], str | None]


def started_by(entrypoint: Sequence[str], read: ReadScript) -> str:
    """What an entrypoint would start; empty when it only hands over (a shell, an init, a script that execs "$@").

    ``read`` gives the text of a program of the image that is a script, None for all else.
    """
    words = _without_init(list(entrypoint))
    if not words:
        return ""
    program, arguments = posixpath.basename(words[0]), words[1:]
    if program in SHELLS:
        rest = [word for word in arguments if not word.startswith("-")]
        if rest and any("c" in word for word in arguments if word.startswith("-")):
            return _of_lines(re.split(r"[;\n]|&&", rest[0]))
        words = rest
    if not words or IDLE.match(" ".join(words)):
        return ""
    script = read(words[0])
    return " ".join(words) if script is None or len(script) > MAX_SCRIPT else _of_lines(script.splitlines())


def _without_init(words: list[str]) -> list[str]:
    """The command behind init programs and their options."""
    words = [word for word in words if word and word != "--"]
    while words and posixpath.basename(words[0]) in INITS:
        words = words[1:]
        while words and words[0].startswith("-"):
            words = words[1:]
    return words


def _of_lines(lines: Sequence[str]) -> str:
    """What a script starts: a line that says so, else the first that is not known to be harmless."""
    code = [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]
    if not code:
        return "nothing, and ends"
    if not (PASS_ON.match(code[-1]) or IDLE.match(code[-1])):
        return next((line for line in code if STARTS.search(line)), code[-1])
    odd = [line for line in code[:-1] if not HARMLESS.match(line) and not _only_asks(line)]
    return next((line for line in odd if STARTS.search(line)), next(iter(odd), ""))


def _only_asks(line: str) -> bool:
    """Whether a line is an ``if`` of nothing but tests, as in the scripts of official images."""
    asked = TEST.sub("TE", line)
    return ONLY_TESTS.match(asked) is not None and not re.search(r"(?<![&])&(?!&)", asked)
