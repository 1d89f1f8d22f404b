"""What a framework makes of a compose file, and what such a file adds to a task."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from skill.sources.base import EnvValue
from skill.sources.notes import Remarks

COMPOSE: Final = "docker-compose.yaml"
OTHER_NAMES: Final = ("docker-compose.yml", "compose.yaml", "compose.yml")


@dataclass(frozen=True)
class Dialect:
    """What a framework makes of a compose file."""

    path: str  # of the file, in reports
    own_image: re.Pattern[str]  # stands for the image that the framework builds
    log_mount: re.Pattern[str]  # volumes of the framework's own
    contexts: frozenset[str]  # how the build context is written that the framework itself has in mind
    main: Callable[[Mapping[str, Any]], str]  # the name of the service that the agent works in
    filled: Mapping[str, EnvValue] = field(default_factory=dict)  # variables whose value is always the same
    gone: frozenset[str] = frozenset()  # variables of the container that the framework no longer sets
    any_dockerfile: bool = False  # the Dockerfile may have another name, and the context be a folder of the task
    plain_networks: bool = False  # networks around a single container may be named
    shells: bool = False  # a command that is a bare shell keeps the container up


@dataclass
class Compose(Remarks):
    """What a compose file adds to the task."""

    dialect: Dialect | None = None
    service: str = "main"
    image: str | None = None
    workdir: str | None = None
    context: str = ""  # below the folder that the framework has in mind, "" for itself
    dockerfile: str = "Dockerfile"  # below the context
    env: dict[str, EnvValue] = field(default_factory=dict)

    @property
    def is_lenient(self) -> bool:
        """Whether a network may be named."""
        return self.dialect is not None and self.dialect.plain_networks

    @property
    def path(self) -> str:
        """The file, in reports."""
        return self.dialect.path if self.dialect else COMPOSE

    def place(self, key: str) -> str:
        """A key of the main service, in reports."""
        return f"services.{self.service}.{key}"

    def cannot(self, key: str, why: str = "has no counterpart in a single container") -> None:
        """Refuse because of a key that cannot be folded."""
        self.refuse("compose-feature", f"{self.path}: {key} {why}", allowable=True)
