"""The reference solution: solution.sh, or a script of what solution.yaml types where that is the same thing.

solution.yaml is a list of keystrokes for a terminal. They make a script only where each is a whole command that the
harness waits for, and none talks to a program that is still running.
"""

from __future__ import annotations

import re
from typing import Any, Final

from skill import bash
from skill.sources.base import SourceFile
from skill.sources.files import Entries, Part, read_bytes, single_file

SCRIPT: Final = "solution.sh"
KEYSTROKES: Final = "solution.yaml"
KEYS: Final = re.compile(
    r"(?:[CMS]-\S|Enter|Escape|B?Tab|BSpace|Space|Up|Down|Left|Right|Home|End|Pg(?:Up|Dn)|Page(?:Up|Down)|F\d+)\Z"
)
EDITORS: Final = frozenset(("vi", "vim", "nvim", "nano", "emacs", "less", "man", "ssh", "tmux", "screen"))
QUICK: Final = frozenset("cd export echo printf mkdir touch cp mv rm chmod cat ls sed source . true".split())
INTERACTIVE: Final = frozenset(
    "vi vim nvim view nano emacs ed less more man top htop tmux screen ssh telnet ftp gdb python python3 ipython node"
    " irb ghci psql mysql sqlite3 bash sh zsh watch".split()
)
ENDING: Final = frozenset(("exit", "exec", "logout", "return"))


def read_solution(root: str, entries: Entries) -> Part:
    """The solution as a part with the one file solve.sh, or an empty one with the reason."""
    if SCRIPT in entries:
        file, part = single_file(root, entries, SCRIPT)
        if file is not None:
            part.files = [SourceFile("solve.sh", file.host, file.size, file.mode, file.link, origin=SCRIPT)]
        return part
    file, part = single_file(root, entries, KEYSTROKES)
    data = read_bytes(file, part) if file else None
    part.files = []
    if file is None or data is None:
        return part
    script = as_script(data)
    if isinstance(script, str):
        part.note("S607", KEYSTROKES, script)
        return part
    part.note("S608", KEYSTROKES)
    part.files = [
        SourceFile("solve.sh", file.host, len(script), 0o755, data=script, origin=KEYSTROKES, by="keystrokes")
    ]
    return part


def as_script(data: bytes) -> bytes | str:
    """The keystrokes of ``data`` as one script, or why they make none. Never raises."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        listed = yaml.load(data, Loader=loader)  # a safe loader: plain values only
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        return f"it cannot be read: {' '.join(str(error).split())[:100]}"
    if not isinstance(listed, list) or not listed:
        return "it is no list of commands"
    lines = ["#!/bin/bash", "# the commands that solution.yaml types, one after the other"]
    for number, item in enumerate(listed, start=1):
        if reason := _unfit(item):
            return f"command {number} {reason}"
        lines.append(str(item["command"]).rstrip("\n"))
    return ("\n".join(lines) + "\n").encode()


def _unfit(item: Any) -> str:
    """Why a command cannot be a line of a script, empty when it can."""
    command = item.get("command") if isinstance(item, dict) else None
    if not isinstance(command, str) or not command.strip():
        return "is no text"
    if not item.get("append_enter", True):
        return "is not ended with Enter"
    if KEYS.match(command.strip()):
        return f"is the key {command.strip()}"
    script = bash.parse(command.encode())
    if script.broken:
        return "is no whole command of a shell"
    for node in bash.commands(script.root):
        name, words = bash.name(script, node), bash.words(script, node)
        if name in ENDING:
            return f"ends the shell ({name})"
        if name in INTERACTIVE and all(word.startswith("-") and word not in ("-c", "-m", "-e") for word in words[1:]):
            return f"starts a program that reads what is typed ({name})"
        if name in EDITORS:
            return f"starts a program that reads what is typed ({name})"
        if name not in QUICK and not item.get("block", False):
            return f"is not waited for ({name})"  # what is typed next may be read by it
    return ""
