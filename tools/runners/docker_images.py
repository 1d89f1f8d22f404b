"""The images of a run: each is built once, shared by the cases that need it, and bounded in number.

Their names are a run's own, so that no other process uses what is removed here. Equal contexts of two processes
share their layers in the engine all the same.
"""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tools.errors import BuildFailed
from tools.runners.docker_engine import image_id, remove_image, unshared

if TYPE_CHECKING:
    from docker import APIClient


@dataclass
class _Slot:
    """One image: its name, who uses it, and what became of its build."""

    name: str
    lock: threading.Lock = field(default_factory=threading.Lock)
    users: int = 0
    failure: BuildFailed | None = None
    built: bool = False


class Shelf:
    """Images by what they are made of; of those that nobody uses, the oldest go when there are too many."""

    def __init__(self, client: APIClient, keep: int) -> None:
        self._client = client
        self._keep = keep
        self._lock = threading.Lock()
        self._slots: OrderedDict[str, _Slot] = OrderedDict()

    @contextlib.contextmanager
    def borrowed(self, content: str, build: Callable[[str], object]) -> Iterator[str]:
        """The image of ``content``, made by ``build`` under the name it is given unless that is there already.

        A context that does not build is not tried twice. Raises what ``build`` raises.
        """
        with self._lock:
            slot = self._slots.setdefault(content, _Slot(unshared(content)))
            self._slots.move_to_end(content)
            slot.users += 1
        try:
            with slot.lock:
                self._ensure(slot, build)
            yield slot.name
        finally:
            with self._lock:
                slot.users -= 1
            self._trim(self._keep)

    def _ensure(self, slot: _Slot, build: Callable[[str], object]) -> None:
        """Build an image once in this run, and again if somebody took it away; concurrent users share the outcome."""
        if slot.failure is not None:
            raise slot.failure
        if slot.built and image_id(self._client, slot.name) is not None:
            return
        try:
            build(slot.name)
        except BuildFailed as error:
            slot.failure = error
            raise
        slot.built = True

    def _trim(self, keep: int) -> None:
        """Remove the longest unused of our images until no more than ``keep`` are left."""
        with self._lock:
            idle = [content for content, slot in self._slots.items() if slot.built and not slot.users]
            surplus = idle[: max(len(idle) - keep, 0)]
            for content in surplus:
                remove_image(self._client, self._slots.pop(content).name)

    def clear(self) -> None:
        """Remove every image that nobody uses; those in use go with their last user."""
        self._keep = 0
        self._trim(0)
