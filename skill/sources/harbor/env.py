"""Harbor's environment tables: a whole value ``${NAME}`` or ``${NAME:-default}`` is a template, all else literal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from skill.finding import Finding
from skill.sources.base import EnvValue, Refusal
from skill.sources.harbor.notes import note
from skill.toml import TomlValue

TEMPLATE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?\}\Z", re.DOTALL)
SECRET: Final = re.compile(r"(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)(?:$|_)", re.IGNORECASE)


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
    """The host variables without which a value cannot be known, sorted."""
    return sorted({value.variable for value in table.values() if value.variable and value.default is None})


def env_findings(table: Mapping[str, EnvValue], where: str) -> Iterator[Finding]:
    """What the report says about the variables of a script: host variables and likely credentials."""
    for name, value in table.items():
        if value.variable and value.default is None:
            yield note("S008", "task.toml", f"[{where}] {name} takes the host's {value.variable}")
        if SECRET.search(name) and value.literal is None:
            yield note("S009", "task.toml", f"[{where}] {name}")


def environment_refusals(table: Mapping[str, EnvValue]) -> list[Refusal]:
    """A variable of the whole container cannot be taken from a host that nobody knows yet."""
    missing = needs_host(table)
    if not missing:
        return []
    sentence = f"the container's environment takes {', '.join(missing)} from the host, without a default"
    return [Refusal("host-variable", sentence, allowable=True)]
