"""Every key of Harbor's task.toml (schema 1.4): the type that Harbor demands and what becomes of the value.

Harbor reads with pydantic in its lax mode: a number may be written as text, text may not be written as a number,
unknown keys are ignored. A value that Harbor would reject is a refusal here; all others get the action listed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from skill.toml import TomlValue


class Act(StrEnum):
    """What becomes of a field."""

    MAPPED = "mapped"  # has a field in case.toml, or decides one
    BAKED = "baked"  # goes into the environment or a script
    METADATA = "metadata"  # kept as harbor_* in [metadata]
    WARNED = "warned"  # kept as metadata, and the report says what is lost
    REFUSED = "refused"  # a value that matters keeps the case from being converted
    DROPPED = "dropped"  # nothing depends on it


def is_text(value: TomlValue) -> bool:
    """A TOML string."""
    return isinstance(value, str)


def is_number(value: TomlValue) -> bool:
    """A number, or text that reads as one."""
    return as_number(value) is not None


def as_number(value: TomlValue) -> float | None:
    """The number that Harbor reads from ``value``; None when it would reject it."""
    if isinstance(value, bool | int | float):
        return float(value)
    try:
        return float(value) if isinstance(value, str) else None
    except ValueError:
        return None


def is_whole(value: TomlValue) -> bool:
    """A whole number, or text that reads as one."""
    number = as_number(value)
    return number is not None and number.is_integer()


def is_flag(value: TomlValue) -> bool:
    """A boolean in one of the spellings that pydantic accepts."""
    return isinstance(value, bool) or str(value).lower() in FLAG_WORDS


def is_user(value: TomlValue) -> bool:
    """A user name or number."""
    return isinstance(value, str | int) and not isinstance(value, bool)


def is_texts(value: TomlValue) -> bool:
    """A list of strings."""
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def is_env(value: TomlValue) -> bool:
    """A table of strings."""
    return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())


def is_table(value: TomlValue) -> bool:
    """A table."""
    return isinstance(value, dict)


def is_tables(value: TomlValue) -> bool:
    """An array of tables."""
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


def is_artifacts(value: TomlValue) -> bool:
    """A list of paths or tables with a source."""
    return isinstance(value, list) and all(
        isinstance(item, str) or (isinstance(item, dict) and isinstance(item.get("source"), str)) for item in value
    )


def is_collect(value: TomlValue) -> bool:
    """An array of tables with a command."""
    return is_tables(value) and isinstance(value, list) and all(
        isinstance(item, dict) and isinstance(item.get("command"), str) for item in value
    )


def is_os(value: TomlValue) -> bool:
    """linux or windows in any case."""
    return isinstance(value, str) and value.lower() in ("linux", "windows")


def is_size(value: TomlValue) -> bool:
    """Text such as 2G, 512M or 1024K; other types are dropped by Harbor without a word."""
    return not isinstance(value, str) or re.fullmatch(r"\s*\d+(?:\.\d+)?\s*[GMKgmk]\s*", value) is not None


def is_package(value: TomlValue) -> bool:
    """org/name, each part alphanumeric first, without a double dot."""
    return isinstance(value, str) and PACKAGE.match(value) is not None and ".." not in value


def one_of(*words: str) -> Callable[[TomlValue], bool]:
    """A check for one of ``words``; its docstring lists them."""

    def check(value: TomlValue) -> bool:
        return isinstance(value, str) and value in words

    check.__doc__ = f"One of {', '.join(words)}."
    return check


FLAG_WORDS: Final = frozenset({"true", "false", "yes", "no", "on", "off", "y", "n", "t", "f", "1", "0"})
PACKAGE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*\Z")
NETWORK: Final = one_of("public", "no-network", "allowlist")


@dataclass(frozen=True)
class Field:
    """One key: its type check, its action, and the metadata key where there is one."""

    check: Callable[[TomlValue], bool]
    act: Act
    keep_as: str = ""


def _kept(check: Callable[[TomlValue], bool], name: str, act: Act = Act.METADATA) -> Field:
    return Field(check, act, f"harbor_{name}")


FIELDS: Final[Mapping[str, Mapping[str, Field]]] = {
    "": {
        "version": Field(is_text, Act.DROPPED),
        "schema_version": Field(is_text, Act.DROPPED),
        "source": _kept(is_text, "source"),
        "multi_step_reward_strategy": _kept(one_of("mean", "final"), "multi_step_reward_strategy"),
        "artifacts": _kept(is_artifacts, "artifacts"),
        "steps": Field(is_tables, Act.REFUSED),
        "task": Field(is_table, Act.METADATA),
        "metadata": Field(is_table, Act.MAPPED),
        "verifier": Field(is_table, Act.MAPPED),
        "agent": Field(is_table, Act.METADATA),
        "environment": Field(is_table, Act.MAPPED),
        "solution": Field(is_table, Act.BAKED),
    },
    "task": {
        "name": _kept(is_package, "task_name"),
        "version": _kept(is_text, "task_version"),
        "description": _kept(is_text, "task_description"),
        "authors": _kept(is_tables, "task_authors"),
        "keywords": _kept(is_texts, "task_keywords"),
    },
    "verifier": {
        "timeout_sec": Field(is_number, Act.MAPPED),
        "env": Field(is_env, Act.BAKED),
        "user": _kept(is_user, "verifier_user", Act.REFUSED),
        "environment_mode": _kept(one_of("shared", "separate"), "verifier_environment_mode", Act.REFUSED),
        "environment": Field(is_table, Act.REFUSED),
        "collect": Field(is_collect, Act.BAKED),
        "network_mode": _kept(NETWORK, "verifier_network_mode", Act.WARNED),
        "allowed_hosts": _kept(is_texts, "verifier_allowed_hosts", Act.WARNED),
    },
    "agent": {
        "timeout_sec": _kept(is_number, "agent_timeout_sec"),
        "user": _kept(is_user, "agent_user", Act.REFUSED),
        "network_mode": _kept(NETWORK, "agent_network_mode", Act.WARNED),
        "allowed_hosts": _kept(is_texts, "agent_allowed_hosts", Act.WARNED),
    },
    "environment": {
        "build_timeout_sec": _kept(is_number, "build_timeout_sec"),
        "docker_image": Field(is_text, Act.MAPPED),
        "os": Field(is_os, Act.REFUSED),
        "cpus": _kept(is_number, "cpus"),
        "memory_mb": _kept(is_whole, "memory_mb"),
        "storage_mb": _kept(is_whole, "storage_mb"),
        "memory": _kept(is_size, "memory"),
        "storage": _kept(is_size, "storage"),
        "gpus": _kept(is_whole, "gpus", Act.REFUSED),
        "gpu_types": _kept(is_texts, "gpu_types", Act.WARNED),
        "tpu": _kept(is_table, "tpu", Act.REFUSED),
        "allow_internet": _kept(is_flag, "allow_internet", Act.WARNED),
        "network_mode": _kept(NETWORK, "network_mode", Act.WARNED),
        "allowed_hosts": _kept(is_texts, "allowed_hosts", Act.WARNED),
        "mcp_servers": _kept(is_tables, "mcp_servers", Act.REFUSED),
        "env": Field(is_env, Act.BAKED),
        "skills_dir": _kept(is_text, "skills_dir", Act.WARNED),
        "healthcheck": _kept(is_table, "healthcheck", Act.WARNED),
        "workdir": Field(is_text, Act.MAPPED),
    },
    "solution": {"env": Field(is_env, Act.BAKED)},
}
