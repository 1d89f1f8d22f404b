"""What a registry's answers mean: a digest that can be trusted, "there is none", or "nobody knows"."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from skill.image_ref import ImageRef, read_image_ref
from skill.pins import MISSING, NO_PLATFORM, UNKNOWN, Pin, Resolution, Unpinned
from tests.support.registry import OCI_INDEX, Answer, FakeRegistry, fake_registry, sha
from tools.registry import http
from tools.registry.base import NoAnswer, Terms
from tools.registry.client import RegistryClient
from tools.registry.resolve import Resolver

DENIED = json.dumps({"errors": [{"code": "DENIED"}]}).encode()


@pytest.fixture
def registry() -> Iterator[FakeRegistry]:
    with fake_registry() as opened:
        yield opened


@pytest.fixture(autouse=True)
def no_logins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The client's settings of these tests, with no login in them."""
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    return tmp_path


@pytest.fixture
def pauses() -> list[float]:
    return []


def resolver(pauses: list[float], **changes: object) -> Resolver:
    return Resolver(RegistryClient(sleep=pauses.append), **changes)  # type: ignore[arg-type]


def code_and_reason(found: Resolution) -> tuple[str, str]:
    assert isinstance(found, Unpinned), found
    return found.code, found.reason


def test_a_tag_is_pinned_by_the_digest_of_what_was_read(registry: FakeRegistry, pauses: list[float]) -> None:
    digest = registry.put_image("nest", "2")
    found = resolver(pauses).one(f"{registry.name}/nest:2")
    assert found == Pin(f"{registry.name}/nest:2", f"{registry.name}/nest:2@{digest}", "registry")


def test_of_several_platforms_the_index_is_pinned(registry: FakeRegistry, pauses: list[float]) -> None:
    digest = registry.put_index("nest", "2", "linux/amd64", "linux/arm64/v8")
    for platform in ("linux/amd64", "linux/arm64", "linux/arm64/v8"):
        found = resolver(pauses, platform=platform).one(f"{registry.name}/nest:2")
        assert isinstance(found, Pin) and found.pinned.endswith(digest)
    for platform in ("linux/arm", "linux/arm64/v9", "windows/amd64"):
        code, reason = code_and_reason(resolver(pauses, platform=platform).one(f"{registry.name}/nest:2"))
        assert code == NO_PLATFORM
        assert f"is not there for {platform}, only for linux/amd64, linux/arm64/v8" in reason


def test_a_single_image_tells_its_platform_in_its_configuration(registry: FakeRegistry, pauses: list[float]) -> None:
    registry.put_image("nest", "2", platform="linux/arm64")
    code, reason = code_and_reason(resolver(pauses).one(f"{registry.name}/nest:2"))
    assert (code, reason.rpartition("only for ")[2]) == (NO_PLATFORM, "linux/arm64")


def test_a_thousand_cases_over_twenty_images_are_twenty_requests(registry: FakeRegistry, pauses: list[float]) -> None:
    for number in range(20):
        registry.put_index("nest", str(number), "linux/amd64")
    names = [f"{registry.name}/nest:{number % 20}" for number in range(1000)]
    found = list(resolver(pauses).resolve(names))
    assert len(found) == 20 and all(isinstance(one, Pin) for one in found)
    assert len(registry.manifests()) == 20


def test_what_the_pins_hold_asks_nobody(registry: FakeRegistry, pauses: list[float]) -> None:
    name = f"{registry.name}/nest:2"
    pins = {name: f"{name}@{sha(b'old')}"}
    assert resolver(pauses, pins=pins).one(name) == Pin(name, pins[name], "pins")
    assert registry.asked == []


def test_the_engine_is_asked_only_when_the_registry_cannot_say(registry: FakeRegistry, pauses: list[float]) -> None:
    def engine(ref: ImageRef) -> str:
        return sha(b"pulled")

    registry.put_image("nest", "2")
    there = resolver(pauses, engine=engine).one(f"{registry.name}/nest:2")
    assert isinstance(there, Pin) and there.by == "registry"
    missing = resolver(pauses, engine=engine).one(f"{registry.name}/nest:3")
    assert code_and_reason(missing)[0] == MISSING
    registry.behaviour = lambda *_: Answer(403, DENIED)
    denied = resolver(pauses, engine=engine).one(f"{registry.name}/nest:2")
    assert isinstance(denied, Pin) and (denied.by, denied.pinned[-71:]) == ("engine", sha(b"pulled"))


def schema_1(_: FakeRegistry, asked: BaseHTTPRequestHandler) -> Answer:
    body = json.dumps({"schemaVersion": 1, "name": "nest"}).encode()
    return Answer(200, body, {"Content-Type": "application/vnd.docker.distribution.manifest.v1+prettyjws"})


def wrong_digest(held: FakeRegistry, asked: BaseHTTPRequestHandler) -> Answer:
    kind, body = held.held["/v2/nest/manifests/2"]
    return Answer(200, body, {"Content-Type": kind, "Docker-Content-Digest": sha(b"other")})


def login_page(*_: object) -> Answer:
    return Answer(200, b"<html>", {"Content-Type": "text/html"})


def cut_off(held: FakeRegistry, asked: BaseHTTPRequestHandler) -> Answer:
    asked.close_connection = True
    return Answer(200, b"{", {"Content-Length": "400"})


def circle(*_: object) -> Answer:
    return Answer(307, b"", {"Location": "/v2/nest/manifests/2"})


@pytest.mark.parametrize(
    ("behaviour", "code", "said"),
    [
        (lambda *_: Answer(404, b""), MISSING, "has no such image"),
        (lambda *_: Answer(404, b'{"errors": [{"code": "NAME_UNKNOWN"}]}'), MISSING, "has no such image"),
        (lambda *_: Answer(404, b'{"errors": [{"code": "ODD"}]}'), UNKNOWN, "answers 404 ODD"),
        (lambda *_: Answer(401, DENIED), UNKNOWN, "denies access"),
        (lambda *_: Answer(403, DENIED), UNKNOWN, "denies access"),
        (lambda *_: Answer(401, b"", {"WWW-Authenticate": 'Basic realm="x"'}), UNKNOWN, "wants a login"),
        (lambda *_: Answer(401, b"", {"WWW-Authenticate": "Negotiate"}), UNKNOWN, "a kind of login that is not known"),
        (lambda *_: Answer(503, b""), UNKNOWN, "answers 503"),
        (lambda *_: Answer(200, b"[]", {"Content-Type": OCI_INDEX}), UNKNOWN, "no manifest"),
        (lambda *_: Answer(200, b"{", {"Content-Type": OCI_INDEX}), UNKNOWN, "no JSON"),
        (lambda *_: Answer(200, b"x" * 5_000_000, {"Content-Type": OCI_INDEX}), UNKNOWN, "more than 4194304 bytes"),
        (login_page, UNKNOWN, "no JSON"),
        (schema_1, UNKNOWN, "schema 1"),
        (wrong_digest, UNKNOWN, "that it calls"),
        (cut_off, UNKNOWN, "broke off|cannot be reached"),
        (circle, UNKNOWN, "answers 307|redirect"),
    ],
)
def test_unknown_is_not_missing(
    behaviour: object, code: str, said: str, registry: FakeRegistry, pauses: list[float]
) -> None:
    registry.put_image("nest", "2")
    registry.behaviour = behaviour  # type: ignore[assignment]
    found, reason = code_and_reason(resolver(pauses).one(f"{registry.name}/nest:2"))
    assert found == code
    assert re.search(said, reason), reason


def test_a_digest_that_was_asked_for_must_be_that_of_the_content(registry: FakeRegistry) -> None:
    registry.put_image("nest", "2")
    other = f"/v2/nest/manifests/{sha(b'other')}"
    registry.held[other] = registry.held["/v2/nest/manifests/2"]
    ref = read_image_ref(f"{registry.name}/nest@{sha(b'other')}")
    assert ref is not None
    with pytest.raises(NoAnswer, match="that it calls"):
        RegistryClient().manifest(ref)


def test_a_registry_that_allows_no_more_is_waited_for_as_it_asks(registry: FakeRegistry, pauses: list[float]) -> None:
    registry.put_index("nest", "2", "linux/amd64")
    replies = [Answer(429, b"", {"Retry-After": "7"}), Answer(429, b""), None]
    registry.behaviour = lambda held, asked: replies.pop(0) if "/manifests/" in asked.path else None
    assert isinstance(resolver(pauses).one(f"{registry.name}/nest:2"), Pin)
    assert pauses == [7.0, 2.0]


def test_one_that_allows_nothing_for_long_is_given_up_for_all_names(
    registry: FakeRegistry, pauses: list[float]
) -> None:
    registry.behaviour = lambda held, asked: Answer(429, b"", {"Retry-After": "3600"})
    asks = resolver(pauses)
    for number in range(50):
        code, reason = code_and_reason(asks.one(f"{registry.name}/nest:{number}"))
        assert code == UNKNOWN and "allows no more requests" in reason
    assert len(registry.manifests()) == 1 and pauses == []


def test_a_registry_that_hangs_costs_a_bounded_time(
    registry: FakeRegistry, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "CONNECT_SECONDS", 0.1)
    registry.behaviour = lambda held, asked: Answer(seconds=0.5) if "/manifests/" in asked.path else None
    asks = resolver(pauses)
    for number in range(50):
        code, reason = code_and_reason(asks.one(f"{registry.name}/nest:{number}"))
        assert code == UNKNOWN and "does not answer" in reason
    assert len(registry.manifests()) <= 6


def test_no_registry_at_all(pauses: list[float]) -> None:
    with fake_registry() as gone:
        name = f"{gone.name}/nest:2"
    code, reason = code_and_reason(resolver(pauses).one(name))
    assert code == UNKNOWN and "refused" in reason.lower()


def test_a_redirect_is_followed_without_the_login(registry: FakeRegistry, no_logins: Path, pauses: list[float]) -> None:
    login(no_logins, registry.name, "auk:secret")
    digest = registry.put_image("nest", "2")
    seen: list[str | None] = []
    with fake_registry() as store:
        store.held = registry.held

        def sends_on(held: FakeRegistry, asked: BaseHTTPRequestHandler) -> Answer | None:
            if "Authorization" not in asked.headers:
                return Answer(401, b"", {"WWW-Authenticate": 'Basic realm="nests"'})
            return Answer(307, b"", {"Location": f"http://{store.name}{asked.path}"}) if "blobs" in asked.path else None

        def notes(held: FakeRegistry, asked: BaseHTTPRequestHandler) -> Answer | None:
            seen.append(asked.headers.get("Authorization"))
            return None

        registry.behaviour, store.behaviour = sends_on, notes
        found = resolver(pauses).one(f"{registry.name}/nest:2")
    assert isinstance(found, Pin) and found.pinned.endswith(digest)
    assert seen == [None]


def login(folder: Path, host: str, pair: str, **more: object) -> None:
    auths = {host: {"auth": base64.b64encode(pair.encode()).decode()}}
    (folder / "config.json").write_text(json.dumps({"auths": auths, **more}))


class TokenService:
    """Plays the challenge of a registry that gives tokens, to those who know the password."""

    def __init__(self, password: str = "") -> None:
        self.password = password
        self.given = 0

    def __call__(self, held: FakeRegistry, asked: BaseHTTPRequestHandler) -> Answer | None:
        told = asked.headers.get("Authorization", "")
        if asked.path.startswith("/token"):
            expected = "Basic " + base64.b64encode(f"auk:{self.password}".encode()).decode()
            if self.password and told != expected:
                return Answer(401, b"")
            self.given += 1
            assert "scope=repository%3Anest%3Apull" in asked.path and "service=nests" in asked.path
            return Answer(200, json.dumps({"token": "feather", "expires_in": 300}).encode())
        if told == "Bearer feather":
            return None
        scope = 'scope="repository:nest:pull"'
        challenge = f'Bearer realm="http://{held.name}/token",service="nests",{scope}'
        return Answer(401, b"", {"WWW-Authenticate": challenge})


def test_an_anonymous_token_is_asked_for_once(registry: FakeRegistry, pauses: list[float]) -> None:
    registry.behaviour = service = TokenService()
    for tag in ("1", "2"):
        registry.put_image("nest", tag)
    asks = resolver(pauses)
    assert all(isinstance(asks.one(f"{registry.name}/nest:{tag}"), Pin) for tag in ("1", "2"))
    assert service.given == 1


@pytest.mark.parametrize(("password", "said"), [("", "wants a login"), ("wrong", "refuses the login")])
def test_a_login_that_is_missing_or_wrong_leaves_it_unknown(
    password: str, said: str, registry: FakeRegistry, no_logins: Path, pauses: list[float]
) -> None:
    registry.behaviour = TokenService("secret")
    registry.put_image("nest", "2")
    if password:
        login(no_logins, registry.name, f"auk:{password}")
    code, reason = code_and_reason(resolver(pauses).one(f"{registry.name}/nest:2"))
    assert code == UNKNOWN and said in reason and "wrong" not in reason


def test_a_login_from_the_config_file(registry: FakeRegistry, no_logins: Path, pauses: list[float]) -> None:
    registry.behaviour = TokenService("secret")
    registry.put_image("nest", "2")
    login(no_logins, f"https://{registry.name}", "auk:secret")
    assert isinstance(resolver(pauses).one(f"{registry.name}/nest:2"), Pin)


@pytest.mark.parametrize("key", ["credHelpers", "credsStore"])
def test_a_login_from_a_credential_helper(
    key: str, registry: FakeRegistry, no_logins: Path, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    registry.behaviour = TokenService("secret")
    registry.put_image("nest", "2")
    helper = no_logins / "bin" / "docker-credential-gull"
    helper.parent.mkdir()
    answer = json.dumps({"ServerURL": registry.name, "Username": "auk", "Secret": "secret"})
    helper.write_text(f"#!/bin/sh\nread host\n[ \"$1 $host\" = 'get {registry.name}' ] && echo '{answer}'\n")
    helper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{helper.parent}:/usr/bin:/bin")
    value = {registry.name: "gull"} if key == "credHelpers" else "gull"
    (no_logins / "config.json").write_text(json.dumps({key: value}))
    assert isinstance(resolver(pauses).one(f"{registry.name}/nest:2"), Pin)


def test_a_token_service_elsewhere_must_be_safe(registry: FakeRegistry, pauses: list[float]) -> None:
    challenge = {"WWW-Authenticate": 'Bearer realm="http://tokens.example/token"'}
    registry.behaviour = lambda *_: Answer(401, b"", challenge)
    assert "not safe" in code_and_reason(resolver(pauses).one(f"{registry.name}/nest:2"))[1]


def test_mirrors_are_asked_first_and_only_for_docker_hub(registry: FakeRegistry, pauses: list[float]) -> None:
    digest = registry.put_index("library/nest", "2", "linux/amd64")
    asks = Resolver(RegistryClient(Terms(mirrors=(f"http://{registry.name}",)), sleep=pauses.append))
    assert asks.one("nest:2") == Pin("nest:2", f"nest:2@{digest}", "registry")
    with fake_registry() as other:
        other.put_index("library/nest", "2", "linux/amd64")
        assert isinstance(asks.one(f"{other.name}/library/nest:2"), Pin)
    assert len(registry.manifests()) == 1


def test_a_trickling_answer_is_broken_off(
    registry: FakeRegistry, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "ANSWER_SECONDS", 0.0)
    registry.put_image("nest", "2")
    assert "s for an answer" in code_and_reason(resolver(pauses).one(f"{registry.name}/nest:2"))[1]
