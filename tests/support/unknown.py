"""Sources of no known framework, a model that writes their recipe as told, and a conversion with both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from agent import convert as conversion
from agent.console import Console
from agent.ending import Ending
from agent.messages import Block, Reply
from agent.options import Options
from skill.evidence import CaseProof, StateResult, verdict_of
from tests.support.odd import mind
from tests.support.recipes import FILES, RECIPE, ROW, put_rows
from tests.support.scripted import calls, reply, says
from tools.workbench import Proved

RECIPE_FILE = "suite/recipe/recipe.toml"


def rows(number: int) -> list[dict[str, str]]:
    """Records that the recipe of tests.support.recipes fits."""
    return [{**ROW, "id": f"quay-{at:05}", "question": f"How many boats lie at quay {at}?"} for at in range(number)]


def put_source(root: Path, number: int = 5, more: Sequence[Mapping[str, Any] | str] = ()) -> Path:
    """A source of ``number`` sound records and ``more`` below ``root``/set."""
    return put_rows(root / "set", [*rows(number), *more])


def writes(recipe: str = RECIPE, files: Mapping[str, str] | None = None) -> Reply:
    """The whole recipe in one reply."""
    held = {"recipe.toml": recipe, **FILES, **(files or {})}
    return reply(*(calls(name, "write", path=f"suite/recipe/{name}", content=held[name]) for name in held))


def edits(old: str, new: str, name: str = "recipe.toml") -> Reply:
    """A change of one file of the recipe."""
    return reply(calls("e", "write", path=f"suite/recipe/{name}", old=old, new=new))


def drafts() -> Reply:
    """Ask for the cases."""
    return reply(calls("d", "draft"))


def proves() -> Reply:
    """Ask for the proof."""
    return reply(calls("m", "margin_run"))


def ends(text: str = "done") -> Reply:
    """End the turn."""
    return reply(says(text))


SOUND = [writes(), drafts(), proves(), ends()]


class Believing:
    """Containers in which a case holds unless its tests hold the word ``doubted``."""

    def __init__(self, doubted: str = "no such word") -> None:
        self.doubted = doubted
        self.asked: list[str] = []

    def proved(self, root: Path, name: str) -> Proved:
        self.asked.append(name)
        text = "".join(path.read_text() for path in (root / "cases" / name / "tests").glob("*.py"))
        null = 0 if self.doubted in text else 1
        results = (StateResult("oracle", 0, 0, "pass", 1.0), StateResult("null", 1, null, verdict_of(null), 1.0))
        return Proved(CaseProof(name, "fake", results))


def convert(root: Path, model: Any, limits: Mapping[str, Any] | None = None, **options: Any) -> Ending:
    """The conversion of ``root``/set into ``root``/out."""
    given = replace(Options(root / "set", root / "out", proof="none", jobs=1), **options)
    assert given.output
    return conversion.convert(given, given.output, Console(quiet=True), mind(model, **(limits or {})))


def results(request: Any) -> list[Block]:
    """The answers of tools that the last message of a request holds."""
    return [block for block in request.messages[-1]["content"] if block["type"] == "tool_result"]
