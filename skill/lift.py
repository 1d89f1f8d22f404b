"""An accepted rewrite of one case as an edit over its shape, applied by program to any other case of it."""

from __future__ import annotations

import difflib
import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from skill.odd_shape import OddShape

SOURCE_SCRIPT: Final = "source-test.sh"
CONTEXTS: Final = (2, 1, 0)  # lines around a change by which its place is found, most of them first
LIMIT: Final = r"(?:timeout|sleep|-k|--timeout|--kill-after)[ =](?:-\S+ \S+ )?"  # a number after it is a time
TELLING: Final = 5  # letters of a name that may not be left over


@dataclass(frozen=True)
class Misfit:
    """Why an edit does not fit a case."""

    reason: str


class Hunk(NamedTuple):
    """A change of one place: ``before`` becomes ``after``."""

    before: str
    after: str


@dataclass(frozen=True)
class Edit:
    """What a session made of one case, in terms that hold for all cases of the shape."""

    shape: OddShape  # with the values of the case that it was made on
    body: str  # of test.sh, below its head
    added: Mapping[str, str]  # files of its own, by path below tests/
    origins: Mapping[str, bytes]  # changed files of the source as they were, its test.sh as source-test.sh
    results: Mapping[str, bytes]  # and as they are


def edit_of(shape: OddShape, body: bytes, origins: Mapping[str, bytes], written: Mapping[str, bytes]) -> Edit:
    """The edit that turns ``origins`` (the source's tests, test.sh as source-test.sh) into ``written``."""
    changed = {path: data for path, data in written.items() if path in origins and origins[path] != data}
    added = {path: _text(data) for path, data in written.items() if path not in origins}
    return Edit(
        shape,
        _text(body),
        added,
        {path: origins[path] for path in changed},
        changed,
    )


class Lifted(NamedTuple):
    """The edit in one case's own terms."""

    body: bytes
    files: Mapping[str, bytes]


def lifted(edit: Edit, shape: OddShape, files: Mapping[str, bytes]) -> Lifted | Misfit:
    """``edit`` for the case with ``shape`` and ``files`` (as `edit_of` takes them), or why it does not fit."""
    if shape.digest != edit.shape.digest:
        return Misfit("its verifier has another shape")
    names = Renaming.between(edit.shape.values, shape.values)
    result: dict[str, bytes] = {}
    body = names.applied(edit.body, "test.sh")
    if isinstance(body, Misfit):
        return body
    for path, text in edit.added.items():
        if path in files:
            return Misfit(f"the source has a file tests/{path} of its own")
        renamed = names.applied(text, path)
        if isinstance(renamed, Misfit):
            return renamed
        result[path] = _data(renamed)
    for path in edit.origins:
        made = _changed(edit, path, names, files)
        if isinstance(made, Misfit):
            return made
        result[made[0]] = made[1]
    return Lifted(_data(body), result)


def _changed(edit: Edit, path: str, names: Renaming, files: Mapping[str, bytes]) -> tuple[str, bytes] | Misfit:
    """A file that the source has: verbatim where its bytes are equal, else by anchored replacements."""
    target = names.applied(path, path)
    if isinstance(target, Misfit) or target not in files:
        return Misfit(f"it has no tests/{path} to change")
    if files[target] == edit.origins[path]:
        return target, edit.results[path]
    misfit = Misfit("")
    for context in CONTEXTS:
        text = _anchored(_text(files[target]), _hunks(edit, path, context), names, target)
        if isinstance(text, str):
            return target, _data(text)
        misfit = text
    return misfit


def _anchored(text: str, hunks: Iterable[Hunk], names: Renaming, path: str) -> str | Misfit:
    for hunk in hunks:
        before, after = names.applied(hunk.before, path), names.applied(hunk.after, path)
        if isinstance(before, Misfit):
            return before
        if isinstance(after, Misfit):
            return after
        if not before or text.count(before) != 1:
            return Misfit(f"{path}: {text.count(before) if before else 'no'} places for the change of {before[:60]!r}")
        text = text.replace(before, after)
    return text


@dataclass(frozen=True)
class Renaming:
    """Which word of one case stands where another case has which."""

    targets: Mapping[str, frozenset[str]]

    @staticmethod
    def between(old: Iterable[str], new: Iterable[str]) -> Renaming:
        """The renaming that turns the values of one case into those of another."""
        targets: defaultdict[str, set[str]] = defaultdict(set)
        for was, now in zip(old, new, strict=True):
            targets[was].add(now)
            for short_was, short_now in zip(_shorter(was), _shorter(now), strict=True):
                if short_was != was:
                    targets[short_was].add(short_now)
        return Renaming({was: frozenset(now) for was, now in targets.items() if was})

    def applied(self, text: str, path: str) -> str | Misfit:
        """``text`` in the other case's words; a Misfit where a word has two meanings or is left over."""
        moving = {was for was, now in self.targets.items() if now != {was}}
        found = {match[0] for match in self._pattern(moving).finditer(text)} if moving else set()
        for word in sorted(found):
            if len(self.targets[word]) > 1:
                return Misfit(f"{path}: {word[:60]!r} stands for {len(self.targets[word])} different things here")
            if re.fullmatch(r"[\d.]+", word) and re.search(LIMIT + _alone(word), text):
                return Misfit(f"{path}: {word} is a limit of its own, or the source's value: nobody can tell")
        if not found:
            return text if not moving else self._whole(text, moving, path)
        result = self._pattern(moving).sub(lambda match: next(iter(self.targets[match[0]])), text)
        return self._whole(result, moving, path)

    def _whole(self, text: str, moving: Iterable[str], path: str) -> str | Misfit:
        """``text``, unless a name of the first case is still a part of some word in it."""
        arrived = {now for was in moving for now in self.targets[was]}
        for was in moving:
            telling = len(was) >= TELLING and re.search(r"[A-Za-z]", was) and "\n" not in was
            if telling and was in text and not any(was in now for now in arrived):
                return Misfit(f"{path}: {was[:60]!r} is a name of the case that it was written for")
        return text

    @staticmethod
    def _pattern(words: Iterable[str]) -> re.Pattern[str]:
        ordered = sorted(words, key=lambda word: (-len(word), word))
        return re.compile("|".join(_alone(word) for word in ordered))


def _alone(word: str) -> str:
    """A pattern for ``word`` that is not a part of a longer one."""
    return (r"(?<![\w}-])" if word[0] > " " else "") + re.escape(word) + (r"(?![\w-])" if word[-1] > " " else "")


def _shorter(value: str) -> tuple[str, str]:
    """A path's last part, and that without its ending: how else a script may name the same file."""
    if "\n" in value or not re.search(r"[A-Za-z]", value):
        return value, value
    name = posixpath.basename(value)
    stem = name.split(".")[0]
    return name, stem if re.search(r"\w[_-]\w", stem) else name


def _hunks(edit: Edit, path: str, context: int) -> Iterable[Hunk]:
    """The changes of a file, each with the lines around it."""
    old, new = (_text(side[path]).splitlines(keepends=True) for side in (edit.origins, edit.results))
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for group in matcher.get_grouped_opcodes(context):
        yield Hunk("".join(old[group[0][1] : group[-1][2]]), "".join(new[group[0][3] : group[-1][4]]))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _data(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
