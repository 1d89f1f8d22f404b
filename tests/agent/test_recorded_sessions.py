"""Sessions in which a mind executed the skill over odd verifiers, played again: the same suite, and nobody is asked."""

from __future__ import annotations

import json
import statistics
from pathlib import Path

import pytest

from agent.model import AnthropicModel, open_client
from tests.support import recorded
from tests.support.cassettes import cassette, fingerprint
from tests.support.images import why_no_docker
from tests.support.odd import MODEL
from tests.support.recorded import NAMES, ODD, ROOT, asked, convert, played
from tests.support.tapes import metadata, replies, taped

RECORDED = recorded.recorded()
MOST_BYTES = 100_000  # of one session, proofs included


def test_all_sessions_are_recorded() -> None:
    assert len(NAMES) >= 14
    assert list(NAMES) == RECORDED


@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_session_converts_its_task_again(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with cassette(name, fingerprint(MODEL), monkeypatch, origin="bridge", folder=ODD):
        ending = convert(tmp_path, name, AnthropicModel(open_client("anthropic", {}), MODEL), played(name), monkeypatch)
    (row,) = ending.table["sessions"]
    assert (ending.status, row["ended"], row["converted"]) == (0, "proposed", 1)
    assert row["turns"] == len(replies(ODD / f"{name}.yaml"))


@pytest.mark.parametrize("name", RECORDED)
def test_a_recording_is_small_and_says_who_answered(name: str) -> None:
    path = ODD / f"{name}.yaml"
    assert metadata(path)["origin"] == "bridge"
    assert path.stat().st_size + path.with_suffix(".proofs.json").stat().st_size < MOST_BYTES


@pytest.mark.parametrize("name", RECORDED)
def test_a_recording_holds_nothing_of_the_machine_it_was_made_on(name: str) -> None:
    for path in ODD.glob(f"{name}.*"):
        text = path.read_text().lower()
        assert not any(part in text for part in ("authorization", "x-api-key", "sk-ant-", str(ROOT)))


def test_half_of_the_sessions_take_eight_turns_at_most() -> None:
    turns = [len(replies(ODD / f"{name}.yaml")) for name in RECORDED] or [0]
    assert statistics.median(turns) <= 8


@pytest.mark.docker
@pytest.mark.skipif(bool(why_no_docker()), reason=why_no_docker())
@pytest.mark.parametrize("name", [name for name in ("pipe-organ",) if name in RECORDED])  # the quickest to build
def test_what_was_recorded_still_holds_in_containers(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ending = convert(tmp_path, name, taped(MODEL, ODD, [name]), asked(name, tmp_path), monkeypatch)
    assert ending.table["books"]["converted"] == 1, ending.table["sessions"]
    assert json.loads((tmp_path / f"{name}.proofs.json").read_text())
