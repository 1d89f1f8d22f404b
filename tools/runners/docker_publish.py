"""Build contexts built and pushed once each, under a tag made of their content, believed only from the registry."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from skill.case import Case
from skill.image_facts import ImageFacts
from skill.image_ref import ImageRef, read_image_ref
from skill.pins import BUILD_FAILED, Pin, Resolution, Unpinned
from tools.errors import BuildFailed, PushFailed
from tools.registry.base import Broken, NoAnswer, NotFound
from tools.registry.client import RegistryClient
from tools.runners import docker_build
from tools.runners.base import Setup
from tools.runners.docker_engine import NAMESPACE, image_labels, remove_image, translated, unshared
from tools.runners.docker_facts import configured, looked_into
from tools.runners.docker_space import need_room

if TYPE_CHECKING:
    from docker import APIClient

CONTEXT_LABEL: Final = "dev.suite-converter.context"
EMPTY_TAR: Final = bytes(1024)
TASK_LABEL: Final = "dev.suite-converter.source-task"


@dataclass(frozen=True)
class Order:
    """One build context: a case that has it, its digest, its name to be, and the tasks it came from."""

    case: Case
    sha256: str
    name: str
    tasks: tuple[str, ...]
    paths: tuple[str, ...] = ()  # to be looked at in the image


@dataclass(frozen=True)
class Filled:
    """What became of an order, and what the image says where it was built here."""

    found: Resolution
    facts: ImageFacts | None = None


@dataclass(frozen=True)
class Publisher:
    """Fills orders; safe to use from several threads."""

    client: APIClient
    registry: RegistryClient
    setup: Setup

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        """While the block lasts an empty image with our labels tells a clean-up that this process is alive.

        What is pushed carries no label of a run, and neither do the steps of its build.
        """
        name = f"{NAMESPACE}/publish"
        changes = [f'LABEL "{key}"="{value}"' for key, value in image_labels(self.setup.run_id).items()]
        with translated("mark this run"):
            self.client.import_image_from_data(EMPTY_TAR, name, self.setup.run_id, changes=changes)
        try:
            yield
        finally:
            remove_image(self.client, f"{name}:{self.setup.run_id}")

    def fill(self, order: Order) -> Filled:
        """The pinned name of the pushed image; a context that does not build is a reason, not an error.

        Nothing is built that the registry has already. Raises PushFailed, EngineFailed, NoRoom.
        """
        ref = read_image_ref(order.name)
        if ref is None:
            raise PushFailed(order.name, "is no name of an image", "choose another --registry")
        if pinned := self._already(ref, order):
            return Filled(Pin(order.name, pinned, "published"))
        context = replace(docker_build.context_of(order.case), labels=_labels(order))
        need_room(self.client, 2 * sum(file.size for file in context.files), context.name)
        built = unshared(docker_build.env_name(f"publish-{order.sha256[:32]}"))
        try:
            docker_build.build(self.client, context, built, self.setup)
            facts = self._seen(order, built)
            return Filled(Pin(order.name, self._pushed(ref, built), "published"), facts)
        except BuildFailed as error:
            return Filled(Unpinned(order.name, BUILD_FAILED, str(error)))
        finally:
            remove_image(self.client, order.name)
            remove_image(self.client, built)

    def _seen(self, order: Order, built: str) -> ImageFacts | None:
        """What the image that was built says; what a text said is confirmed by it."""
        facts = configured(self.client, built)
        return (
            looked_into(self.client, replace(facts, name=order.name), order.paths, self.setup.run_id) if facts else None
        )

    def _already(self, ref: ImageRef, order: Order) -> str:
        """The pinned name of what an earlier run pushed; empty when it is not there."""
        try:
            manifest = self.registry.manifest(ref)
            config = self.registry.config(ref, manifest).get("config")
        except NotFound:
            return ""
        except Broken as error:
            raise PushFailed(ref.name, f"{ref.host} {error}") from error
        except NoAnswer:  # some registries deny what is not there yet: the push will tell
            return ""
        labels = config.get("Labels") if isinstance(config, dict) else None
        if not isinstance(labels, dict) or labels.get(CONTEXT_LABEL) != f"sha256:{order.sha256}":
            raise PushFailed(ref.name, "is taken by an image that was not made here", "choose another --registry")
        return ref.pinned(manifest.digest)

    def _pushed(self, ref: ImageRef, built: str) -> str:
        """Push ``built`` and give the name by which the registry then has it."""
        repository = ref.written
        with translated(f"push {ref.name}"):
            self.client.tag(built, repository, ref.tag)
            digest = _digest(ref, self.client.push(repository, ref.tag, stream=True, decode=True))
        pinned = read_image_ref(ref.pinned(digest))
        assert pinned is not None, "a digest was told"
        try:
            self.registry.manifest(pinned)
        except NotFound as error:
            raise PushFailed(ref.name, f"{ref.host} took the push and {error}") from error
        except NoAnswer:  # who may push may not be allowed to pull: the answer to the push stands
            return str(pinned)
        return str(pinned)


def _digest(ref: ImageRef, events: Iterable[Mapping[str, Any]]) -> str:
    """The digest in the answer to a push; raises PushFailed for an error inside the stream, or without a digest."""
    digest = ""
    for event in events:
        if failed := event.get("error"):
            raise PushFailed(ref.name, f"cannot be pushed: {str(failed).strip()[:300]}", "docker login")
        aux = event.get("aux")
        digest = str(aux.get("Digest") or digest) if isinstance(aux, dict) else digest
    if not digest.startswith("sha256:"):
        raise PushFailed(ref.name, "the push ended without a digest")
    return digest


def _labels(order: Order) -> tuple[tuple[str, str], ...]:
    """Where the image comes from; nothing of this machine, so that equal contexts give equal images."""
    return ((CONTEXT_LABEL, f"sha256:{order.sha256}"), (TASK_LABEL, min(order.tasks)))
