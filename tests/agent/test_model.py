"""The door to the Messages API: real bytes over a real connection, and every way they can fail."""

from __future__ import annotations

import inspect
from typing import Any

import anthropic
import pytest

from agent.errors import AgentError, ModelBusy, ModelDenied, ModelError, ModelRejected, ModelUnreachable, SpendLimit
from agent.messages import Reply, Request
from agent.model import AnthropicModel, open_client
from agent.model_errors import table
from agent.usage import NOTHING, Usage
from tests.support.messages_server import USAGE, Fails, MessagesServer, Says, Step, serving
from tests.support.scripted import calls, says

SYSTEM = ({"type": "text", "text": "the skill"},)
TOOLS = ({"name": "read", "description": "reads", "input_schema": {"type": "object", "properties": {}}},)
REQUEST = Request(SYSTEM, TOOLS, [{"role": "user", "content": [says("hello")]}], 4_000)
THINKING = {"type": "thinking", "thinking": "", "signature": "c2lnbmVk"}
WRITE = calls("w", "write", path="suite/x", content="hello world, this is long enough to be cut in two or three")


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS", "HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-planted-0123456789")


def asked(server: MessagesServer, monkeypatch: pytest.MonkeyPatch, effort: str = "") -> Reply:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
    environ = {"ANTHROPIC_API_KEY": "sk-ant-planted-0123456789", "ANTHROPIC_BASE_URL": server.url}
    return AnthropicModel(open_client("anthropic", environ), "claude-opus-5-5", effort).reply(REQUEST)


def test_a_streamed_reply_comes_back_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Says([THINKING, says("a look first"), WRITE])) as server:
        reply = asked(server, monkeypatch)
    assert reply.content == (THINKING, says("a look first"), WRITE)
    assert (reply.stop_reason, reply.request_id) == ("tool_use", "req_1")
    assert reply.usage == Usage(fresh=100, cache_write=1_000, cache_read=10_000, output=200)


def test_a_kind_of_block_that_nobody_knows_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    novel = {"type": "novel", "depth": 3, "more": {"a": [1]}}
    with serving(Says([novel, WRITE])) as server:
        reply = asked(server, monkeypatch)
    assert reply.content == (novel, WRITE)
    assert [call.id for call in reply.calls] == ["w"]


def test_what_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Says([says("hi")])) as server:
        asked(server, monkeypatch, effort="high")
    body = server.requests[0]
    assert body.pop("stream") is True
    assert body == {
        "model": "claude-opus-5-5",
        "max_tokens": 4_000,
        "system": list(SYSTEM),
        "tools": list(TOOLS),
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hello"}]}],
        "output_config": {"effort": "high"},
    }


def test_a_gateway_of_either_age_finds_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Says([says("hi")])) as server:
        asked(server, monkeypatch)
    headers = server.headers[0]
    assert headers["x-api-key"] == headers["authorization"].removeprefix("Bearer ") == "sk-ant-planted-0123456789"


FAILURES: list[tuple[str, Step, type[AgentError]]] = [
    ("overloaded", Fails(529, "overloaded_error"), ModelBusy),
    ("rate limit", Fails(429, "rate_limit_error"), ModelBusy),
    ("server error", Fails(500), ModelBusy),
    ("bad gateway with a page", Fails(502, body=b"<html>nginx</html>"), ModelBusy),
    ("time-out", Fails(408, "timeout_error"), ModelBusy),
    ("conflict", Fails(409), ModelBusy),
    ("not to be tried again", Fails(529, "overloaded_error", headers={"x-should-retry": "false"}), ModelRejected),
    ("enforced limit", Fails(429, "rate_limit_error", "enforced_spend_limit_reached"), SpendLimit),
    ("contract limit", Fails(429, "rate_limit_error", "contract_spend_limit_reached"), SpendLimit),
    ("no credit", Fails(402, "billing_error"), SpendLimit),
    ("wrong key", Fails(401, "authentication_error"), ModelDenied),
    ("not allowed", Fails(403, "permission_error"), ModelDenied),
    ("bad request", Fails(400, "invalid_request_error"), ModelRejected),
    ("no such model", Fails(404, "not_found_error"), ModelRejected),
    ("too large", Fails(413, "request_too_large"), ModelRejected),
    ("unknown status", Fails(418), ModelRejected),
    ("ends before it begins", Says([], cut_after=0), ModelUnreachable),
    ("ends early and cleanly", Says([WRITE], cut_after=5), ModelUnreachable),
    ("reset in the middle", Says([WRITE], cut_after=5, is_clean=False), ModelUnreachable),
    ("garbled in the middle", Says([WRITE], cut_after=5, garbled=True), ModelUnreachable),
    ("overloaded in the middle", Says([WRITE], cut_after=5, error="overloaded_error"), ModelBusy),
    ("server error in the middle", Says([WRITE], cut_after=5, error="api_error"), ModelBusy),
    ("rejected in the middle", Says([WRITE], cut_after=5, error="invalid_request_error"), ModelRejected),
    ("something new in the middle", Says([WRITE], cut_after=5, error="novel_error"), ModelBusy),
]


@pytest.mark.parametrize(("name", "step", "kind"), FAILURES, ids=[row[0] for row in FAILURES])
def test_a_failure_is_one_of_ours(
    name: str, step: Step, kind: type[AgentError], monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(step) as server, pytest.raises(AgentError) as caught:
        asked(server, monkeypatch)
    assert type(caught.value) is kind
    assert len(server.requests) == 1  # trying again is not the door's business
    assert "\n" not in str(caught.value)
    assert "sk-ant-" not in str(caught.value)


@pytest.mark.parametrize(("status", "remedy"), [(401, "--model none"), (403, "--model none"), (404, "--model")])
def test_what_a_person_can_mend_is_said(status: int, remedy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Fails(status)) as server, pytest.raises(ModelError) as caught:
        asked(server, monkeypatch)
    assert remedy in str(caught.value)


@pytest.mark.parametrize("row", FAILURES[-7:], ids=lambda row: row[0])
def test_what_a_broken_reply_used_is_told(row: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(row[1]) as server, pytest.raises(ModelError) as caught:
        asked(server, monkeypatch)
    usage = caught.value.usage
    assert (usage.fresh, usage.cache_write, usage.cache_read, usage.is_partial) == (100, 1_000, 10_000, True)
    assert usage.output > 20  # not what the beginning of the stream says, but what came


def test_no_server_is_unreachable(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving() as server:
        pass
    with pytest.raises(ModelUnreachable) as caught:
        asked(server, monkeypatch)
    assert caught.value.usage == NOTHING


@pytest.mark.parametrize(
    ("headers", "seconds"), [({"retry-after": "7"}, 7.0), ({"retry-after-ms": "250"}, 0.25), ({}, 0.0)]
)
def test_the_wait_asked_for_is_told(headers: dict[str, str], seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Fails(429, "rate_limit_error", headers=headers)) as server, pytest.raises(ModelBusy) as caught:
        asked(server, monkeypatch)
    assert (caught.value.retry_after, caught.value.request_id) == (seconds, "req_f")


def test_input_that_was_cut_is_kept_apart_by_its_stop_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Says([WRITE], stop="max_tokens")) as server:
        assert asked(server, monkeypatch).stop_reason == "max_tokens"


def test_a_refusal_tells_category_and_explanation(monkeypatch: pytest.MonkeyPatch) -> None:
    details = {"type": "refusal", "category": "cyber", "explanation": "looks like an exploit"}
    with serving(Says([says("I")], stop="refusal", details=details)) as server:
        assert asked(server, monkeypatch).detail == "cyber: looks like an exploit"


def test_an_endpoint_that_tells_no_usage_is_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Says([says("hi")], usage={}, output_tokens=None)) as server:
        usage = asked(server, monkeypatch).usage
    assert usage.is_partial
    assert usage.fresh > 10
    assert usage.output > 5


def test_every_error_of_the_client_has_its_counterpart() -> None:
    foreign = [kind for _, kind in inspect.getmembers(anthropic._exceptions, inspect.isclass)]
    kinds = [kind for kind in foreign if issubclass(kind, anthropic.APIError)]
    assert len(kinds) > 15
    assert all(any(base in table() for base in kind.__mro__) for kind in kinds)


def test_cache_figures_for_an_hour_are_counted_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    usage = {**USAGE, "cache_creation": {"ephemeral_5m_input_tokens": 400, "ephemeral_1h_input_tokens": 600}}
    with serving(Says([says("hi")], usage=usage)) as server:
        found = asked(server, monkeypatch).usage
    assert (found.cache_write, found.cache_write_long) == (400, 600)
