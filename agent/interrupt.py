"""Ctrl-C: the first asks for a stop after the step under way, the second stops at once."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType


class Stop:
    """A wish to stop that loops ask for; SIGINT and SIGTERM make it."""

    def __init__(self) -> None:
        self._wished = threading.Event()

    def __call__(self) -> bool:
        """Whether somebody wished for it."""
        return self._wished.is_set()

    def wish(self) -> None:
        """Ask for a stop at the next safe point."""
        self._wished.set()


@contextlib.contextmanager
def stop_on_signal(stop: Stop | None = None) -> Iterator[Stop]:
    """A `Stop`, or the one given, that the first SIGINT or SIGTERM wishes for; the next raises KeyboardInterrupt."""
    stop = stop or Stop()

    def handle(_number: int, _frame: FrameType | None) -> None:
        if stop():
            raise KeyboardInterrupt
        stop.wish()

    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
