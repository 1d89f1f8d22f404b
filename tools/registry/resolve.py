"""Image names resolved to digests: each distinct name once, from whoever knows, with the reason where nobody does."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from skill.image_ref import ImageRef, read_image_ref
from skill.pins import (
    DEFAULT_PLATFORM,
    MISSING,
    NO_PLATFORM,
    UNKNOWN,
    Pin,
    Resolution,
    Unpinned,
    already_pinned,
)
from tools.pool import ordered
from tools.registry.base import Manifest, NoAnswer, NotFound, platform_of, runs_on
from tools.registry.client import RegistryClient

JOBS: Final = 8

EngineDigest = Callable[[ImageRef], str]


def _no_engine(_: ImageRef) -> str:
    return ""


@dataclass
class Resolver:
    """Answers by pins, registry and engine, in this order."""

    registry: RegistryClient
    platform: str = DEFAULT_PLATFORM
    pins: Mapping[str, str] = field(default_factory=dict)
    engine: EngineDigest = _no_engine  # the digest that a local image was pulled by, empty for none

    def resolve(self, names: Collection[str], stopped: Callable[[], bool] = lambda: False) -> Iterator[Resolution]:
        """What each distinct name stands for, in sorted order; ends early once ``stopped``."""
        return ordered(self.one, sorted(set(names)), JOBS, stopped)

    def one(self, name: str) -> Resolution:
        """What one name stands for."""
        if settled := already_pinned(name):
            return settled
        if pinned := self.pins.get(name):
            return Pin(name, pinned, "pins")
        ref = read_image_ref(name)
        assert ref is not None, "already_pinned has settled all that is no name"
        try:
            return self._from_registry(name, ref)
        except NotFound as error:
            return Unpinned(name, MISSING, f"{ref.host} {error}: {name}")
        except NoAnswer as error:
            if digest := self.engine(ref):
                return Pin(name, ref.pinned(digest), "engine")
            return Unpinned(name, UNKNOWN, f"{name}: {ref.host} {error}")

    def _from_registry(self, name: str, ref: ImageRef) -> Resolution:
        manifest = self.registry.manifest(ref)
        offered = self._platforms(ref, manifest)
        if not any(runs_on(platform, self.platform) for platform in offered):
            there = ", ".join(sorted(set(offered))[:6]) or "nothing that runs"
            return Unpinned(name, NO_PLATFORM, f"{name} is not there for {self.platform}, only for {there}")
        return Pin(name, ref.pinned(manifest.digest), "registry")

    def _platforms(self, ref: ImageRef, manifest: Manifest) -> list[str]:
        """What the image runs on: as the index lists, or as the only configuration says."""
        if manifest.is_index:
            return [platform_of(row.get("platform")) for row in manifest.rows()]
        return [platform_of(self.registry.config(ref, manifest))]
