"""What a person sees while something runs: one live line on a terminal, plain lines elsewhere.

Progress goes to stderr, results to stdout. All dataset text is made plain before it is shown.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import TextIO

from agent.text import plain

Advance = Callable[[str], None]
REDRAW = 0.1  # seconds between two pictures of the bar
EVERY = 100  # without a terminal, one line for so many steps


class Console:
    """Where progress and results are written; ``quiet`` leaves out the progress."""

    def __init__(self, *, quiet: bool = False, out: TextIO | None = None, err: TextIO | None = None) -> None:
        self.quiet = quiet
        self._out = out or sys.stdout
        self._err = err or sys.stderr
        self._live: Callable[[str], None] | None = None

    def result(self, text: str) -> None:
        """One line (or a finished text of several) of the result."""
        print(text, file=self._out, flush=True)

    def note(self, text: str) -> None:
        """One line of progress."""
        if not self.quiet:
            self._write(plain(text))

    def problem(self, text: str) -> None:
        """One line that is shown even when quiet."""
        self._write(plain(text))

    @contextlib.contextmanager
    def progress(self, what: str, total: int) -> Iterator[Advance]:
        """Call the value given with the name of each thing done."""
        if self.quiet or not total:
            yield lambda _name: None
        elif self._err.isatty() and os.environ.get("TERM", "dumb") != "dumb":
            with self._bar(what, total) as advance:
                yield advance
        else:
            yield self._counter(what, total)

    def _counter(self, what: str, total: int) -> Advance:
        done = 0

        def advance(_name: str) -> None:
            nonlocal done
            done += 1
            if done == total or done % EVERY == 0:
                self._write(f"{what} {done}/{total}")

        return advance

    @contextlib.contextmanager
    def _bar(self, what: str, total: int) -> Iterator[Advance]:
        from rich.console import Console as Terminal
        from rich.markup import escape
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[name]}"),
        )
        terminal = Terminal(file=self._err)
        # no refresh thread: worker processes are forked while the bar is up
        with Progress(*columns, console=terminal, transient=True, auto_refresh=False) as progress:
            bar = progress.add_task(escape(what), total=total, name="")
            self._live = lambda text: progress.console.print(escape(text), highlight=False, soft_wrap=True)
            drawn = time.monotonic()

            def advance(name: str) -> None:
                nonlocal drawn
                progress.update(bar, advance=1, name=escape(plain(name)[:60]))
                if time.monotonic() - drawn > REDRAW:
                    progress.refresh()
                    drawn = time.monotonic()

            try:
                yield advance
            finally:
                self._live = None

    def _write(self, text: str) -> None:
        if self._live:
            self._live(text)
        else:
            print(text, file=self._err, flush=True)
