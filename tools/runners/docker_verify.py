"""Staging the tests of a case in a container, and running tests/test.sh there."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence

from skill.case import Case
from tools.archive import Packed, files_below
from tools.capture import log_tail, reason_in
from tools.runners import docker_trace
from tools.runners.base import Edit, StateRun, error_of, timeout_of
from tools.runners.docker_box import DockerBox


def stage_tests(box: DockerBox, case: Case, edits: Sequence[Edit] = ()) -> None:
    """Afterwards the container has the tests of ``case`` where Margin puts them, after ``edits``."""
    box.stage("tests", edited(files_below(case.root / "tests"), edits), case.test_cwd)


def verify(box: DockerBox, case: Case, done: str, traced: bool) -> StateRun:
    """How tests/test.sh, staged already, ends; ``done`` is what was done to the container before."""
    limit = timeout_of(case)
    if traced:
        docker_trace.lay(box)
    started = time.monotonic()
    ended = box.script("tests/test.sh", cwd=case.test_cwd, timeout=limit, env=docker_trace.START if traced else None)
    seconds = round(time.monotonic() - started, 3)
    reason = f"tests/test.sh ran out of its {limit} s" if ended.timed_out else reason_in(ended.output)
    detail = "; ".join(part for part in (done, reason) if part)
    place = docker_trace.place(box) if traced else ""
    tail = log_tail(ended.output)
    return StateRun(ended.exit_code, error_of(ended.exit_code), detail, tail, seconds, place=place)


def edited(files: Sequence[Packed], edits: Sequence[Edit]) -> list[Packed]:
    """``files`` after ``edits``; modes stay as they are."""
    changes = {edit.path: edit.data for edit in edits}
    kept = []
    for file in files:
        data = changes.get(file.path, file.data)
        if data is not None:
            kept.append(dataclasses.replace(file, data=data))
    return kept
