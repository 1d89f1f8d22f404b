"""A key that is in the environment is nowhere else: not in transcript, case, request, error, child or container."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from agent import loop
from agent.budget import Budget, Limits
from agent.errors import AgentError
from agent.model import AnthropicModel, open_client
from agent.pricing import rules_of
from agent.redact import MASK, Redactor
from tests.support.messages_server import Fails, Says, serving
from tests.support.scripted import calls, says
from tests.support.sessions import SCRIPT, Place, verifier
from tools.process import environment, run

KEY = "planted-key-0123456789"
ENVIRON = {"ANTHROPIC_API_KEY": KEY, "HOME": "/root", "OTHER_TOKEN": "another-secret-value", "SHORT_KEY": "abc"}

TEXTS = [
    ("nothing here", "nothing here"),
    ("abc", "abc"),
    ("/root is a home", "/root is a home"),
    ("the monkey and the keyboard", "the monkey and the keyboard"),
    ("task-sk-anteater", "task-sk-anteater"),
    (f"key={KEY}!", f"key={MASK}!"),
    (f"{KEY}{KEY}", f"{MASK}{MASK}"),
    ("another-secret-value", MASK),
    ("sk-ant-api03-abcdefghijk", MASK),
    ("Authorization: Bearer abcdefghijklmnopqrstuv", f"Authorization: Bearer {MASK}"),
    ("AKIAABCDEFGHIJKLMNOP", MASK),
    ("ghp_0123456789abcdefghij0123", MASK),
    ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nafter", f"{MASK}\nafter"),
]


@pytest.mark.parametrize(("text", "expected"), TEXTS)
def test_what_is_masked(text: str, expected: str) -> None:
    assert Redactor(ENVIRON).text(text) == expected


def test_a_longer_secret_is_masked_whole() -> None:
    found = Redactor({"A_KEY": "planted-key", "B_KEY": "planted-key-and-more"})
    assert found.text("planted-key-and-more, planted-key") == f"{MASK}, {MASK}"


def test_values_are_masked_at_any_depth() -> None:
    value = {"a": [KEY, {KEY: (1, None, f"x {KEY}")}], "n": 3}
    assert Redactor(ENVIRON).value(value) == {"a": [MASK, {MASK: [1, None, f"x {MASK}"]}], "n": 3}


def test_headers_given_by_variable_are_masked_one_by_one() -> None:
    found = Redactor({"ANTHROPIC_CUSTOM_HEADERS": "x-team: evals\nx-pass: open-sesame-now"})
    assert found.text("sent open-sesame-now") == f"sent {MASK}"


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS", "HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)


def test_a_session_leaves_the_key_nowhere(planted: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place(tmp_path / "place", {"tests/notes.txt": f"the operator's key is {KEY}\n"})
    before = (place.source / "tests/notes.txt").read_text()
    asked = [calls("1", "read", path="source/tests/notes.txt"), calls("2", "read", path="source", search=KEY)]
    steps = [
        Fails(529, "overloaded_error"),
        Says(asked),
        Says([says(f"I found {KEY}"), calls("3", "write", path=SCRIPT, content=verifier())]),
        Says([calls("4", f"tool-{KEY}")]),
        Says([says("done")]),
    ]
    with serving(*steps) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        redactor = Redactor({"ANTHROPIC_API_KEY": KEY})
        model = AnthropicModel(open_client("anthropic", {}), "claude-opus-5-5")
        session = place.session(clean=redactor.value)
        watch = loop.Watch(sleep=lambda seconds: None)
        budget = Budget(Limits(usd=Decimal(5)), rules_of(model.name))
        loop.run(session, model, place.toolbox(clean=redactor.text), budget, watch)
        session.close()
    results = [block for body in server.requests for message in body["messages"] for block in _results(message)]
    assert KEY not in json.dumps(results)
    kept = [path for path in (place.root / "run").rglob("*") if path.is_file()]
    assert kept
    assert all(KEY.encode() not in path.read_bytes() for path in kept)
    assert (place.source / "tests/notes.txt").read_text() == before  # the dataset is not ours to mend


def _results(message: dict[str, Any]) -> list[Any]:
    return [block for block in message["content"] if block["type"] == "tool_result"]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500, 529])
def test_no_error_tells_the_key(status: int, planted: None, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Fails(status)) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        model = AnthropicModel(open_client("anthropic", {"ANTHROPIC_API_KEY": KEY}), "claude-opus-5-5")
        with pytest.raises(AgentError) as caught:
            model.reply(loop.prompt.Prefix((), ()).request([{"role": "user", "content": [says("hi")]}], 10))
    assert KEY not in str(caught.value)


def test_a_child_process_never_sees_it(planted: None) -> None:
    assert KEY not in "".join(environment().values())
    done = run(["env"], timeout=10)
    assert "PATH=" in done.stdout
    assert KEY not in done.stdout
