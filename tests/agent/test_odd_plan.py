"""What a plan says about odd verifiers: their shapes, and what a session for each would cost."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from agent.console import Console
from agent.convert import plan
from agent.errors import UsageError
from agent.options import Options
from tests.support.harbor import make_dataset
from tests.support.odd import put_odd


def sessions(root: Path, **options: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = plan(Options(root, plan=True, **options), Console(quiet=True)).table["sessions"]
    return rows


def test_without_odd_verifiers_nothing_is_said(tmp_path: Path) -> None:
    make_dataset(tmp_path)
    ending = plan(Options(tmp_path, plan=True), Console(quiet=True))
    assert ending.table["sessions"] == []
    assert "odd verifiers" not in ending.text


def test_the_cost_goes_by_shapes_and_not_by_tasks(tmp_path: Path) -> None:
    for at in range(5):
        put_odd(tmp_path / "few", f"lamp-{at}", at % 2)
    for at in range(40):
        put_odd(tmp_path / "many", f"lamp-{at}", at % 2)
    few, many = sessions(tmp_path / "few"), sessions(tmp_path / "many")
    assert [(row["tasks"], row["shape"]) for row in few] == [(3, few[0]["shape"]), (2, few[1]["shape"])]
    assert sum(Decimal(row["usd"]) for row in few) == sum(Decimal(row["usd"]) for row in many) > 0


def test_a_large_script_costs_more(tmp_path: Path) -> None:
    put_odd(tmp_path / "small", "lamp")
    script = put_odd(tmp_path / "large", "lamp") / "tests/test.sh"
    script.write_text(script.read_text() + "# a note that is read and paid for\n" * 300)
    assert Decimal(sessions(tmp_path / "large")[0]["usd"]) > Decimal(sessions(tmp_path / "small")[0]["usd"])


def test_a_person_is_told_which_model_it_would_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.delenv("ANTHROPIC_AUTH_TOKEN", raising=False)
    put_odd(tmp_path, "lamp")
    text = plan(Options(tmp_path, plan=True), Console(quiet=True)).text
    assert "odd verifiers: 1 shape of 1 task, one session each, about " in text
    assert "model: none, for there is no ANTHROPIC_API_KEY" in text


def test_a_model_that_cannot_be_used_is_said_before_anything_is_spent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    put_odd(tmp_path, "lamp")
    with pytest.raises(UsageError, match="ANTHROPIC_API_KEY"):
        sessions(tmp_path, model="claude-opus-5-5")
