"""What the right candidate changed in a container, read through the engine; nothing in the container takes part."""

from __future__ import annotations

import contextlib
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, cast

from skill.case import Case
from skill.work import Changed, Form, Work, by_weight, is_harness, is_noise
from tools.archive import CHUNK, SPOOL_BYTES
from tools.runners.base import Setup
from tools.runners.docker_box import DockerBox
from tools.runners.docker_engine import container_labels, remove_container, translated

if TYPE_CHECKING:
    from docker import APIClient

MAX_PATHS: Final = 48  # looked at, the weightiest first
MAX_FILES: Final = 24
MAX_HARNESS: Final = 4  # of those only told
MAX_BYTES: Final = 1 << 18  # of one file
ADDED: Final = 1  # the engine's words for what happened to a path: 0 changed, 1 added, 2 removed


def capture(client: APIClient, box: DockerBox, image: str, case: Case, setup: Setup) -> Work:
    """The work in ``box``, which was started from ``image``; bounded in number and bytes."""
    with translated("list changes"):
        kinds = {str(row["Path"]): int(row["Kind"]) for row in client.diff(box.id) or ()}
    told = case.prompt.data.decode("utf-8", "replace")
    leaves = list(_leaves(kinds, case))
    harness = tuple(path for path in leaves if is_harness(path))[:MAX_HARNESS]
    own = (path for path in leaves if not is_harness(path) and not is_noise(path, told))
    paths = by_weight(own, case.agent_cwd, told)
    files: list[Changed] = []
    with _pristine(client, image, setup) as before:
        for path in paths[:MAX_PATHS]:
            found = _changed(client, box.id, before, path, kinds[path])
            if found is not None and len(files) < MAX_FILES:
                files.append(found)
    return Work(tuple(files), len(paths) - len(files), harness)


def _leaves(kinds: Iterable[str], case: Case) -> Iterator[str]:
    """The changed paths that are no folder on the way to another and not what was staged."""
    staged = tuple(f"{case.test_cwd.rstrip('/')}/{name}" for name in ("oracle", "tests"))
    ordered = sorted(kinds, key=lambda path: path.split("/"))
    for path, following in zip(ordered, [*ordered[1:], ""], strict=True):
        ours = path in staged or path.startswith(tuple(f"{folder}/" for folder in staged))
        if not ours and not following.startswith(f"{path}/"):
            yield path


@contextlib.contextmanager
def _pristine(client: APIClient, image: str, setup: Setup) -> Iterator[str]:
    """A container of ``image`` that is never started, to read files as they were."""
    with translated("create container"):
        made = cast(Any, client).create_container(image, command=["true"], labels=container_labels(setup.run_id))
    try:
        yield str(made["Id"])
    finally:
        remove_container(client, str(made["Id"]))


def _changed(client: APIClient, container: str, before: str, path: str, kind: int) -> Changed | None:
    """One path as it is now and was before; None for folders, special files, and what is too big."""
    was = None if kind == ADDED else _read(client, before, path)
    old = was[1] if was and was[0].isreg() else None
    now = _read(client, container, path)
    if now is None:
        return None if old is None or was is None else _as(Form.GONE, path, was[0], b"", old)
    member, data = now
    if member.issym():
        return _as(Form.LINK, path, member, member.linkname.encode(), old)
    if not member.isreg() or data is None or (data == old and was and was[0].mode == member.mode):
        return None
    return _as(Form.FILE, path, member, data, old)


def _as(form: Form, path: str, member: tarfile.TarInfo, data: bytes, before: bytes | None) -> Changed:
    return Changed(path, form, data, before, member.mode & 0o7777, (member.uid, member.gid))


def _read(client: APIClient, container: str, path: str) -> tuple[tarfile.TarInfo, bytes | None] | None:
    """What stands at ``path`` and, of a regular file that is not too big, its bytes; None when nothing does."""
    from docker.errors import NotFound

    with translated(f"read {path}"), tempfile.SpooledTemporaryFile(SPOOL_BYTES) as stream:
        try:
            pieces, _ = client.get_archive(container, path)
        except NotFound:
            return None
        _fill(stream, pieces)
        with contextlib.suppress(tarfile.TarError), tarfile.open(fileobj=stream, mode="r|") as archive:
            member = archive.next()
            if member is None:
                return None
            content = archive.extractfile(member) if member.isreg() and member.size <= MAX_BYTES else None
            return member, content.read() if content else None
    return None


def _fill(stream: Any, pieces: Iterable[bytes]) -> None:
    """As much of a tar as the largest file that is taken needs."""
    for piece in pieces:
        stream.write(piece)
        if stream.tell() > MAX_BYTES + CHUNK:
            break
    stream.seek(0)
