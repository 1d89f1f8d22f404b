"""Recordings are policed: real bytes come back, and nothing stale, changed, unplayed or secret passes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agent import loop
from agent.errors import ModelUnreachable
from agent.model import AnthropicModel, open_client
from agent.patience import Watch
from agent.stop import Stop
from tests.support.cassettes import FOLDER, ORIGINS, cassette, fingerprint
from tests.support.messages_server import Fails, Says, serving
from tests.support.scripted import calls, says
from tests.support.sessions import SCRIPT, Place, budget, verifier

KEY = "planted-key-0123456789"
MODEL = "claude-opus-5-5"
STEPS = [
    Says([{"type": "thinking", "thinking": "", "signature": "c2ln"}, calls("1", "read", path="source/tests/test.sh")]),
    Fails(529, "overloaded_error", headers={"retry-after": "1"}),
    Says([calls("2", "write", path=SCRIPT, content=verifier())], cut_after=9),
    Says([calls("2", "write", path=SCRIPT, content=verifier())]),
    Says([says("done")]),
]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS", "HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)


def talk(place: Place, brief: str = "Write the verifier.") -> Stop:
    model = AnthropicModel(open_client("anthropic", {}), MODEL)
    watch = Watch(sleep=lambda seconds: None)
    return loop.run(place.session(brief), model, place.toolbox(), budget(), watch)


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Stop, dict[str, str]]:
    """A session recorded against a server: the folder of the cassette, its end, its tree."""
    place = Place(tmp_path / "first")
    with serving(*STEPS) as server, monkeypatch.context() as patch:
        patch.setenv("CASSETTE", "all")
        patch.setenv("ANTHROPIC_BASE_URL", server.url)
        with cassette("talk", fingerprint(MODEL), patch, origin="scripted", folder=tmp_path):
            stop = talk(place)
    return tmp_path, stop, place.tree()


def test_a_recording_plays_the_same_session_without_a_server(recorded: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, stop, tree = recorded
    place = Place(folder / "second")
    with cassette("talk", fingerprint(MODEL), monkeypatch, origin="scripted", folder=folder) as tape:
        assert talk(place) == stop
    assert tape.play_count == len(STEPS)
    assert place.tree() == tree


def test_a_recording_holds_neither_key_nor_cookie_nor_the_skill_again(recorded: Any) -> None:
    text = (recorded[0] / "talk.yaml").read_text()
    for part in (KEY, "server-secret", "127.0.0.1", "authorization", "x-api-key", "When a gate speaks"):
        assert part not in text.replace(f"{recorded[0]}", "")
    assert "origin: scripted" in text
    assert text.count("event: message_start") == 4
    assert len(text) < 40_000


def test_another_conversation_is_told_with_its_place(recorded: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        pytest.raises(AssertionError, match=r"talk\.yaml: no_match(?s:.*)last differs"),
        cassette("talk", fingerprint(MODEL), monkeypatch, folder=recorded[0]),
    ):
        talk(Place(recorded[0] / "second"), "Write it differently.")


def test_a_recording_of_other_tools_is_stale(recorded: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AssertionError, match="stale"), cassette("talk", "other", monkeypatch, folder=recorded[0]):
        pass


def test_a_recording_that_is_not_played_to_its_end_is_told(recorded: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        pytest.raises(AssertionError, match="0 of 5 replies were asked for"),
        cassette("talk", fingerprint(MODEL), monkeypatch, folder=recorded[0]),
    ):
        pass


def test_a_recording_of_another_origin_is_told(recorded: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        pytest.raises(AssertionError, match="is of scripted, not api"),
        cassette("talk", fingerprint(MODEL), monkeypatch, origin="api", folder=recorded[0]),
    ):
        pass


def test_a_recording_that_is_not_there_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        pytest.raises(AssertionError, match="not recorded yet"),
        cassette("talk", fingerprint(MODEL), monkeypatch, folder=tmp_path),
    ):
        pass


def test_no_request_leaves_the_machine_while_playing(recorded: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        serving(*STEPS) as server,
        pytest.raises(AssertionError),
        cassette("talk", fingerprint(MODEL), monkeypatch, folder=recorded[0]),
    ):
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        with pytest.raises(ModelUnreachable):
            talk(Place(recorded[0] / "second"), "Something else.")
    assert server.requests == []


@pytest.mark.parametrize("path", sorted(FOLDER.glob("**/*.yaml")), ids=lambda path: path.stem)
def test_every_cassette_says_where_it_is_from_and_holds_no_key(path: Path) -> None:
    text = path.read_text()
    assert any(f"origin: {origin}" in text for origin in ORIGINS)
    assert not any(part in text.lower() for part in ("authorization", "x-api-key", "set-cookie", "sk-ant-"))
