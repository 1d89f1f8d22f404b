"""What a Harbor task may ask for that a Margin case cannot give: refusals and warnings from task.toml."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from skill.dockerfile import is_root
from skill.finding import Finding
from skill.sources.base import Refusal
from skill.sources.harbor.config import Config
from skill.sources.harbor.fields import as_number
from skill.sources.harbor.notes import note

RESTRICTIVE: Final = ("no-network", "allowlist")


def refused_demands(config: Config, names: frozenset[str]) -> Iterator[Refusal]:
    """Every demand that keeps the task from being converted; ``names`` are the entries of the task folder."""
    yield from _shape(config, names)
    yield from _machine(config)
    yield from _users(config)


def _shape(config: Config, names: frozenset[str]) -> Iterator[Refusal]:
    steps = config.get("", "steps")
    if isinstance(steps, list) and steps:
        yield Refusal("multi-step", f"the task has {len(steps)} steps; a case has one prompt and one verdict")
    if "trajectory.json" in names:
        yield Refusal("prior-trajectory", "trajectory.json seeds the agent with a conversation, which Margin cannot")
    mode = config.get("verifier", "environment_mode")
    own = config.get("verifier", "environment")
    if mode == "shared" and own is not None:
        yield Refusal("bad-field", "verifier.environment with environment_mode = \"shared\" is not accepted by Harbor")
    elif mode == "separate" or own is not None:
        yield Refusal("separate-verifier", "the verifier runs in a container of its own, which Margin does not have")
    collect = config.get("verifier", "collect")
    others = {str(item.get("service", "main")) for item in collect if isinstance(item, dict)} if isinstance(collect, list) else set()
    if others - {"main"}:
        yield Refusal("several-services", f"verifier.collect runs in {', '.join(sorted(others - {'main'}))}")


def _machine(config: Config) -> Iterator[Refusal]:
    if str(config.get("environment", "os") or "linux").lower() == "windows":
        yield Refusal("windows", "the task runs in a Windows container")
    gpus = as_number(config.get("environment", "gpus") or 0)
    if gpus or config.get("environment", "tpu"):
        yield Refusal("gpu-only", "the task asks for accelerators, which Margin does not reserve", allowable=True)
    if config.get("environment", "mcp_servers"):
        yield Refusal("mcp-sidecar", "the agent is given MCP servers, which Margin does not start", allowable=True)


def _users(config: Config) -> Iterator[Refusal]:
    for table in ("agent", "verifier"):
        user = config.get(table, "user")
        if user is not None and not is_root(str(user)):
            sentence = f"{table}.user is {user!r:.40}; Margin runs every phase as the image's user, which must be root"
            yield Refusal("user-not-root", sentence, allowable=True)


def demand_findings(config: Config) -> Iterator[Finding]:
    """What is lost or changed although the task is converted."""
    path = "task.toml"
    for table in ("environment", "agent", "verifier"):
        if config.get(table, "network_mode") in RESTRICTIVE:
            yield note("S004", path, f"{table}.network_mode = {config.get(table, 'network_mode')}")
    if str(config.get("environment", "allow_internet")).lower() in ("false", "no", "off", "0", "f", "n"):
        yield note("S004", path, "environment.allow_internet = false")
    if config.get("environment", "healthcheck"):
        yield note("S005", path, "environment.healthcheck")
    if config.text("environment", "skills_dir"):
        yield note("S006", path, "environment.skills_dir")
    if config.get("environment", "gpu_types"):
        yield note("S011", path, "environment.gpu_types")
    if config.get("verifier", "collect"):
        yield note("S010", path, "verifier.collect")
