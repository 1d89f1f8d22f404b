"""Many units of work, one after the other or in worker processes, with the results in order.

Only values pass between units, a bounded number is under way at a time, and a unit can be run twice.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import TypeVar

from agent.errors import Infrastructure

T = TypeVar("T")
R = TypeVar("R")
CHUNK = 8  # units handed over at a time
PULSE = 0.2  # seconds between two looks at whether the parent is alive
BIG = 64  # from this many units on, starting processes pays


def default_jobs(units: int) -> int:
    """One process for a small set, one for each usable core for a big one."""
    return (
        1 if units < BIG else len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )


def ordered(
    function: Callable[[T], R], units: Iterable[T], jobs: int, stopped: Callable[[], bool]
) -> Generator[R, None, None]:
    """``function`` of each unit, in the order of ``units``; ends early once ``stopped`` says so.

    Raises what ``function`` raised, and Infrastructure when a worker process died.
    """
    if jobs <= 1:
        for unit in units:
            if stopped():
                return
            yield function(unit)
        return
    with ProcessPoolExecutor(jobs, initializer=_start, initargs=(os.getpid(),)) as executor:
        try:
            yield from _windowed(executor, function, iter(units), 4 * jobs, stopped)
        except BrokenProcessPool as error:
            raise Infrastructure("a worker process died (out of memory?); try again with --jobs 1") from error
        finally:
            executor.shutdown(wait=True, cancel_futures=True)


def _windowed(
    executor: ProcessPoolExecutor,
    function: Callable[[T], R],
    units: Iterator[T],
    window: int,
    stopped: Callable[[], bool],
) -> Iterator[R]:
    pending: deque[Future[list[R]]] = deque()
    while True:
        while len(pending) < window and not stopped() and (chunk := list(islice(units, CHUNK))):
            pending.append(executor.submit(_each, function, chunk))
        if not pending:
            return
        yield from pending.popleft().result()


def _each(function: Callable[[T], R], chunk: list[T]) -> list[R]:
    return [function(unit) for unit in chunk]


def _start(parent: int) -> None:
    """Make a worker leave Ctrl-C, which the terminal sends to the whole group, to its parent, and die with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_die_with, args=(parent,), daemon=True).start()


def _die_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(PULSE)
    os._exit(1)
