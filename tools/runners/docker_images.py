"""The images of a run: each is built once, shared by the cases that need it, and bounded in number."""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tools.errors import RunnerError
from tools.runners.docker_engine import image_id, remove_image

if TYPE_CHECKING:
    from docker import APIClient


@dataclass
class _Slot:
    """One image: who uses it, and what became of its build."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    users: int = 0
    failure: RunnerError | None = None
    built: bool = False  # by this run, so that this run removes it


class Shelf:
    """Images by name; of those that this run built and nobody uses, the oldest go when there are too many."""

    def __init__(self, client: APIClient, keep: int) -> None:
        self._client = client
        self._keep = keep
        self._lock = threading.Lock()
        self._slots: OrderedDict[str, _Slot] = OrderedDict()

    @contextlib.contextmanager
    def borrowed(self, name: str, build: Callable[[], object]) -> Iterator[str]:
        """The image ``name``, built unless it is there; a failed build is not tried twice.

        Raises what ``build`` raises.
        """
        with self._lock:
            slot = self._slots.setdefault(name, _Slot())
            self._slots.move_to_end(name)
            slot.users += 1
        try:
            with slot.lock:
                self._ensure(name, slot, build)
            yield name
        finally:
            with self._lock:
                slot.users -= 1
            self._trim(self._keep)

    def _ensure(self, name: str, slot: _Slot, build: Callable[[], object]) -> None:
        """Build ``name`` at most once in this run; concurrent users share the outcome."""
        if slot.failure is not None:
            raise slot.failure
        if image_id(self._client, name) is not None:
            return
        try:
            build()
        except RunnerError as error:
            slot.failure = error
            raise
        slot.built = True

    def _trim(self, keep: int) -> None:
        """Remove the longest unused of our images until no more than ``keep`` are left."""
        with self._lock:
            idle = [name for name, slot in self._slots.items() if slot.built and not slot.users]
            surplus = idle[: max(len(idle) - keep, 0)]
            for name in surplus:
                del self._slots[name]
                remove_image(self._client, name)

    def clear(self) -> None:
        """Remove every image that this run built and nobody uses."""
        self._trim(0)
