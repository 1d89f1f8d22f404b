"""Looking into an image through the engine: its configuration, and single folders of a container never started."""

from __future__ import annotations

import contextlib
import io
import posixpath
import tarfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import IO, TYPE_CHECKING, Any, Final, cast

from skill.image_facts import ImageFacts, There, from_config
from skill.image_ref import ImageRef, read_image_ref
from skill.pins import DEFAULT_PLATFORM
from tools.errors import EngineFailed
from tools.registry.base import Terms
from tools.runners.docker_engine import container_labels, remove_container, translated

if TYPE_CHECKING:
    from docker import APIClient

DEFAULT_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
MAX_LISTED: Final = 2 << 30  # bytes read to list one folder: the engine sends its files as well
MAX_SCRIPT: Final = 1 << 16
MAX_LINKS: Final = 4
FOLDER_BIT: Final = 1 << 31  # Go's file modes
PIECE: Final = 1 << 20


def terms_of(client: APIClient) -> Terms:
    """What the engine's settings say about registries."""
    with translated("ask for the engine's settings"):
        table: Any = client.info().get("RegistryConfig") or {}
    hosts = table.get("IndexConfigs") or {}
    insecure = frozenset(name for name, row in hosts.items() if row.get("Secure") is False)
    return Terms(tuple(str(url) for url in table.get("Mirrors") or ()), insecure)


def pulled_digest(client: APIClient, ref: ImageRef, platform: str = DEFAULT_PLATFORM) -> str:
    """The digest by which the local image of that name was pulled or pushed; empty when there is none."""
    table = _inspected(client, str(ref))
    if table is None or not platform.startswith(_platform(table)):
        return ""
    for name in table.get("RepoDigests") or ():
        found = read_image_ref(name)
        if found and (found.host, found.repository) == (ref.host, ref.repository):
            return found.digest
    return ""


def configured(client: APIClient, name: str) -> ImageFacts | None:
    """What the configuration of the local image ``name`` says; None when it is not here."""
    table = _inspected(client, name)
    if table is None:
        return None
    return from_config(name, str(table["Id"]), _platform(table), table.get("Config") or {})


def looked_into(client: APIClient, facts: ImageFacts, paths: Sequence[str], run_id: str) -> ImageFacts:
    """``facts`` with the programs of PATH, what stands at ``paths``, and the entrypoint's script.

    Raises EngineFailed when the image cannot be looked into.
    """
    with translated(f"create a container of {facts.name}"):
        made = client.create_container(
            facts.digest, command=["true"], labels=container_labels(run_id), network_disabled=True
        )
    container = str(made["Id"])
    try:
        folders = [path for path in facts.env.get("PATH", DEFAULT_PATH).split(":") if path.startswith("/")]
        listed = {path: _names(client, container, path) for path in dict.fromkeys(folders)}
        programs = frozenset(name for names in listed.values() for name in names)
        there = {path: _there(client, container, path) for path in paths}
        script = _script(client, container, facts, listed)
        return replace(facts, programs=programs, paths={**facts.paths, **there}, script=script)
    finally:
        remove_container(client, container)


def _inspected(client: APIClient, name: str) -> dict[str, Any] | None:
    from docker.errors import ImageNotFound

    with translated(f"inspect image {name}"):
        try:
            return dict(cast(Any, client).inspect_image(name))
        except ImageNotFound:
            return None


def _platform(table: dict[str, Any]) -> str:
    return f"{table.get('Os') or 'linux'}/{table.get('Architecture') or 'amd64'}"


def _there(client: APIClient, container: str, path: str) -> There:
    """What stands at ``path``."""
    with _archive(client, container, path) as found:
        if found is None:
            return There.NOTHING
        stat, stream = found
        if not stat["mode"] & FOLDER_BIT:
            return There.FILE
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            archive.next()
            return There.FOLDER if archive.next() is not None else There.EMPTY


def _names(client: APIClient, container: str, folder: str) -> frozenset[str]:
    """What lies directly in ``folder``; empty when it is none."""
    with _archive(client, container, folder) as found:
        if found is None:
            return frozenset()
        stat, stream = found
        if not stat["mode"] & FOLDER_BIT:
            return frozenset()
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            names = (member.name.rstrip("/").split("/") for member in archive if not member.isdir())
            return frozenset(parts[1] for parts in names if len(parts) == 2)


def _script(client: APIClient, container: str, facts: ImageFacts, listed: dict[str, frozenset[str]]) -> str | None:
    """The text of the program that the entrypoint starts, None when it is no small script."""
    for word in facts.entrypoint:
        name = posixpath.basename(word)
        places = [word] if word.startswith("/") else [f"{path}/{name}" for path in listed if name in listed[path]]
        text = _text(client, container, places[0]) if places else None
        if text is not None:
            return text
    return None


def _text(client: APIClient, container: str, path: str) -> str | None:
    with _archive(client, container, path) as found:
        if found is None or found[0]["size"] > MAX_SCRIPT or found[0]["mode"] & FOLDER_BIT:
            return None
        with tarfile.open(fileobj=found[1], mode="r|") as archive:
            member = archive.next()
            stream = archive.extractfile(member) if member else None
            data = stream.read(MAX_SCRIPT) if stream else b""
    return data.decode("utf-8", "replace") if data.startswith(b"#!") else None


@contextlib.contextmanager
def _archive(client: APIClient, container: str, path: str) -> Iterator[tuple[dict[str, Any], IO[bytes]] | None]:
    """The status of what is at ``path`` and the archive of it, links followed; None when nothing is there."""
    from docker.errors import NotFound

    with translated(f"list {path}"):
        for _ in range(MAX_LINKS):
            try:
                pieces, stat = client.get_archive(container, path, chunk_size=PIECE)
            except NotFound:
                break
            path = str(stat.get("linkTarget") or "")
            if not path:
                try:
                    yield stat, io.BufferedReader(_Pieces(pieces), PIECE)
                except tarfile.TarError as error:
                    raise EngineFailed("docker", f"{stat['name']} cannot be listed: {error}") from error
                return
        yield None


class _Pieces(io.RawIOBase):
    """A generator's pieces as a file; ends when too much has come."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        super().__init__()
        self._pieces = iter(pieces)
        self._rest = memoryview(b"")
        self._left = MAX_LISTED

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill ``buffer`` with what comes next; 0 at the end."""
        if not self._rest and self._left > 0:
            self._rest = memoryview(next(self._pieces, b""))
            self._left -= len(self._rest)
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size
