"""Every key of Harbor's task.toml (schema 1.4): the type that Harbor demands and what becomes of the value.

Harbor ignores unknown keys. A value that it would reject is a refusal here; all others get the action listed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from skill.sources.harbor.kinds import (
    is_artifacts,
    is_env,
    is_filled,
    is_flag,
    is_number,
    is_os,
    is_package,
    is_size,
    is_table,
    is_text,
    is_texts,
    is_user,
    is_whole,
    one_of,
    table_with,
    tables_with,
)
from skill.toml import TomlValue


class Act(StrEnum):
    """What becomes of a field."""

    MAPPED = "mapped"  # has a field in case.toml, or decides one
    BAKED = "baked"  # goes into the environment or a script
    METADATA = "metadata"  # kept as harbor_* in [metadata]
    WARNED = "warned"  # kept as metadata, and the report says what is lost
    REFUSED = "refused"  # a value that matters keeps the case from being converted
    DROPPED = "dropped"  # nothing depends on it


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
        "steps": Field(tables_with("name"), Act.REFUSED),
        "task": Field(is_table, Act.METADATA),
        "metadata": Field(is_table, Act.MAPPED),
        "verifier": Field(is_table, Act.MAPPED),
        "agent": Field(is_table, Act.METADATA),
        "environment": Field(is_table, Act.MAPPED),
        "solution": Field(is_table, Act.BAKED),
    },
    "task": {
        "name": _kept(is_package, "task_name"),
        "version": _kept(is_filled, "task_version"),
        "description": _kept(is_text, "task_description"),
        "authors": _kept(tables_with("name"), "task_authors"),
        "keywords": _kept(is_texts, "task_keywords"),
    },
    "verifier": {
        "timeout_sec": Field(is_number, Act.MAPPED),
        "env": Field(is_env, Act.BAKED),
        "user": _kept(is_user, "verifier_user", Act.REFUSED),
        "environment_mode": _kept(one_of("shared", "separate"), "verifier_environment_mode", Act.REFUSED),
        "environment": Field(is_table, Act.REFUSED),
        "collect": Field(tables_with("command"), Act.BAKED),
        "network_mode": _kept(NETWORK, "verifier_network_mode", Act.WARNED),
        "allowed_hosts": _kept(is_texts, "verifier_allowed_hosts"),
    },
    "agent": {
        "timeout_sec": _kept(is_number, "agent_timeout_sec"),
        "user": _kept(is_user, "agent_user", Act.REFUSED),
        "network_mode": _kept(NETWORK, "agent_network_mode", Act.WARNED),
        "allowed_hosts": _kept(is_texts, "agent_allowed_hosts"),
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
        "tpu": _kept(table_with("type"), "tpu", Act.REFUSED),
        "allow_internet": _kept(is_flag, "allow_internet", Act.WARNED),
        "network_mode": _kept(NETWORK, "network_mode", Act.WARNED),
        "allowed_hosts": _kept(is_texts, "allowed_hosts"),
        "mcp_servers": _kept(tables_with("name"), "mcp_servers", Act.REFUSED),
        "env": Field(is_env, Act.BAKED),
        "skills_dir": _kept(is_text, "skills_dir", Act.WARNED),
        "healthcheck": _kept(table_with("command"), "healthcheck", Act.WARNED),
        "workdir": Field(is_text, Act.MAPPED),
    },
    "solution": {"env": Field(is_env, Act.BAKED)},
}
