"""instruction.md: what is odd about it, and the one line that describes the task."""

from __future__ import annotations

import re
from typing import Final

from skill.finding import Finding
from skill.sources.harbor.notes import note

LIMIT: Final = 100
COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
FRONT_MATTER: Final = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
CANARY: Final = re.compile(r"^\s*(?:<!--|#).*canary", re.IGNORECASE | re.MULTILINE)
TAG_LINE: Final = re.compile(r"</?[A-Za-z][\w-]*(?:\s[^>]*)?/?>")
RULE: Final = re.compile(r"[-=*_#`~\s]+\Z")
MARKS: Final = re.compile(r"\A(?:#{1,6}\s+|[-*+>]\s+|\d+[.)]\s+)+")
FOLDERS: Final = re.compile(r"(?<![\w./-])/(tests|solution)(?![\w-])")


def prompt_findings(data: bytes) -> list[Finding]:
    """What a person should know about a prompt that is copied as it is."""
    found: list[Finding] = []
    path = "instruction.md"
    if data.startswith(b"\xef\xbb\xbf"):
        found.append(note("S202", path, line=1))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        text = data.decode("utf-8", "replace")
        found.append(note("S203", path, line=data.count(b"\n", 0, error.start) + 1))
    if "\0" in text:
        found.append(note("S204", path))
    if match := CANARY.search(text[:4096]):
        found.append(note("S201", path, line=text.count("\n", 0, match.end()) + 1))
    if match := FOLDERS.search(text):
        found.append(note("S205", path, match[0], line=text.count("\n", 0, match.start()) + 1))
    if text.rstrip("\n") != text.strip():
        found.append(note("S206", path))
    return found


def describe(data: bytes, fallback: str = "") -> str:
    """The first meaningful line of a prompt, else ``fallback``: one line, at most 100 characters, no controls.

    Canary lines, comments, front matter, lines of nothing but tags or rules, and heading marks are passed over.
    """
    text = data.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n").lstrip()
    text = COMMENT.sub("", FRONT_MATTER.sub("", text, count=1))
    for line in text.splitlines():
        if plain := _plain(line):
            return plain
    return _plain(fallback.strip().partition("\n")[0])


def _plain(line: str) -> str:
    stripped = line.strip()
    if RULE.match(stripped) or (stripped.startswith("#") and "canary" in stripped.lower()):
        return ""
    words = TAG_LINE.sub(" ", MARKS.sub("", stripped))
    words = "".join(char if char.isprintable() else " " for char in words)
    words = " ".join(words.split()).strip("*_` ")
    return words if len(words) <= LIMIT else words[: LIMIT - 1].rstrip() + "…"
