"""What images say: from the cache, from the engine, else from the registry that has their configuration."""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from skill.image_facts import ImageFacts, from_config
from skill.image_ref import ImageRef, read_image_ref
from skill.pins import DEFAULT_PLATFORM
from tools.errors import EngineFailed, RunnerError, WorkspaceError
from tools.facts_cache import FactsCache, cache_folder
from tools.registry.base import NoAnswer, NotFound, Terms, platform_of, runs_on
from tools.registry.client import RegistryClient
from tools.runners.docker_engine import connect
from tools.runners.docker_facts import configured, looked_into, pulled_digest, terms_of

if TYPE_CHECKING:
    from docker import APIClient


@dataclass
class Looker:
    """Looks into images; asks nothing that the cache knows."""

    cache: FactsCache
    run_id: str
    engine: APIClient | None = None  # None: no engine answers
    registry: RegistryClient | None = None  # None: nobody is asked over the network
    platform: str = DEFAULT_PLATFORM

    @property
    def terms(self) -> Terms:
        """What the engine's settings say about registries."""
        return Terms() if self.engine is None else terms_of(self.engine)

    def pulled_digest(self, ref: ImageRef) -> str:
        """The digest by which the engine has pulled ``ref``, empty when it has not."""
        if self.engine is None:
            return ""
        with contextlib.suppress(EngineFailed):
            return pulled_digest(self.engine, ref, self.platform)
        return ""

    def configured(self, name: str, *, near: bool = False) -> ImageFacts | None:
        """What an image's configuration says; None when neither the engine nor, unless ``near``, a registry has it."""
        with contextlib.suppress(EngineFailed):
            if self.engine is not None and (facts := configured(self.engine, name)):
                return facts
        ref = read_image_ref(name)
        if near or self.registry is None or ref is None:
            return None
        try:
            return self._from_registry(self.registry, name, ref)
        except (NotFound, NoAnswer):
            return None

    def looked_into(self, name: str, paths: Collection[str], *, near: bool = False) -> ImageFacts | None:
        """The same, with the programs and ``paths`` of an image that the engine has."""
        facts = self.configured(name, near=near)
        if facts is None:
            return None
        known = self.cache.get(name, facts.digest)
        if known is not None and known.programs is not None and known.paths.keys() >= set(paths):
            return known
        return self._looked(known or facts, sorted(set(paths)))

    def _looked(self, facts: ImageFacts, paths: list[str]) -> ImageFacts:
        if self.engine is None:
            return facts
        try:
            facts = looked_into(self.engine, facts, paths, self.run_id)
        except EngineFailed:  # the image came from the registry, or the engine is gone: its configuration stands
            return facts
        with contextlib.suppress(WorkspaceError):
            self.cache.put(facts)
        return facts

    def _from_registry(self, registry: RegistryClient, name: str, ref: ImageRef) -> ImageFacts | None:
        """The configuration of the image for the platform wanted."""
        manifest = registry.manifest(ref)
        if manifest.is_index:
            row = next((row for row in manifest.rows() if runs_on(platform_of(row.get("platform")), self.platform)), {})
            child = read_image_ref(f"{ref.written}@{row.get('digest', '')}")
            if child is None:
                return None
            manifest = registry.manifest(child)
        table = registry.config(ref, manifest)
        config = table.get("config")
        digest = str(manifest.table["config"]["digest"])
        return from_config(name, digest, platform_of(table), config if isinstance(config, dict) else {})


def open_looker(platform: str, run_id: str) -> Looker:
    """A looker with the user's cache, and the engine where one answers."""
    looker = Looker(FactsCache(cache_folder()), run_id, platform=platform)
    with contextlib.suppress(RunnerError):
        looker.engine = connect()
    return looker
