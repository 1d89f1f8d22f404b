"""The state that a Dockerfile's instructions build up: one stage, and the variables a line of it sees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

SCRATCH: Final = "scratch"


class Copy(NamedTuple):
    """One COPY or ADD from the build context."""

    sources: tuple[str, ...]
    destination: str


@dataclass
class Stage:
    """The state at one point of one stage."""

    base: str | None
    workdir: str | None = None
    below: str | None = ""  # while workdir is None: where it is as seen from the base image's; None: unknown
    user: str | None = None
    env: dict[str, str] = field(default_factory=dict)
    args: dict[str, str] = field(default_factory=dict)
    tainted: dict[str, frozenset[str]] = field(default_factory=dict)  # variable -> unknown names in its value
    entrypoint: tuple[str, ...] | None = None
    cmd: tuple[str, ...] | None = None
    own_cmd: bool = False  # an ENTRYPOINT resets a CMD that was inherited, not one of its own stage
    shell: tuple[str, ...] = ("sh", "-c")
    healthcheck: bool = False
    installed: set[str] = field(default_factory=set)
    copies: list[Copy] = field(default_factory=list)
    unresolved: set[str] = field(default_factory=set)

    def child(self) -> Stage:
        """A new stage FROM this one: everything is inherited but build arguments."""
        return replace(
            self,
            env=dict(self.env),
            args={},
            tainted={name: why for name, why in self.tainted.items() if name in self.env},
            own_cmd=False,
            installed=set(self.installed),
            copies=list(self.copies),
            unresolved=set(self.unresolved),
        )

    def set(self, table: dict[str, str], name: str, value: str, unknown: frozenset[str]) -> None:
        """Give a variable of ``env`` or ``args`` a value that was made with the ``unknown`` names."""
        table[name] = value
        self.tainted.pop(name, None)
        if unknown:
            self.tainted[name] = unknown


class Variables(Mapping[str, str]):
    """The variables that a line sees (ENV beats ARG); remembers which unknown ones were asked for."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.unknown: set[str] = set()

    def __getitem__(self, name: str) -> str:
        stage = self.stage
        value = stage.env.get(name, stage.args.get(name))
        self.unknown |= stage.tainted.get(name, frozenset())
        if value is not None:
            return value
        if stage.base == SCRATCH:
            return ""
        self.unknown.add(name)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.stage.args | self.stage.env)

    def __len__(self) -> int:
        return len(self.stage.args | self.stage.env)
