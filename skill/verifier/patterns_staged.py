"""Hardening of what is staged: nobody else is there, and nobody touches it while the candidate is judged."""

from __future__ import annotations

import re
from typing import Final

from skill.verifier.situation import Addition, Situation, pattern

PLACE: Final = r"(?:/tests\b|\$\{?(?:TEST_DIR|TESTS_DIR|TESTS_ROOT|HARBOR_TESTS_DIR|TEST_ROOT|SCRIPT_DIR|HERE|DIR)\b)"
IN_TESTS: Final = re.compile(rf"[\"']?{PLACE}")

_WRITES_PYTHON: Final = re.compile(
    rf"(?:rmtree|unlink|remove|rename|move|replace|write_text|write_bytes|symlink)\w*\(.*{PLACE}"
    rf"|open\([^)]*{PLACE}[^)]*[\"'][wa]|{PLACE}[^\n]*\.(?:unlink|rename|write_text|write_bytes)\("
)
_TOUCHES: Final = frozenset(("chmod", "chown", "chgrp", "touch", "setfacl", "ln", "dos2unix"))
_TOUCHES_PYTHON: Final = re.compile(r"\b(?:chmod|chown|utime|link_to|hardlink_to|copystat|compileall)\b")
_SERVICE: Final = re.compile(
    r"localhost|127\.0\.0\.1|0\.0\.0\.0|\b(?:ports?|servers?|services?|daemons?|sockets?|listen\w*|pids?|pgrep|psutil|nohup|"
    r"cron\w*|background|workers?|nginx|redis|postgres\w*|mysql\w*|systemctl|supervisord?|tmux|watch(?:er|dog))\b"
)


@pattern("alone")
def alone(situation: Situation) -> Addition | None:
    """What the candidate left running is ended before the tests begin.

    Stops processes that plant files again and again. Only where neither prompt nor tests speak of anything that runs.
    """
    spoken = any(_SERVICE.search(text.lower()) for text in (situation.given.prompt, situation.text))
    return None if spoken or situation.given.pre_verify else Addition(first=("alone",))


@pattern("intact")
def intact(situation: Situation) -> Addition | None:
    """The staged files are compared once more after the candidate ran, with hashes that the shell holds.

    Stops code that rewrites the tests while it is being judged. Only where the source's own scripts leave them alone.
    """
    if _WRITES_PYTHON.search(situation.text) or any(_writes_tests(*command) for command in situation.commands):
        return None
    return Addition(after=("intact",))


@pattern("sealed")
def sealed(situation: Situation) -> Addition | None:
    """When each staged piece of code was last changed is noted before the candidate runs and compared afterwards.

    Stops code that rewrites a test which is yet to run and puts it back before anybody looks. The time is the one
    that no program can set. Only where the source's own scripts change neither staged files nor what is said of them.
    """
    touches = any(name in _TOUCHES for name, _ in situation.commands) or _TOUCHES_PYTHON.search(situation.text)
    if touches or intact(situation) is None:
        return None
    return Addition(before=("seal",), after=("unbroken",))


def _writes_tests(name: str, words: list[str]) -> bool:
    """Whether a command may change or remove a staged file."""
    there = [word for word in words[1:] if IN_TESTS.match(word)]
    if name == "cd":
        return bool(there)
    if name in ("cp", "install", "ln", "rsync"):
        return bool(there) and words[-1] == there[-1]
    if name == "sed":
        return bool(there) and any(word.startswith("-i") for word in words)
    return bool(there) and name in ("mv", "rm", "tee", "patch", "truncate", "unzip", "tar", "dd", "shred")
