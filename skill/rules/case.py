"""Rules about case.toml: SC203 to SC213."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from skill.case import Case
from skill.contract import (
    CASE_FILE,
    FORBIDDEN_KEYS,
    MAX_TIMEOUT_SECONDS,
)
from skill.finding import Severity
from skill.rules.base import Defect, Family
from skill.settings import CASE_KEYS
from skill.textfile import Reading

CASE: Family[Case] = Family("case")

EXECUTION_KEYS: Final = ("image", "agent_cwd", "test_cwd", "test_timeout_seconds")


@CASE.defect("SC203", "unreadable-case-toml", basis="M1")
def unreadable_case_toml(case: Case) -> Iterator[Defect]:
    """The case has no readable case.toml.

    Right: a regular file of exactly that name.
    """
    if not case.text.is_there and case.text.reading is not Reading.OUTSIDE:
        yield Defect(_at(case), 0, f"case.toml is {case.text.reading.value}", "write case.toml")


@CASE.defect("SC204", "malformed-case-toml", basis="M2")
def malformed_case_toml(case: Case) -> Iterator[Defect]:
    """The text of case.toml is no TOML 1.0 in UTF-8.

    Duplicate keys, a byte order mark and raw control characters are fatal as well.
    Example: `description = "says "hi""`
    Right: `description = 'says "hi"'`
    """
    if case.decoded and (error := case.decoded.error):
        yield Defect(_at(case), error.line, f"case.toml is no TOML: {error}")


@CASE.defect("SC205", "wrong-case-value-type", basis="M4")
def wrong_case_value_type(case: Case) -> Iterator[Defect]:
    """A known key of case.toml holds a value of the wrong type.

    Margin wants strings and one integer; a float, a quoted number or a date is fatal, integers have 64 bits.
    Example: `test_timeout_seconds = 60.0`
    Right: `test_timeout_seconds = 60`
    """
    if case.config:
        for key, wanted in case.config.wrong_types():
            line = case.config.line(key)
            yield Defect(_at(case), line, f"{key} has a value that Margin cannot decode", f"write a TOML {wanted}")


@CASE.defect("SC206", "case-version-key", basis="M6")
def case_version_key(case: Case) -> Iterator[Defect]:
    """case.toml defines `version` or `base_version` at top level.

    Example: `version = "1.0"`, as Harbor's task.toml has it.
    Right: leave it out, or keep it below [metadata].
    """
    if case.config:
        for key in FORBIDDEN_KEYS:
            if key in case.config.table:
                line = case.config.line(key)
                yield Defect(_at(case), line, f'Margin refuses the top-level key "{key}"', "move it to [metadata]")


@CASE.defect("SC207", "wrong-case-kind", basis="M19")
def wrong_case_kind(case: Case) -> Iterator[Defect]:
    """case.toml does not say that it is a test case.

    Right: `kind = "test_case"`
    """
    if case.config and (kind := case.config.text("kind")) != "test_case":
        said = f'kind is "{kind}"' if kind else "kind is missing"
        yield Defect(_at(case), case.config.line("kind"), said, 'write kind = "test_case"')


@CASE.defect("SC208", "name-differs-from-entry", basis="M20")
def name_differs_from_entry(case: Case) -> Iterator[Defect]:
    """The case's `name` is not the name under which it is listed.

    Example: listed and stored as `fix-io`, but `name = "fix_io"`.
    Right: `name = "fix-io"`
    """
    if case.config and (name := case.config.text("name")) != case.name:
        said = f'name is "{name}", the suite lists "{case.name}"' if name else "name is missing"
        yield Defect(_at(case), case.config.line("name"), said, f'write name = "{case.name}"')


@CASE.defect("SC209", "no-timeout", basis="M48")
def no_timeout(case: Case) -> Iterator[Defect]:
    """test_timeout_seconds is missing or not positive.

    A typical slip: the key stands after `[metadata]` and therefore belongs to that table (row M49).
    Right: `test_timeout_seconds = 1800` above every table.
    """
    if case.config and not isinstance(case.config.value("test_timeout_seconds"), str | float):
        seconds = case.config.integer("test_timeout_seconds")
        if seconds <= 0:
            said = "is missing" if case.config.value("test_timeout_seconds") is None else f"is {seconds}"
            line = case.config.line("test_timeout_seconds")
            yield Defect(_at(case), line, f"test_timeout_seconds {said}", "write a positive integer at top level")


@CASE.defect("SC210", "endless-timeout", basis="M48 at run time")
def endless_timeout(case: Case) -> Iterator[Defect]:
    """test_timeout_seconds is larger than Margin can count.

    Above 9 223 372 036 the nanoseconds overflow and every run of the case is an infrastructure failure.
    Right: a limit that somebody would wait for.
    """
    if case.config and case.config.integer("test_timeout_seconds") > MAX_TIMEOUT_SECONDS:
        line = case.config.line("test_timeout_seconds")
        yield Defect(_at(case), line, "test_timeout_seconds overflows at run time", f"at most {MAX_TIMEOUT_SECONDS}")


@CASE.defect("SC211", "unknown-key", basis="M3", severity=Severity.WARNING)
def unknown_key(case: Case) -> Iterator[Defect]:
    """case.toml has a top-level key that Margin does not know.

    It is accepted and ignored, which hides typing errors.
    Example: `timeout = 60`
    Right: `test_timeout_seconds = 60`; anything of your own below [metadata].
    """
    if case.config:
        for key in case.config.table:
            if key.lower() not in CASE_KEYS and key not in (*FORBIDDEN_KEYS, "metadata"):
                yield Defect(
                    _at(case),
                    case.config.line(key),
                    f'Margin ignores the key "{key}"',
                    "move it to [metadata]",
                )


@CASE.defect("SC212", "oddly-spelt-key", basis="M5", severity=Severity.WARNING)
def oddly_spelt_key(case: Case) -> Iterator[Defect]:
    """A known key is not in lower case.

    Margin takes it, and when both spellings appear the later one wins; other readers see another value.
    Example: `Kind = "test_case"`
    Right: `kind = "test_case"`
    """
    if case.config:
        for key in case.config.table:
            if key.lower() in CASE_KEYS and key not in CASE_KEYS:
                yield Defect(
                    _at(case),
                    case.config.line(key),
                    f"Margin reads {key} as {key.lower()}",
                    "write lower case",
                )


@CASE.defect("SC213", "misplaced-key", basis="M49", severity=Severity.WARNING)
def misplaced_key(case: Case) -> Iterator[Defect]:
    """An execution key stands inside a table, where Margin does not see it.

    Example: `[metadata]` followed by `test_cwd = "/"`.
    Right: the key above the first table header.
    """
    if case.config:
        tables = [(name, inner) for name, inner in case.config.table.items() if isinstance(inner, dict)]
        for table, inner in tables:
            for key in EXECUTION_KEYS:
                if key in inner and case.config.value(key) is None:
                    said = f"{key} belongs to [{table}] here and is ignored"
                    yield Defect(_at(case), case.config.line(key), said, "move it above the first table")


def _at(case: Case) -> str:
    """The path of case.toml in findings."""
    return f"{case.path}/{CASE_FILE}"
