"""Wrong candidates made from the right one: each operator breaks one changed file in one way.

An operator is a function from a changed file to one wrong version of it (or none) and a row of ``OPERATORS``; one
that changes a text at one place is a row of ``PLACES`` and is asked for several places. The digest of the content
makes the choice, so that the same work gives the same mutants.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from skill.runnable import CRASH, HANG, Program, instead
from skill.sites import line_at, one_of, own_lines, replaced, site
from skill.work import Changed, Form

_NUMBER: Final = re.compile(rb"(?<![\w.])\d+(?![\w.])|(?<=\d\.)\d+(?![\w.])")
_WORD: Final = re.compile(rb"[A-Za-z]{3,}")
_SWAPS: Final = {
    b"<=": b"<", b">=": b">", b"==": b"!=", b"!=": b"==", b" < ": b" >= ", b" > ": b" <= ",
    b" and ": b" or ", b" or ": b" and ", b"&&": b"||", b"||": b"&&",
    b" + ": b" - ", b" - ": b" + ", b" * ": b" + ", b" % ": b" * ", b"+=": b"-=", b"-=": b"+=",
    b"true": b"false", b"false": b"true", b"True": b"False", b"False": b"True",
    b" -lt ": b" -ge ", b" -gt ": b" -le ", b" -eq ": b" -ne ", b" -ne ": b" -eq ",
}  # fmt: skip
_OPERATOR: Final = re.compile(b"|".join(re.escape(text) for text in sorted(_SWAPS, key=len, reverse=True)))


@dataclass(frozen=True)
class Mutant:
    """One wrong version of one changed file."""

    kind: str
    path: str
    description: str
    form: Form  # GONE: the file is removed
    data: bytes = b""
    mode: int = 0o644
    owner: tuple[int, int] = (0, 0)

    @property
    def digest(self) -> str:
        """The hex sha256 of what the mutant leaves at its path."""
        return hashlib.sha256(f"{self.form}\0{self.mode:o}\0".encode() + self.data).hexdigest()


Version = tuple[str, bytes] | None  # what was done, and the content that it leaves
Operator = Callable[[Changed], Version]
PlaceOperator = Callable[[Changed, str], Version]  # the text chooses the place, together with the content


def number(file: Changed, salt: str) -> Version:
    """One number is one higher, or a digit lower where it ends in 9: the width stays."""
    found = site(file, _NUMBER, salt)
    if found is None:
        return None
    old = found[0]
    last = old[-1:]
    return replaced(file.data, found, old[:-1] + (b"8" if last == b"9" else bytes([last[0] + 1])))


def operator(file: Changed, salt: str) -> Version:
    """One comparison, connective, sign or truth value is its opposite or neighbour."""
    found = site(file, _OPERATOR, salt)
    return replaced(file.data, found, _SWAPS[found[0]]) if found else None


def word(file: Changed, salt: str) -> Version:
    """One word has two letters changed."""
    found = site(file, _WORD, salt)
    if found is None:
        return None
    old = found[0]
    new = bytes(_next_letter(byte) if at in (len(old) // 2, len(old) - 1) else byte for at, byte in enumerate(old))
    return replaced(file.data, found, new)


def line(file: Changed, salt: str) -> Version:
    """One line is left out."""
    places = own_lines(file)
    if len(places) < 2:
        return None
    start, end = one_of(places, file.data, salt)
    return f"line {line_at(file.data, start)} left out", file.data[:start] + file.data[end:]


def undone(file: Changed) -> Version:
    """The file is as it was before the work."""
    return None if file.before is None else ("as it was before", file.before)


def emptied(file: Changed) -> Version:
    """The file is there and empty."""
    return "nothing left in it", b""


def truncated(file: Changed) -> Version:
    """The second half is missing."""
    half = len(file.data) // 2
    return (f"cut off after byte {half}", file.data[:half]) if half else None


def garbled(file: Changed) -> Version:
    """Bytes of the same length that are no text, no archive and no program."""
    return "every byte changed", bytes(byte ^ 0xA5 for byte in file.data)


def crashes(file: Changed) -> Version:
    """A program that dies by a signal as soon as it is run or loaded."""
    return _program(file, CRASH, "dies by a signal")


def hangs(file: Changed) -> Version:
    """A program that never comes back once it is run or loaded."""
    return _program(file, HANG, "never comes back")


PLACES: Final[tuple[tuple[str, PlaceOperator], ...]] = (
    ("number", number),
    ("operator", operator),
    ("word", word),
    ("line", line),
)
TURNS: Final = ("", "-2", "-3")  # places of one kind in one file
OPERATORS: Final[tuple[tuple[str, Operator], ...]] = (
    ("undone", undone),
    ("emptied", emptied),
    ("truncated", truncated),
    ("garbled", garbled),
    ("crashes", crashes),
    ("hangs", hangs),
)
SPECIAL: Final = (
    ("fifo", Form.FIFO, "a FIFO that nobody writes to"),
    ("folder", Form.FOLDER, "a folder"),
    ("device", Form.DEVICE, "a device that is always empty"),  # no endless one: a reader would eat the host's memory
)
ONCE: Final = frozenset({"hangs", "fifo"})  # kinds that may cost the verifier's whole clock: one for each case
_ORDER: Final = (
    *("removed", "number", "operator", "undone", "word", "line", "emptied", "fifo", "crashes", "hangs"),
    *("folder", "truncated", "mode", "device", "garbled", "dangling"),
    *(kind + turn for turn in TURNS[1:] for kind, _ in PLACES),
)


def mutants_of(file: Changed) -> Iterator[Mutant]:
    """Every mutant of one changed file, each different from the right version."""
    if file.form is Form.FILE:
        seen = {file.data}
        for kind, made in _versions(file):
            if made is not None and made[1] not in seen:
                seen.add(made[1])
                yield Mutant(kind, file.path, made[0], Form.FILE, made[1], file.mode, file.owner)
        for kind, form, what in SPECIAL:
            yield Mutant(kind, file.path, f"is {what}", form, b"", file.mode, file.owner)
        if file.mode & 0o111:
            mode = file.mode & ~0o111
            yield Mutant("mode", file.path, "not executable", Form.FILE, file.data, mode, file.owner)
    if file.form is Form.LINK:
        yield Mutant("dangling", file.path, "points nowhere", Form.LINK, b"/nowhere/at-all")
    if file.form is Form.GONE:
        if file.before is not None:
            yield Mutant("undone", file.path, "is back", Form.FILE, file.before, file.mode, file.owner)
    else:
        yield Mutant("removed", file.path, "is not there", Form.GONE)


def _versions(file: Changed) -> Iterator[tuple[str, Version]]:
    """Each kind with its wrong version of a regular file."""
    for kind, change in OPERATORS:
        yield kind, change(file)
    for turn in TURNS:
        for kind, change_at in PLACES:
            yield kind + turn, change_at(file, kind + turn)


def chosen(files: Sequence[Changed], limit: int) -> list[Mutant]:
    """At most ``limit`` mutants of ``files``, spread over kinds and files, the weightiest files first.

    In each round every kind takes one file that it has not had, the one with the fewest mutants so far.
    """
    by_kind: dict[str, list[Mutant]] = {kind: [] for kind in _ORDER}
    for file in files:
        for mutant in mutants_of(file):
            by_kind[mutant.kind].append(mutant)
    taken: list[Mutant] = []
    counts = Counter[str]()
    while len(taken) < limit and any(by_kind.values()):
        for kind, left in by_kind.items():
            if left and len(taken) < limit:
                mutant = min(left, key=lambda one: counts[one.path])
                left.remove(mutant)
                if kind in ONCE:
                    left.clear()
                counts[mutant.path] += 1
                taken.append(mutant)
    return taken


def _program(file: Changed, program: Program, what: str) -> Version:
    """The file as a program of its own language that does one thing; None where it is nothing that runs."""
    data = instead(file.path, file.data, file.mode, program)
    return None if data is None else (f"a program that {what}", data)


def _next_letter(byte: int) -> int:
    """The next letter of the alphabet, in the same case."""
    return byte - 25 if byte in b"zZ" else byte + 1
