"""Harbor's environment tables: a whole value ``${NAME}`` or ``${NAME:-default}`` is a template."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from skill.sources.base import EnvValue, SourceFile
from skill.sources.harbor.config import Config
from skill.sources.notes import Remarks
from skill.toml import TomlValue

TEMPLATE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?\}\Z", re.DOTALL)
MAX_SEARCHED: Final = 33_554_432  # bytes of a task that are searched for a name
SECRET: Final = re.compile(r"(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)(?:$|_)", re.IGNORECASE)


@dataclass
class Environments(Remarks):
    """The variables of the container and of the two scripts."""

    container: dict[str, EnvValue] = field(default_factory=dict)
    verifier: dict[str, EnvValue] = field(default_factory=dict)
    solution: dict[str, EnvValue] = field(default_factory=dict)


def env_value(text: str) -> EnvValue:
    """The meaning of one value."""
    found = TEMPLATE.match(text)
    return EnvValue(variable=found[1], default=found[2]) if found else EnvValue(literal=text)


def env_table(value: TomlValue | None) -> dict[str, EnvValue]:
    """A table of variables; empty when there is none."""
    if not isinstance(value, dict):
        return {}
    return {name: env_value(text) for name, text in value.items() if isinstance(text, str)}


def needs_host(table: Mapping[str, EnvValue]) -> list[str]:
    """The variables whose value only a host knows, sorted."""
    return sorted(name for name, value in table.items() if value.variable and value.default is None)


def read_env(config: Config, composed: Mapping[str, EnvValue], files: Sequence[SourceFile]) -> Environments:
    """The three tables; ``composed`` are a compose file's variables, which [environment].env overrides.

    A variable of the container that only a host knows is refused when one of the task's ``files`` names it; else
    it serves the agent's own tooling and is left out. Those of scripts are noted: the verdict is 2 without them.
    """
    verifier, solution = (env_table(config.get(table, "env")) for table in ("verifier", "solution"))
    said = Environments(verifier=verifier, solution=solution)
    said.container = {**composed, **env_table(config.get("environment", "env"))}
    for name in needs_host(said.container):
        if _is_named(name, files):
            sentence = f"the container takes {name} from the host, without a default, and the task's files use it"
            said.refuse("host-variable", sentence, allowable=True)
        else:
            del said.container[name]
            said.note("S014", "task.toml", name)
    for where, table in (("verifier.env", verifier), ("solution.env", solution)):
        for name, value in table.items():
            if value.variable and value.default is None:
                said.note("S008", "task.toml", f"[{where}] {name} takes the host's {value.variable}")
            if value.variable and SECRET.search(name):
                said.note("S009", "task.toml", f"[{where}] {name}")
    return said


def _is_named(name: str, files: Sequence[SourceFile]) -> bool:
    """Whether a file names the variable; what is too large or cannot be read counts as if it did."""
    if sum(file.size for file in files) > MAX_SEARCHED:
        return True
    try:
        return any(name.encode() in file.read() for file in files)
    except OSError:
        return True
