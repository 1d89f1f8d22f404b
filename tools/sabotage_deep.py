"""Sabotage of everything a verifier stands on, one thing at a time; the common kinds are in tools/sabotage.py."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from skill.case import Case
from skill.contract import INFRA, SOLVE_SCRIPT
from skill.evidence import SABOTAGE, Unproved
from tools.mutants import clock_of
from tools.runners.base import Box, Edit, State
from tools.sabotage import (
    CARRIERS,
    LIBRARY,
    HideTool,
    garble,
    important_asset,
    ranked_assets,
    runner_tools,
    tool_folders,
    verifier_text,
)

FILES: Final = 6  # staged files of a case
OF_A_KIND: Final = 2  # with the same suffix
TOOLS: Final = 6
OWN_TOOLS: Final = ("sha256sum", "timeout", "mktemp")  # what a generated verifier needs before anything else
STARTED: Final = frozenset("python python3 node go cargo pytest npm npx bats ruby php Rscript java gcc g++".split())
SLOW_SECONDS: Final = 6
SHORT_SECONDS: Final = 3

_NEED = re.compile(r"^\s*need ([\w .+-]+)$", re.MULTILINE)
_SLOW = """
folders=$PATH:$1; tool=$2; found=
IFS=:
for folder in $folders; do
  [ -x "$folder/$tool" ] && [ ! -d "$folder/$tool" ] && [ ! -e "$folder/$tool.swift" ] || continue
  mv -- "$folder/$tool" "$folder/$tool.swift" && found=yes
  printf '#!/bin/sh\\nsleep %s\\nexec "%s" "$@"\\n' "$3" "$folder/$tool.swift" >"$folder/$tool" &&
    chmod 755 "$folder/$tool"
done
[ -n "$found" ]
"""


@dataclass(frozen=True)
class SlowTool:
    """Make each call of a tool take a while longer."""

    tool: str
    folders: tuple[str, ...]
    seconds: int

    def __call__(self, box: Box) -> str:
        """Which tool is slow."""
        status, _ = box.shell(_SLOW, ":".join(self.folders), self.tool, str(self.seconds))
        return f"{self.tool} takes {self.seconds} s longer" if status == 0 else ""


@dataclass(frozen=True)
class Break:
    """Run one command in the container that takes something away."""

    command: str
    said: str

    def __call__(self, box: Box) -> str:
        """What was taken away."""
        status, _ = box.shell(self.command)
        return self.said if status == 0 else ""


_NO_WORK: Final = '[ -z "$(find /logs/ -type f 2>/dev/null | head -n 1)" ]'  # what lies there is the candidate's
LOG_PLACES: Final = (
    ("logs-a-file", Break(f"{_NO_WORK} && rm -rf /logs && : >/logs", "/logs is a file")),
    ("logs-read-only", Break(f"{_NO_WORK} && rm -rf /logs && ln -s /sys /logs", "/logs cannot be written")),
)


def deep_sabotages(case: Case) -> Iterator[State | Unproved]:
    """Every other staged file, every tool, the log place and the clock, each as a state or with a reason."""
    solved = case.read(SOLVE_SCRIPT) is not None
    yield from _files(case, solved)
    yield from _tools(case, solved)
    yield from _logs(case, solved)
    yield from _clock(case, solved)


def _files(case: Case, solved: bool) -> Iterator[State]:
    """Staged files missing and garbled, a few of each kind; the most important one is a state already."""
    kinds: Counter[str] = Counter()
    first = important_asset(case)
    for path in ranked_assets(case, own=True):
        kind = PurePosixPath(path).suffix
        if path in (first, LIBRARY) or kinds[kind] >= OF_A_KIND or kinds.total() >= FILES:
            continue
        kinds[kind] += 1
        data = case.read(f"tests/{path}") or b""
        yield State(f"{SABOTAGE}asset-removed {path}", INFRA, solved, (Edit(path, None),))
        yield State(f"{SABOTAGE}asset-garbled {path}", INFRA, solved, (Edit(path, garble(data)),))
    if case.tests.find(LIBRARY) is not None:
        data = case.read(f"tests/{LIBRARY}") or b""
        yield State(f"{SABOTAGE}asset-garbled {LIBRARY}", INFRA, solved, (Edit(LIBRARY, garble(data)),))


def _tools(case: Case, solved: bool) -> Iterator[State]:
    """Each tool that the verifier needs, gone."""
    own = OWN_TOOLS if case.tests.find(LIBRARY) is not None else ()
    folders = tool_folders(case)
    for tool in dict.fromkeys([*own, *_tools_of(case)[:TOOLS]]):
        absent = f"the image has no {tool}"
        yield State(
            f"{SABOTAGE}tool-missing {tool}",
            INFRA,
            solved,
            meddling=HideTool((tool,), folders),
            reason_when_absent=absent,
        )


def _tools_of(case: Case) -> list[str]:
    """The tools that the verifier calls or, where it is a generated one, looks up; no CARRIERS."""
    words = (tool for found in _NEED.findall(verifier_text(case)) for tool in found.split())
    looked_up = [tool for tool in words if tool not in CARRIERS]
    return list(dict.fromkeys([*looked_up, *runner_tools(case)]))


def _logs(case: Case, solved: bool) -> Iterator[State | Unproved]:
    """The place for logs and rewards, unusable."""
    for kind, meddling in LOG_PLACES:
        if "/logs" not in verifier_text(case) and case.tests.find(LIBRARY) is None:
            yield Unproved(SABOTAGE + kind, "the verifier writes nothing below /logs")
        else:
            absent, excuse = "the right candidate's work lies below /logs", "the verifier passes without /logs"
            yield State(SABOTAGE + kind, INFRA, solved, (), meddling, absent, excuse)


def _clock(case: Case, solved: bool) -> Iterator[State | Unproved]:
    """The time used up before the candidate's turn: from the start, and by a slow tool."""
    clock = clock_of(case)
    if clock is None:
        yield Unproved(SABOTAGE + "clock-out", "the verifier has no clock of its own that is known")
        return
    yield State(SABOTAGE + "clock-out", INFRA, solved, (clock.set_to(clock.reserve),))
    tool = next((tool for tool in _tools_of(case) if tool in STARTED), "")
    if not tool:
        yield Unproved(SABOTAGE + "tool-slow", "the verifier starts no tool before the candidate's turn")
        return
    short = clock.set_to(clock.reserve + SHORT_SECONDS)
    slow = SlowTool(tool, tool_folders(case), SLOW_SECONDS)
    yield State(f"{SABOTAGE}tool-slow {tool}", INFRA, solved, (short,), slow, f"the image has no {tool}")
