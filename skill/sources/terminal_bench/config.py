"""task.yaml read against the table of fields: values, metadata, and what is wrong with it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from skill.contract import MAX_TIMEOUT_SECONDS
from skill.sources.notes import Remarks
from skill.sources.terminal_bench.fields import FIELDS, Act, flag, is_plain, number
from skill.toml import TomlTable

PATH: Final = "task.yaml"
AGENT_SECONDS: Final = 360.0
TEST_SECONDS: Final = 60.0
BASE: Final = "base"
MAX_ALIASES: Final = 20  # each can repeat all before it
ALIAS: Final = re.compile(rb"(?:^|[\s\[{,])\*\w", re.MULTILINE)
PLACEHOLDER: Final = re.compile(r"\{\{[^{}\n]*\}\}|\{%[^%\n]*%\}")
OF_THE_SHELL: Final = re.compile(
    r"\b(?:in|of|from|to) (?:the |your )?(?:current|same|active|running) (?:bash |zsh )?(?:shell|terminal)"
    r"|\byour shell\b"
    r"|\bshell (?:session|alias(?:es)?|function)\b|\b(?:un)?alias(?:es)? (?:called|named)",
    re.IGNORECASE,
)


@dataclass
class Config(Remarks):
    """What task.yaml says."""

    values: dict[str, Any] = field(default_factory=dict)
    metadata: TomlTable = field(default_factory=dict)
    prompt: str | None = None
    test_seconds: float | None = None
    agent_seconds: float = AGENT_SECONDS

    @property
    def parser(self) -> str:
        """The parser that reads the verdict."""
        return str(self.values.get("parser_name", "pytest"))


def read_config(data: bytes) -> Config:
    """``data`` as a configuration; defects are refusals in it, unknown keys findings. Never raises."""
    config = Config()
    document = _document(config, data)
    if document is None:
        return config
    config.values = dict(_known(config, document))
    config.metadata = _metadata(config, document)
    config.prompt = _prompt(config)
    _times(config)
    if flag(config.values.get("run_tests_in_same_shell")):
        _same_shell(config)
    return config


def _document(config: Config, data: bytes) -> dict[str, Any] | None:
    import yaml  # only this source pays for it

    if len(ALIAS.findall(data)) > MAX_ALIASES:
        config.refuse("bad-yaml", f"{PATH} repeats itself by more than {MAX_ALIASES} aliases")
        return None
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        document = yaml.load(data, Loader=loader)  # a safe loader: plain values only
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        hole = PLACEHOLDER.search(data.decode("utf-8", "replace"))
        code, why = ("template", f"holds {hole[0]!r:.60}") if hole else ("bad-yaml", " ".join(str(error).split())[:160])
        config.refuse(code, f"{PATH} cannot be read: {why}")
        return None
    if not isinstance(document, dict):
        config.refuse("bad-yaml", f"{PATH} is " + ("empty" if document is None else "no table"))
        return None
    return {str(key): value for key, value in document.items()}


def _known(config: Config, document: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in document.items():
        known = FIELDS.get(key)
        if known is None:
            config.note("S601", PATH, key)
        elif known.check(value):
            yield key, value
        elif known.act is Act.MAPPED:
            said = f"{key} = {value!r:.60} is not accepted by Terminal-Bench; it wants {known.wanted}"
            config.refuse("bad-field", said)
        elif value is not None:
            config.note("S606", PATH, f"{key} = {value!r:.60}")


def _metadata(config: Config, document: dict[str, Any]) -> TomlTable:
    """What plays no part of its own, under the task's own names or tb_*; nothing of it gets lost."""
    kept: TomlTable = {}
    for key, value in document.items():
        known = FIELDS.get(key)
        name = known.keep_as if known else f"tb_{key}"
        if name and value is not None:
            kept[name if name not in kept else f"{name}_"] = _typed(value)
    return kept


def _typed(value: Any) -> Any:
    """A value of YAML as TOML has it; what TOML has no place for becomes its text."""
    if isinstance(value, dict) and is_plain(value):
        return {key: _typed(item) for key, item in value.items()}
    if isinstance(value, list) and is_plain(value):
        return [_typed(item) for item in value]
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return value if value in range(-(2**63), 2**63) else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return str(value)


def _prompt(config: Config) -> str | None:
    """The instruction, or the description that it stands for."""
    instruction = config.values.get("instruction")
    texts = {str(item.get("key", BASE)): item["description"] for item in config.values.get("descriptions") or ()}
    if instruction is not None and instruction not in texts:
        if texts:
            config.note("S604", PATH, ", ".join(texts))
        return str(instruction)
    wanted = instruction or (BASE if BASE in texts or len(texts) != 1 else next(iter(texts)))
    if wanted not in texts:
        if texts:
            said = f"{PATH} has the descriptions {', '.join(texts):.100}, and none of them is called {BASE}"
            config.refuse("no-prompt", said)
        elif not config.refusals:
            config.refuse("no-prompt", f"{PATH} has neither an instruction nor descriptions")
        return None
    config.note("S603", PATH, wanted)
    if others := [key for key in texts if key != wanted]:
        config.note("S604", PATH, ", ".join(others))
    return str(texts[wanted])


def _times(config: Config) -> None:
    stated = config.values.get("max_test_timeout_sec")
    seconds = TEST_SECONDS if stated is None else number(stated)
    if stated is None:
        config.note("S602", PATH)
    if seconds is None or isinstance(stated, bool) or not 0 < seconds <= MAX_TIMEOUT_SECONDS:
        config.refuse("bad-timeout", f"max_test_timeout_sec = {stated!r:.40} is no time that tests can use")
    else:
        config.test_seconds = seconds
    agent = number(config.values.get("max_agent_timeout_sec"))
    config.agent_seconds = agent if agent and 0 < agent <= MAX_TIMEOUT_SECONDS else AGENT_SECONDS


def _same_shell(config: Config) -> None:
    """Refuse what is said to depend on the agent's shell; where nothing speaks of one, the tests start as always."""
    if found := OF_THE_SHELL.search(config.prompt or ""):
        said = (
            f"the tests run in the agent's own shell, and the prompt speaks of it ({found[0]}); Margin starts a new one"
        )
        config.refuse("same-shell", said, allowable=True)
    else:
        config.note("S605", PATH)
