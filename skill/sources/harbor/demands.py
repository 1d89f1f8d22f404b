"""What a Harbor task may ask for that a Margin case cannot give: refusals and warnings from task.toml."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from skill.contract import MAX_TIMEOUT_SECONDS
from skill.dockerfile import is_root
from skill.sources.files import Entries, Part
from skill.sources.harbor.config import Config
from skill.sources.harbor.kinds import as_number
from skill.sources.notes import Remarks

TOML: Final = "task.toml"
RESTRICTIVE: Final = ("no-network", "allowlist")
NO_WORDS: Final = ("false", "no", "off", "0", "f", "n")


@dataclass
class Demands(Remarks):
    """What the configuration asks for beyond files and images."""

    timeout: float | None = None  # seconds of the verifier; None when not stated, or refused


def judge_demands(config: Config, entries: Entries, tests: Part) -> Demands:
    """Every demand that keeps the task from being converted, and all that is lost although it is."""
    remarks = Demands()
    remarks.timeout = _timeout(remarks, config)
    _shape(remarks, config, entries)
    _machine(remarks, config)
    _users(remarks, config)
    _network(remarks, config)
    if not config.get("", "steps"):
        _verifier(remarks, config, entries, tests)
    return remarks


def _timeout(remarks: Remarks, config: Config) -> float | None:
    value = config.get("verifier", "timeout_sec")
    if value is None:
        remarks.note("S003", TOML)
        return None
    seconds = as_number(value)
    if seconds is None or isinstance(value, bool) or not 0 < seconds <= MAX_TIMEOUT_SECONDS:
        remarks.refuse("bad-timeout", f"verifier.timeout_sec = {value!r:.40} is no time a verifier can use")
        return None
    if isinstance(value, str):
        remarks.note("S013", TOML, "verifier.timeout_sec")
    return seconds


def _shape(remarks: Remarks, config: Config, entries: Entries) -> None:
    steps = config.get("", "steps")
    if isinstance(steps, list) and steps:
        remarks.refuse("multi-step", f"the task has {len(steps)} step(s); a case has one prompt and one verdict")
    if "trajectory.json" in entries:
        remarks.refuse("prior-trajectory", "trajectory.json seeds the agent with a conversation; Margin cannot")
    mode, own = config.get("verifier", "environment_mode"), config.get("verifier", "environment")
    if mode == "shared" and own is not None:
        remarks.refuse("bad-field", 'Harbor accepts no verifier.environment with environment_mode = "shared"')
    elif mode == "separate" or own is not None:
        remarks.refuse("separate-verifier", "the verifier runs in a container of its own; Margin has only one")
    hooks = config.rows("verifier", "collect")
    if others := sorted({str(hook.get("service", "main")) for hook in hooks} - {"main"}):
        remarks.refuse("several-services", f"verifier.collect runs commands in {', '.join(others)}")
    if hooks:
        remarks.note("S010", TOML, "verifier.collect")


def _machine(remarks: Remarks, config: Config) -> None:
    if str(config.get("environment", "os") or "").lower() == "windows":
        remarks.refuse("windows", "the task runs in a Windows container")
    if as_number(config.get("environment", "gpus") or 0) or config.get("environment", "tpu"):
        sentence = "the task asks for accelerators, which Margin does not reserve"
        remarks.refuse("gpu-only", sentence, allowable=True)
    elif config.get("environment", "gpu_types"):
        remarks.note("S011", TOML, "environment.gpu_types")
    if config.get("environment", "mcp_servers"):
        sentence = "the agent is given MCP servers, which Margin does not start"
        remarks.refuse("mcp-sidecar", sentence, allowable=True)
    if config.get("environment", "healthcheck"):
        remarks.note("S005", TOML, "environment.healthcheck")
    if config.text("environment", "skills_dir"):
        remarks.note("S006", TOML, "environment.skills_dir")
    workdir = config.text("environment", "workdir")
    if workdir is not None and not workdir.startswith("/"):
        remarks.refuse("bad-field", f"environment.workdir = {workdir!r:.60} is not absolute; Docker refuses it")


def _users(remarks: Remarks, config: Config) -> None:
    for table in ("agent", "verifier"):
        user = config.get(table, "user")
        if user is not None and not is_root(str(user)):
            said = f"{table}.user = {user!r:.40}, but in Margin every phase runs as the image's user"
            remarks.refuse("phase-user", said, allowable=True)


def _network(remarks: Remarks, config: Config) -> None:
    for table in ("environment", "agent", "verifier"):
        if (mode := config.get(table, "network_mode")) in RESTRICTIVE:
            remarks.note("S004", TOML, f"{table}.network_mode = {mode}")
    if str(config.get("environment", "allow_internet")).lower() in NO_WORDS:
        remarks.note("S004", TOML, "environment.allow_internet = false")


def _verifier(remarks: Remarks, config: Config, entries: Entries, tests: Part) -> None:
    """Say what is there instead when tests/test.sh, the only name that Harbor runs, is not."""
    if tests.find("test.sh") or any("tests/test.sh" in refusal.sentence for refusal in tests.refusals):
        return
    if tests.find("test.bat"):
        remarks.refuse("windows", "tests/ has a test.bat and no test.sh")
    elif config.unknown & {"verifier.command", "verification", "evaluation"}:
        remarks.refuse("lookalike", "tests/test.sh is missing; Harbor runs no command that task.toml names")
    elif "test.sh" in entries:
        remarks.refuse("lookalike", "test.sh lies at the top of the task; Harbor wants tests/test.sh")
    else:
        held = ", ".join(tests.place(file.path) for file in tests.files[:3])
        remarks.refuse("no-verifier", "tests/test.sh is missing" + (f" (there is {held})" if held else ""))
