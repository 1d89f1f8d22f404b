"""Every key of Terminal-Bench's task.yaml, of both generations: its type there and what becomes of the value.

Terminal-Bench ignores unknown keys; here each is a line of the report and stays in the metadata.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

PARSERS: Final = ("pytest", "swebench", "swelancer", "mlebench", "sweperf")
TRUE: Final = frozenset({"true", "yes", "on", "y", "t", "1"})
FLAGS: Final = TRUE | {"false", "no", "off", "n", "f", "0"}


class Act(StrEnum):
    """What becomes of a field."""

    MAPPED = "mapped"  # has a place in the case, or decides one
    METADATA = "metadata"  # kept in [metadata]: author and kind under their own names, the rest as tb_*
    DROPPED = "dropped"  # nothing depends on it


@dataclass(frozen=True)
class Field:
    """One key: what Terminal-Bench wants there, in words and as a check, and what becomes of it."""

    wanted: str
    check: Callable[[Any], bool]
    act: Act
    keep_as: str = ""


def number(value: Any) -> float | None:
    """The number that Terminal-Bench reads from ``value``; None when it would reject it."""
    try:
        return float(value) if isinstance(value, bool | int | float | str) else None
    except ValueError:
        return None


def flag(value: Any) -> bool:
    """Whether a flag is set, as Terminal-Bench reads it."""
    return str(value).lower() in TRUE


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_number(value: Any) -> bool:
    return value is None or number(value) is not None


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool) or str(value).lower() in FLAGS


def _is_parser(value: Any) -> bool:
    return value in PARSERS


def _are_descriptions(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(item, dict) and isinstance(item.get("description"), str) for item in value
    )


def _text(name: str) -> Field:
    return Field("a text", _is_text, Act.METADATA, name)


def _number(name: str) -> Field:
    return Field("a number", _is_number, Act.METADATA, name)


FIELDS: Final[Mapping[str, Field]] = {
    "instruction": Field("a text", _is_text, Act.MAPPED),
    "descriptions": Field("a list of descriptions, each with its text", _are_descriptions, Act.MAPPED),
    "author_name": _text("author_name"),
    "author_email": _text("author_email"),
    "difficulty": _text("difficulty"),
    "category": _text("category"),
    "tags": Field("a list of texts", _is_texts, Act.METADATA, "tags"),
    "parser_name": Field(f"one of {', '.join(PARSERS)}", _is_parser, Act.MAPPED, "tb_parser_name"),
    "max_agent_timeout_sec": _number("tb_max_agent_timeout_sec"),
    "max_test_timeout_sec": Field("a number", _is_number, Act.MAPPED),
    "run_tests_in_same_shell": Field("true or false", _is_flag, Act.MAPPED, "tb_run_tests_in_same_shell"),
    "disable_asciinema": Field("true or false", _is_flag, Act.DROPPED),
    "estimated_duration_sec": _number("tb_estimated_duration_sec"),
    "expert_time_estimate_min": _number("tb_expert_time_estimate_min"),
    "junior_time_estimate_min": _number("tb_junior_time_estimate_min"),
    # of the first generation
    "test_scripts": Field("a list of texts", _is_texts, Act.METADATA, "tb_test_scripts"),
    "env_name": Field("a text or nothing", lambda value: value is None or _is_text(value), Act.METADATA, "tb_env_name"),
}


def is_plain(value: Any) -> bool:
    """Whether TOML has a place for a value of YAML."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and is_plain(item) for key, item in value.items())
    if isinstance(value, list):
        return all(map(is_plain, value))
    return isinstance(value, str | bool | int | float | datetime.date | datetime.datetime)
