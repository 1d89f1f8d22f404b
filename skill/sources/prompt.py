"""A prompt: what is odd about it, and the one line that describes its task."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from skill.sources.base import SourceFile
from skill.sources.notes import Remarks

LIMIT: Final = 100
HEAD: Final = 16_384  # where a description is looked for
COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
FRONT_MATTER: Final = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
CANARY: Final = re.compile(r"^[ \t]*(?:<!--|#).*canary", re.IGNORECASE | re.MULTILINE)
EMPTY: Final = re.compile(  # rules, fences, lines of tags, a bare path, a bare canary
    r"(?:[-=*_#`~\s]*|[`~]{3}.*|(?:</?[A-Za-z][\w-]*(?:\s[^<>]*)?/?>\s*)+|/\S*|\S*canary\S* guid.*)\Z", re.IGNORECASE
)
EMPHASIS: Final = re.compile(r"\A([*_`]{1,3})([^*_`]+)\1\Z")  # around the whole line
MARKS: Final = re.compile(r"\A(?:(?:#{1,6}|[-*+>]|\d+[.)])\s+)+")
BARE_HEADING: Final = re.compile(
    r"(?:the\s+)?(?:task|instructions?|overview|description|problem|goal|objective|background|context|summary"
    r"|scenario|title)"
    r"(?:\s+(?:statement|description|overview|instructions?))?:?\Z",
    re.IGNORECASE,
)
FOLDERS: Final = re.compile(r"(?<![\w./-])/(?:tests|solution)(?![\w-])")


@dataclass
class Prompt(Remarks):
    """The prompt's file, its bytes, and what there is to say about it."""

    file: SourceFile | None = None
    data: bytes = b""


def look_at(prompt: Prompt, data: bytes, path: str) -> None:
    """Say what is odd about a prompt that stands in the file ``path``; a blank one is a refusal."""
    text = data.decode("utf-8", "replace")
    if not text.strip():
        prompt.refuse("empty-prompt", f"{path} has no text, and Margin takes no empty prompt")
        return
    if data.startswith(b"\xef\xbb\xbf"):
        prompt.note("S202", path, line=1)
    if "\ufffd" in text and (line := _first_bad_line(data)):
        prompt.note("S203", path, line=line)
    if "\0" in text:
        prompt.note("S204", path)
    if match := CANARY.search(text, 0, 4096):
        prompt.note("S201", path, line=text.count("\n", 0, match.end()) + 1)
    if match := FOLDERS.search(text):
        prompt.note("S205", path, match[0], line=text.count("\n", 0, match.start()) + 1)
    if text.rstrip("\n") != text.strip():
        prompt.note("S206", path)


def _first_bad_line(data: bytes) -> int:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return data.count(b"\n", 0, error.start) + 1
    return 0


def describe(data: bytes, fallback: str = "") -> str:
    """The first meaningful line of a prompt, else of ``fallback``: at most 100 characters, no controls.

    Passed over are canary lines, comments, front matter, lines of nothing but tags, rules, fences or a path,
    heading marks, and headings that say no more than "Task".
    """
    text = data[:HEAD].decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n").lstrip()
    if text.startswith("---\n"):
        text = FRONT_MATTER.sub("", text, count=1)
    if "<!--" in text:
        text = COMMENT.sub("", text)
    return _first_line(text) or _first_line(fallback)


def _first_line(text: str) -> str:
    bare = ""
    for line in text.split("\n"):
        if plain := _plain(line.strip()[: 20 * LIMIT]):
            if not BARE_HEADING.match(plain):
                return plain
            bare = bare or plain
    return bare


def _plain(line: str) -> str:
    if EMPTY.match(line) or (line.startswith("#") and "canary" in line.lower()):
        return ""
    words = MARKS.sub("", line)
    if not words.isprintable():
        words = "".join(char if char.isprintable() else " " for char in words)
    words = EMPHASIS.sub(r"\2", " ".join(words.split()))
    return words if len(words) <= LIMIT else words[: LIMIT - 1].rstrip() + "…"
