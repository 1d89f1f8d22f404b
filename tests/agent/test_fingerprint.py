"""What counts as the intact result of an earlier run."""

from __future__ import annotations

from pathlib import Path

from agent.fingerprint import is_intact
from agent.outcome import Outcome, TaskResult
from skill.ledger import Action, Row, digest


def test_a_staged_case_that_was_removed_or_changed_is_not_intact(tmp_path: Path) -> None:
    row = Row("a", Action.GENERATED, digest(b"x"), 0o644, by="test")
    before = TaskResult("tern", "tern", Outcome.CONVERTED, ledger=(row,))
    place = tmp_path / "tern"
    assert not is_intact(place, before)
    place.mkdir()
    assert not is_intact(place, before)
    (place / "a").write_bytes(b"x")
    (place / "a").chmod(0o644)
    assert is_intact(place, before)
    (place / "b").write_bytes(b"")
    assert not is_intact(place, before)
