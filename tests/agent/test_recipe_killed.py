"""A conversion whose session writes a recipe, killed at any record or at any step that lands the recipe, goes on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from agent import recipe_draft, recipe_kept
from agent.journal import Journal
from tests.support.harbor import snapshot
from tests.support.scripted import Remembering
from tests.support.unknown import SOUND, convert, put_source

OF_SESSION = 22  # records of the session; the rest are the conversion's


class Killed(BaseException):
    """Nothing in the program handles this."""


class Counting:
    """Lets a number of records through."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, last: int | None = None) -> None:
        self.seen = 0
        append = Journal.append

        def counted(journal: Journal, record: Mapping[str, Any]) -> int:
            if last is not None and self.seen >= last:
                raise Killed
            self.seen += 1
            return append(journal, record)

        monkeypatch.setattr(Journal, "append", counted)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, tuple[str, str]], int]:
    """The suite of a run that nobody disturbed, and how many records it made."""
    root = tmp_path_factory.mktemp("whole")
    put_source(root)
    with pytest.MonkeyPatch.context() as patched:
        counting = Counting(patched)
        convert(root, Remembering(SOUND))
        return snapshot(root / "out"), counting.seen


def goes_on(root: Path, first: Remembering, whole: dict[str, tuple[str, str]]) -> None:
    second = Remembering(SOUND)
    convert(root, second)
    assert snapshot(root / "out") == whole
    assert len(first.requests) + len(second.requests) - len(SOUND) in (0, 1)  # a reply that was not yet recorded


@pytest.mark.parametrize("at", range(OF_SESSION + 1))
def test_a_kill_at_any_record_changes_neither_suite_nor_cost(
    at: int, whole: tuple[dict[str, tuple[str, str]], int], tmp_path: Path
) -> None:
    assert whole[1] > OF_SESSION
    put_source(tmp_path)
    first = Remembering(SOUND)
    with pytest.MonkeyPatch.context() as patched:
        Counting(patched, at)
        with pytest.raises(Killed):
            convert(tmp_path, first)
    goes_on(tmp_path, first, whole[0])


@pytest.mark.parametrize(
    ("module", "name", "times"),
    [(recipe_draft, "remove", at) for at in (1, 2)] + [(recipe_kept, "remove", at) for at in (1, 2, 3)],
)
def test_a_kill_while_cases_or_the_recipe_land(
    module: Any, name: str, times: int, whole: tuple[dict[str, tuple[str, str]], int], tmp_path: Path
) -> None:
    put_source(tmp_path)
    first, seen = Remembering(SOUND), 0
    does = getattr(module, name)

    def killed(path: Path) -> None:
        nonlocal seen
        seen += 1
        if seen == times:
            raise Killed
        does(path)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, name, killed)
        with pytest.raises(Killed):
            convert(tmp_path, first)
    goes_on(tmp_path, first, whole[0])
