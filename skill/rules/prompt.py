"""Rules about prompt.md: SC5xx."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from skill.case import Case
from skill.contract import PROMPT_FILE
from skill.finding import Severity
from skill.rules.base import Defect, Family
from skill.settings import GO_SPACE
from skill.textfile import Reading

PROMPT: Family[Case] = Family("prompt")

HIDDEN_PATH: Final = re.compile(rb"(?<![\w./-])/(?:tests|solution|oracle|logs/verifier)(?![\w.-])")
CANARY: Final = re.compile(rb"canary\s+(?:guid|string)|benchmark data should never", re.IGNORECASE)
CONTROL: Final = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
PLACEHOLDER: Final = re.compile(rb"\{\{\s*[\w.]+\s*\}\}|\$\{?(?:TASK|INSTRUCTION|PROMPT)_?\w*\}?")


@PROMPT.defect("SC501", "no-prompt", basis="M25")
def no_prompt(case: Case) -> Iterator[Defect]:
    """The case has no readable prompt.md.

    Right: a regular file of exactly that name.
    """
    if not case.prompt.is_there and case.prompt.reading is not Reading.OUTSIDE:
        yield _at(case, 0, f"prompt.md is {case.prompt.reading.value}", "write the task's text")


@PROMPT.defect("SC502", "blank-prompt", basis="M25")
def blank_prompt(case: Case) -> Iterator[Defect]:
    """prompt.md holds nothing but white space.

    White space of Unicode counts as such; a lone byte order mark does not.
    Right: the task's text.
    """
    if case.prompt.is_there and not case.prompt.data.decode("utf-8", "replace").strip(GO_SPACE):
        yield _at(case, 0, "the prompt is blank", "write the task's text")


@PROMPT.defect("SC503", "byte-order-mark-in-prompt", basis="D13", severity=Severity.WARNING)
def byte_order_mark_in_prompt(case: Case) -> Iterator[Defect]:
    """prompt.md starts with a byte order mark, which the agent gets to see.

    Prompts are copied byte for byte, so this is said and not mended.
    Right: the source without the mark.
    """
    if case.prompt.data.startswith(b"\xef\xbb\xbf"):
        yield _at(case, 1, "starts with a byte order mark, kept in what the agent reads", "mend it in the source")


@PROMPT.defect("SC504", "prompt-is-not-utf-8", basis="M26", severity=Severity.WARNING)
def prompt_is_not_utf_8(case: Case) -> Iterator[Defect]:
    """prompt.md holds bytes that are no UTF-8.

    Margin accepts them, and the agent reads replacement characters instead.
    Right: the source in UTF-8.
    """
    try:
        case.prompt.data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = case.prompt.data.count(b"\n", 0, error.start) + 1
        yield _at(case, line, "not UTF-8; the agent reads replacement characters", "mend it in the source")


@PROMPT.defect("SC505", "control-characters-in-prompt", basis="D13", severity=Severity.WARNING)
def control_characters_in_prompt(case: Case) -> Iterator[Defect]:
    """prompt.md holds control characters.

    They can hide text from people and drive a terminal; agents and API schemas may refuse NUL.
    Right: the source without them.
    """
    if found := CONTROL.search(case.prompt.data):
        yield _line(case, found.start(), f"holds the control character 0x{found[0][0]:02x}", "mend it in the source")


@PROMPT.defect("SC506", "prompt-names-hidden-path", basis="D13", severity=Severity.NOTE)
def prompt_names_hidden_path(case: Case) -> Iterator[Defect]:
    """The prompt names a path that is staged only after the agent has ended.

    Example: "your work is checked by /tests/test.sh"
    Right: nothing to change in a copy; look whether the task still makes sense.
    """
    if found := HIDDEN_PATH.search(case.prompt.data):
        yield _line(case, found.start(), f"names {found[0].decode()}, which the agent cannot see", "check the task")


@PROMPT.defect("SC507", "canary-in-prompt", basis="D13", severity=Severity.NOTE)
def canary_in_prompt(case: Case) -> Iterator[Defect]:
    """The prompt carries a canary line of its benchmark.

    It is copied as it is, so the agent reads it.
    Right: nothing to change.
    """
    if found := CANARY.search(case.prompt.data):
        yield _line(case, found.start(), "a canary line is part of what the agent reads", "nothing to change")


@PROMPT.defect("SC508", "unfilled-prompt", basis="D10", severity=Severity.WARNING)
def unfilled_prompt(case: Case) -> Iterator[Defect]:
    """The prompt looks like a template that nobody filled in.

    Example: `{{ task_description }}`
    Right: the rendered text.
    """
    if len(case.prompt.data) < 2000 and (found := PLACEHOLDER.search(case.prompt.data)):
        said = f"holds the placeholder {found[0].decode(errors='replace')}"
        yield _line(case, found.start(), said, "render the template in the source")


def _line(case: Case, at: int, message: str, fix: str) -> Defect:
    """A defect at a byte offset of the prompt."""
    return _at(case, case.prompt.data.count(b"\n", 0, at) + 1, message, fix)


def _at(case: Case, line: int, message: str, fix: str) -> Defect:
    """A defect of prompt.md."""
    return Defect(f"{case.path}/{PROMPT_FILE}", line, message, fix)
