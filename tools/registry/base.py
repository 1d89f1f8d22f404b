"""What a registry says about one image: found, missing, or unknown, which are three different things."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

INDEX_TYPES: Final = (
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
)
MANIFEST_TYPES: Final = (
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.v2+json",
)
MAX_MANIFEST: Final = 4 << 20  # what registries themselves accept


class NotFound(Exception):
    """The registry answered that there is no such image."""


class NoAnswer(Exception):
    """Nobody could say: no connection, no permission, too many requests, an answer that cannot be trusted."""


class Broken(NoAnswer):
    """The connection failed; the next one may not."""


@dataclass(frozen=True)
class Reply:
    """One answer of a registry, redirects followed."""

    status: int
    headers: Mapping[str, str]  # names in lower case
    body: bytes


@dataclass(frozen=True)
class Manifest:
    """A manifest or an index whose bytes have the digest they are known by."""

    digest: str
    media_type: str
    table: Mapping[str, Any]

    @property
    def is_index(self) -> bool:
        """Whether it only lists the manifests of several platforms."""
        return self.media_type in INDEX_TYPES

    def rows(self) -> list[Mapping[str, Any]]:
        """The manifests that an index lists, without attestations."""
        listed = self.table.get("manifests")
        rows = [row for row in listed if isinstance(row, dict)] if isinstance(listed, list) else []
        return [row for row in rows if platform_of(row.get("platform")) != "unknown/unknown"]

    @property
    def size(self) -> int:
        """The bytes of a manifest's layers as they are pulled."""
        layers = self.table.get("layers")
        rows = [row for row in layers if isinstance(row, dict)] if isinstance(layers, list) else []
        return sum(int(row.get("size", 0)) for row in rows if isinstance(row.get("size", 0), int))


@dataclass(frozen=True)
class Terms:
    """What this machine adds to registries: mirrors of Docker Hub, and hosts whose certificates are not checked."""

    mirrors: tuple[str, ...] = ()
    insecure: frozenset[str] = field(default_factory=frozenset)


def platform_of(table: object) -> str:
    """``os/architecture`` or ``os/architecture/variant`` of a platform object or an image's config."""
    if not isinstance(table, dict):
        return ""
    parts = [str(table.get("os", "")), str(table.get("architecture", "")), str(table.get("variant", ""))]
    return "/".join(parts).rstrip("/")


def runs_on(offered: str, wanted: str) -> bool:
    """Whether an image for ``offered`` is one for ``wanted``; a variant that is not asked for does not count."""
    return offered == wanted or offered.startswith(f"{wanted}/")
