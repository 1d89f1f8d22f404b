"""The reward files of a source's framework, as text in an imagined run."""

from __future__ import annotations

import json
import posixpath
import re

from skill.bash import Node
from skill.verifier.machine import Machine, Unknown

FOLDER = "/logs/verifier"
FILES = (f"{FOLDER}/reward.json", f"{FOLDER}/reward.txt")  # in the order in which Harbor looks
NAMED = re.compile(r"reward\.(?:txt|json)$")


def target(path: str) -> str | None:
    """The reward file that a redirection to ``path`` writes, None when it is another file."""
    clean = posixpath.normpath(path)
    if clean in FILES:
        return clean
    if NAMED.search(clean):
        raise Unknown(f"a reward at {path}")
    return None


def touched(machine: Machine, name: str, arguments: list[Node]) -> None:
    """Account for ``cp``, ``mv``, ``rm``, ``tee`` and ``touch``, which change a reward file without a redirection."""
    if name not in ("cp", "mv", "rm", "tee", "touch"):
        return
    for argument in arguments:
        try:
            path = posixpath.normpath(machine.value(argument))
        except Unknown:
            if name != "rm" or "reward" in machine.script.text(argument).lower():
                raise
            continue
        if name == "rm" and path in FILES:
            machine.rewards.pop(path, None)
        elif path.startswith("/logs") or NAMED.search(path):
            raise Unknown(f"{name} on the place of the reward")


def reward(machine: Machine) -> float | None:
    """The reward that Harbor would read, None when there is none, -1 when it is no single number."""
    for path in FILES:
        if path in machine.rewards:
            return _number(machine.rewards[path], path)
    return None


def _number(text: str, path: str) -> float:
    try:
        if path.endswith(".txt"):
            return float(text)
        table = json.loads(text)
    except ValueError:
        return -1.0
    values = list(table.values()) if isinstance(table, dict) else []
    return float(values[0]) if len(values) == 1 and isinstance(values[0], int | float) else -1.0
