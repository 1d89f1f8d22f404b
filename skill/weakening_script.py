"""What a case's own scripts no longer run of the source's check, and where they may pass without it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

from skill import bash
from skill.check_flow import Flow
from skill.checks import SOURCE_SCRIPT, Checks, bare, checks_of, narrowing
from skill.loss import Kind, Loss
from skill.own_words import rewired
from skill.running import MASKED, mentions
from skill.skeleton import body_of

SCRIPT: Final = "test.sh"
SHELL: Final = (".sh", ".bash")
WORD: Final = re.compile(r"\w{2,}")
OWN_FOLDER: Final = ".verdict/"


def script_losses(source: Mapping[str, bytes], case: Mapping[str, bytes]) -> Iterator[Loss]:
    """What the scripts of the case leave out; ``source`` and ``case`` are the files of tests/ by path."""
    if SCRIPT in source and SCRIPT in case:
        yield from _Scripts(source, case).losses()


@dataclass(frozen=True, eq=False)
class _Scripts:
    source: Mapping[str, bytes]
    case: Mapping[str, bytes]

    @cached_property
    def wanted(self) -> Checks:
        """What the source's script runs."""
        return checks_of(self.source[SCRIPT], self.source)

    @cached_property
    def own(self) -> Mapping[str, bytes]:
        """The files that the case has beside the source's, its library left aside."""
        return {
            path: data
            for path, data in self.case.items()
            if path not in self.source and not path.startswith(OWN_FOLDER)
        }

    @cached_property
    def reached(self) -> Mapping[str, bytes]:
        """test.sh and every file of the case's own that it runs, directly or through another."""
        found, pending = {SCRIPT: self.case[SCRIPT]}, [SCRIPT]
        while pending:
            path = pending.pop()
            ran = self._run_by(path)
            for other in self.own.keys() - found.keys():
                if posixpath.basename(other) in ran:
                    found[other] = self.own[other]
                    pending.append(other)
        return found

    def _run_by(self, path: str) -> frozenset[str]:
        """Base names that the file runs: a shell script by its commands, any other file by what it names."""
        data = self.case[path]
        if path == SCRIPT or path.endswith(SHELL) or data.startswith((b"#!/bin/bash", b"#!/bin/sh")):
            checks = checks_of(data, self.case)
            return checks.files | (checks.brought if checks.runners else frozenset()) | _sourced(data)
        text = data.decode("utf-8", "replace")
        names = {posixpath.basename(name) for name in self.case}
        return frozenset(name for name in names if mentions(text, name))

    @cached_property
    def ran(self) -> frozenset[str]:
        """Base names of all files that are run in the end."""
        return frozenset().union(*(self._run_by(path) for path in self.reached))

    @cached_property
    def text(self) -> str:
        """All that is reached, as one text."""
        return "\n".join(data.decode("utf-8", "replace") for data in self.reached.values())

    @cached_property
    def runners(self) -> frozenset[str]:
        """Runners without a file that are reached."""
        return frozenset().union(*(checks_of(data, self.case).runners for data in self.reached.values()))

    @cached_property
    def anchors(self) -> frozenset[str]:
        """What a command of test.sh names when it runs the check, or a file that carries it."""
        direct = self.wanted.files | self.wanted.runners
        if not direct and not self.wanted.documents and not self.wanted.values:
            return frozenset((SOURCE_SCRIPT,))
        found = set(direct)
        for _ in self.reached:
            found |= {
                posixpath.basename(path) for path in self.reached if path != SCRIPT and self._carries(path, found)
            }
        return frozenset(found)

    def _carries(self, path: str, anchors: set[str]) -> bool:
        text = self.reached[path].decode("utf-8", "replace")
        parts = (*map(bare, self.wanted.documents), *self.wanted.values)
        return any(mentions(text, anchor) for anchor in anchors) or any(part in bare(text) for part in parts)

    def losses(self) -> Iterator[Loss]:
        for name in sorted(self.wanted.files - self.ran):
            yield self._unrun(f"{name} is run by the source's test.sh and no longer by this one")
        for name in sorted(self.wanted.brought):
            if not mentions(self.text, name):
                yield self._unrun(f"{name} is used by the source's test.sh and no longer by this one")
        if self.wanted.runners and not self.runners and not self.ran & self.wanted.brought:
            yield self._unrun(f"the source's test.sh calls {', '.join(sorted(self.wanted.runners))}, this one does not")
        text = bare(self.text)
        for document in self.wanted.documents:
            if bare(document) not in text:
                yield self._unrun(f"the here-document that begins with {document.split(chr(10))[0][:60]!r} is gone")
        for value in self.wanted.values:
            words = WORD.findall(value) or [bare(value)]  # a pattern may be written in another way
            if not all(word in text for word in words):
                yield Loss(Kind.EXPECTED, SCRIPT, 0, f"the source compares with {value[:60]!r}, this script does not")
        yield from self._narrowed()
        yield from self._rewired()
        yield from self._early()

    def _narrowed(self) -> Iterator[Loss]:
        shell = {path: data for path, data in self.reached.items() if path == SCRIPT or path.endswith(SHELL)}
        known = frozenset().union(*(narrowing(data) for path, data in self.source.items() if path.endswith(SHELL)))
        for path, data in shell.items():
            for option in sorted(narrowing(data) - known):
                yield Loss(
                    Kind.NARROWED, path, 0, f"{option} leaves tests out, and the source's script does not say it"
                )

    def _rewired(self) -> Iterator[Loss]:
        body = body_of(self.case[SCRIPT])
        first = self.case[SCRIPT].partition(body)[0].count(b"\n") if body else 0
        scripts = {path: data for path, data in self.own.items() if path.endswith(SHELL) and path != SOURCE_SCRIPT}
        for path, data in ((SCRIPT, body or b""), *scripts.items()):
            for place in rewired(data):
                line = place.line + (first if path == SCRIPT else 0)
                yield Loss(Kind.REWIRED, path, line, place.message)

    def _early(self) -> Iterator[Loss]:
        for place in self._flow(self.case[SCRIPT], self.anchors, rewards=False).early_passes():
            said = "whatever the source's check said" if place.ran else "before the source's check ran"
            yield Loss(Kind.EARLY, SCRIPT, place.line, f"{place.text!r} may give a pass {said}")
        inner = self.reached.get(SOURCE_SCRIPT, self.source[SCRIPT])
        if inner != self.source[SCRIPT]:
            yield from self._inner(inner)

    def _inner(self, data: bytes) -> Iterator[Loss]:
        """Rewards that a changed copy of the source's script may write, and the source's own may not."""
        anchors = self.wanted.files | self.wanted.runners
        before, after = (
            [place.text for place in self._flow(script, anchors, rewards=True).early_passes()]
            for script in (self.source[SCRIPT], data)
        )
        for text in after[len(before) :]:
            yield Loss(Kind.EARLY, SOURCE_SCRIPT, 0, f"{text!r} may be reached whatever the check said")
        if len(MASKED.findall(data.decode("utf-8", "replace"))) > len(MASKED.findall(self._source_text)):
            yield Loss(Kind.EARLY, SOURCE_SCRIPT, 0, "a status is made to be 0 that is not in the source's script")

    @property
    def _source_text(self) -> str:
        return self.source[SCRIPT].decode("utf-8", "replace")

    def _flow(self, data: bytes, anchors: frozenset[str], *, rewards: bool) -> Flow:
        wanted = self.wanted
        return Flow(
            bash.parse(data), anchors, wanted.documents, wanted.values, self.own, given=wanted.given, rewards=rewards
        )

    def _unrun(self, message: str) -> Loss:
        return Loss(Kind.UNRUN, SCRIPT, 0, message)


@lru_cache(maxsize=256)
def _sourced(data: bytes) -> frozenset[str]:
    """Base names of what the script sources."""
    script = bash.parse(data)
    words = [bash.words(script, node) for node in bash.commands(script.root)]
    return frozenset(posixpath.basename(line[1]) for line in words if line[:1] in (["."], ["source"]) and len(line) > 1)
