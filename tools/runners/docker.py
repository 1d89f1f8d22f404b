"""Margin's run-time contract on the Docker engine, without Margin: the stand-in runner.

It follows section 2 of references/margin-contract.md to the letter for oracle runs, and dry runs but for the
agent server in the container. Two differences are deliberate: where the engine itself fails while tests/test.sh
runs, Margin's CLI may report a test failure (row W24); here that is always infra, and noted. And a container may use
up no more of the machine than docker_bounds.py says.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Sequence
from typing import Final

from skill.case import Case
from tools.errors import EngineFailed
from tools.runners import docker_build
from tools.runners.base import Setup, State
from tools.runners.docker_engine import (
    BUILT_LABEL,
    RUN_LABEL,
    answers,
    connect,
    images_with,
    remove_image,
    remove_labelled,
)
from tools.runners.docker_images import Shelf
from tools.runners.docker_prepared import DockerPrepared
from tools.runners.docker_space import need_image, need_room

VERSION: Final = "2"  # changes whenever the same case might end otherwise


class DockerRunner:
    """Runs verifiers in containers of the engine that the environment names."""

    name = "docker"

    def __init__(self, setup: Setup) -> None:
        """Raises EngineUnavailable when no engine answers."""
        self.setup = setup
        self.version = f"docker/{VERSION} {setup.traits}"
        self.client = connect()
        self._shelf = Shelf(self.client, setup.keep_images)
        self._asking, self._lost = threading.Lock(), False

    def prepare(self, case: Case, states: Sequence[State], more: bool = False) -> DockerPrepared:
        """The case; its image is built or found by the first run."""
        return DockerPrepared(self, case, states, more)

    def announce(self, cases: Sequence[Case], states: Sequence[State]) -> None:
        """Nothing is gained by knowing more than one case at a time."""

    def image(self, case: Case) -> contextlib.AbstractContextManager[str]:
        """The image of ``case`` for as long as the block lasts."""
        if case.image:
            return contextlib.nullcontext(need_image(self.client, case.image))
        return self.built(docker_build.context_of(case))

    def built(self, context: docker_build.Context) -> contextlib.AbstractContextManager[str]:
        """The image of a build context for as long as the block lasts."""

        def build(name: str) -> None:
            need_room(self.client, 2 * sum(file.size for file in context.files), context.name)
            docker_build.build(self.client, context, name, self.setup)

        return self._shelf.borrowed(docker_build.env_name(context.tag(self.setup)), build)

    def engine_is_back(self) -> bool:
        """Whether the engine answers, after some patience; one that does not come back is not waited for again."""
        with self._asking:
            self._lost = self._lost or not answers(self.client)
            return not self._lost

    def close(self) -> None:
        """Afterwards no container and no image of this run is left; runs under way end as infra.

        What an engine that is gone keeps has the labels by which a later clean-up finds it.
        """
        with contextlib.suppress(EngineFailed):
            remove_labelled(self.client, f"{RUN_LABEL}={self.setup.run_id}")
        self._shelf.clear()

    def trim(self, repository: str, keep: int) -> None:
        """Remove all but the youngest ``keep`` images of this run that stand under ``repository``."""
        rows = images_with(self.client, f"{BUILT_LABEL}={self.setup.run_id}")
        named = [(int(row["Created"]), name) for row in rows for name in row["RepoTags"] or ()]
        ours = sorted(pair for pair in named if pair[1].startswith(f"{repository}:"))
        for _, name in ours[: max(len(ours) - keep, 0)]:
            remove_image(self.client, name)
