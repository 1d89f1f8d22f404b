"""Names of images, read as Docker reads them: a registry, a repository in it, and a tag or a digest."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import Final

HUB: Final = "docker.io"
HUB_NAMES: Final = (HUB, "index.docker.io", "registry-1.docker.io")
LATEST: Final = "latest"
MAX_NAME: Final = 255

_HOST = re.compile(
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9-]+)*|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?\Z"
)
_PATH = re.compile(r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*\Z")
_TAG = re.compile(r"\w[\w.-]{0,127}\Z", re.ASCII)
_DIGEST = re.compile(r"sha256:[a-f0-9]{64}\Z")


@dataclass(frozen=True)
class ImageRef:
    """One image's full name; at least one of ``tag`` and ``digest`` is there."""

    written: str  # as the source has it, without tag and digest
    host: str  # "docker.io" where none is written
    repository: str  # "library/python" for "python"
    tag: str  # empty when only a digest is written
    digest: str  # "sha256:..." or empty

    @property
    def asked(self) -> str:
        """What a registry is asked for: the digest, which says more than the tag, or the tag."""
        return self.digest or self.tag

    @property
    def name(self) -> str:
        """The name without its digest."""
        return f"{self.written}:{self.tag}" if self.tag else self.written

    def __str__(self) -> str:
        return self.name + (f"@{self.digest}" if self.digest else "")

    def pinned(self, digest: str) -> str:
        """The name that goes into a suite: readers still see the tag, engines take the digest."""
        return f"{self.name}@{digest}"


def read_image_ref(text: str) -> ImageRef | None:
    """The name in ``text``, None when no engine would take it (a bare image id is no name)."""
    rest, at, digest = text.strip().partition("@")
    if (at and not _DIGEST.match(digest)) or _DIGEST.match(rest) or rest.endswith(":"):
        return None
    path, colon, tag = rest.rpartition(":")
    if not colon or "/" in tag:
        path, tag = rest, ""
    host, repository = _split(path)
    tag = tag if tag or digest else LATEST
    if not (_HOST.match(host) and _PATH.match(repository) and len(path) <= MAX_NAME) or (tag and not _TAG.match(tag)):
        return None
    return ImageRef(path, host, repository, tag, digest)


def is_loopback(host: str) -> bool:
    """Whether a registry's ``host[:port]`` is this machine."""
    name = host[1 : host.index("]")] if host.startswith("[") and "]" in host else host.partition(":")[0]
    if name.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _split(path: str) -> tuple[str, str]:
    """Registry and repository: the first part is a registry when it cannot be part of a repository's name."""
    first, slash, rest = path.partition("/")
    if slash and (set(first) & {".", ":"} or first == "localhost"):
        host, repository = first, rest
    else:
        host, repository = HUB, path
    if host in HUB_NAMES:
        return HUB, repository if "/" in repository else f"library/{repository}"
    return host, repository
