"""Harbor's environment tables: a whole value ``${NAME}`` or ``${NAME:-default}`` is a template."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from skill.sources.base import EnvValue
from skill.sources.harbor.notes import Remarks
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


def judge_env(
    environment: Mapping[str, EnvValue], verifier: Mapping[str, EnvValue], solution: Mapping[str, EnvValue]
) -> Remarks:
    """What a host would have to supply: refused for the container's variables, noted for those of scripts."""
    remarks = Remarks()
    if missing := needs_host(environment):
        sentence = f"the container takes {', '.join(missing)} from the host and has no default"
        remarks.refuse("host-variable", sentence, allowable=True)
    for where, table in (("verifier.env", verifier), ("solution.env", solution)):
        for name, value in table.items():
            if value.variable and value.default is None:
                remarks.note("S008", "task.toml", f"[{where}] {name} takes the host's {value.variable}")
            if value.variable and SECRET.search(name):
                remarks.note("S009", "task.toml", f"[{where}] {name}")
    return remarks
