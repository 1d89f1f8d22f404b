"""Containers started while the verifier before them still runs, and removed while the next one does.

Each is used once. What a state costs beside its verifier is mostly the engine's, and a machine has more cores
than one verifier uses.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass

from tools.errors import EngineFailed
from tools.runners.docker_box import DockerBox


@dataclass(frozen=True)
class Start:
    """What a container starts from: an image, and whether the tests are staged in it already."""

    image: str
    staged: bool = False


class Ahead:
    """Started containers, each for one user; safe to use from several threads."""

    def __init__(self, make: Callable[[Start], DockerBox]) -> None:
        """``make`` starts a container."""
        self._make = make
        self._lock = threading.Lock()
        self._spares: list[tuple[Start, Future[DockerBox]]] = []
        self._threads: list[threading.Thread] = []

    def begin(self, start: Start) -> None:
        """Have a container started for somebody who will ask for it."""
        spare: Future[DockerBox] = Future()
        with self._lock:
            self._spares.append((start, spare))
        self._aside(lambda: self._fill(start, spare))

    @contextlib.contextmanager
    def box(self, start: Start) -> Iterator[DockerBox]:
        """A started container that nobody has used; removed by and by. Raises what starting it raised."""
        spare = self._taken(start)
        box = spare.result() if spare else self._make(start)
        try:
            yield box
        finally:
            self._aside(lambda: _remove(box))

    def close(self) -> None:
        """Afterwards no container is left of all those that were asked for or begun, as far as the engine obeys."""
        with self._lock:
            spares, self._spares = self._spares, []
        for _, spare in spares:
            with contextlib.suppress(Exception):
                box = spare.result()
                self._aside(lambda box=box: _remove(box))  # type: ignore[misc]
        for thread in self._threads:
            thread.join()
        self._threads.clear()

    def _taken(self, start: Start) -> Future[DockerBox] | None:
        """The oldest spare that starts so, which is then its user's."""
        with self._lock:
            at = next((at for at, (known, _) in enumerate(self._spares) if known == start), None)
            return None if at is None else self._spares.pop(at)[1]

    def _fill(self, start: Start, spare: Future[DockerBox]) -> None:
        try:
            spare.set_result(self._make(start))
        except BaseException as error:
            spare.set_exception(error)

    def _aside(self, work: Callable[[], None]) -> None:
        """Have ``work`` done by a thread that ``close`` waits for, and an interrupted process does not."""
        thread = threading.Thread(target=work, daemon=True)
        with self._lock:
            self._threads = [other for other in self._threads if other.is_alive() or not other.ident]
            self._threads.append(thread)
        thread.start()


def _remove(box: DockerBox) -> None:
    """What the engine keeps all the same has the run's label."""
    with contextlib.suppress(EngineFailed):
        box.__exit__()
