"""The demo converts what rules cover and, with recordings or a model, what they do not."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest

from agent.console import Console
from agent.options import Options
from scripts.demo import RECORDING, SAID, demo
from tests.support.recorded import EXAMPLES, ROOT, recorded

TASKS, BY_RULES = 18, 13


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)


def test_the_demo_plays_recordings_and_says_so(tmp_path: Path) -> None:
    err = StringIO()
    options = Options(ROOT / "examples/harbor", tmp_path / "out", proof="none")
    ending = demo(options, Console(quiet=True, err=err))
    played = [name for name in EXAMPLES if name in recorded()]
    assert SAID in err.getvalue()
    assert (ending.table["books"]["in"], ending.table["books"]["converted"]) == (TASKS, BY_RULES + len(played))
    assert {row["case"] for row in ending.table["sessions"]} == set(EXAMPLES)
    assert f"2 sessions with {RECORDING}: " in ending.text
    assert ", 0.00 USD" in ending.text


def test_what_has_no_recording_stays_refused_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scripts.demo.ODD", tmp_path / "nothing")
    ending = demo(Options(ROOT / "examples/harbor", tmp_path / "out", proof="none"), Console(quiet=True))
    assert ending.table["books"]["converted"] == BY_RULES
    assert {row["detail"] for row in ending.table["sessions"]} == {"this is a recording, and it has no answer to this"}


def test_with_a_key_the_model_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "planted-key")
    asked = []
    monkeypatch.setattr("agent.convert.convert", lambda *given: asked.append(len(given)))
    demo(Options(ROOT / "examples/harbor", tmp_path / "out"), Console(quiet=True))
    assert asked == [3]  # no mind of ours among them
