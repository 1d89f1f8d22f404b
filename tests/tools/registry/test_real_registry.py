"""Debian's registry as the other side: what the engine pushes is what the client pins."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from skill.pins import MISSING, NO_PLATFORM, UNKNOWN, Pin, Unpinned
from tests.support.docker_registry import DockerRegistry, docker_registry, write_login
from tools.registry import http
from tools.registry.base import NoAnswer
from tools.registry.client import RegistryClient
from tools.registry.resolve import Resolver

pytestmark = pytest.mark.docker


@pytest.fixture(params=["plain", "login", "tls", "login over tls"])
def registry(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[DockerRegistry]:
    """A registry of each kind, with the login it wants in place."""
    (tmp_path / "client").mkdir()
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path / "client"))
    with docker_registry(tmp_path, login="login" in request.param, tls="tls" in request.param) as running:
        write_login(tmp_path / "client", running.name)
        yield running


def docker(*words: str, data: bytes = b"") -> str:
    done = subprocess.run(["docker", *words], input=data, capture_output=True, check=True)
    return done.stdout.decode().strip()


def test_what_was_pushed_is_pinned(registry: DockerRegistry) -> None:
    name = f"{registry.name}/gull/nest:2"
    built = docker("build", "-q", "-t", name, "-", data=b"FROM scratch\nWORKDIR /tide\nLABEL suite-converter-test=2\n")
    try:
        docker("push", "-q", name)
        (pushed,) = docker("image", "inspect", "-f", "{{range .RepoDigests}}{{.}}{{end}}", name).split()
    finally:
        docker("image", "rm", "-f", built)
    resolver = Resolver(RegistryClient())
    assert resolver.one(name) == Pin(name, f"{name}@{pushed.rpartition('@')[2]}", "registry")
    other = resolver.one(f"{registry.name}/gull/nest:3")
    assert isinstance(other, Unpinned) and other.code == MISSING
    wrong = Resolver(RegistryClient(), "linux/s390x").one(name)
    assert isinstance(wrong, Unpinned) and wrong.code == NO_PLATFORM


def test_without_the_right_login_it_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "client").mkdir()
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path / "client"))
    with docker_registry(tmp_path, login=True) as running:
        name = f"{running.name}/gull/nest:2"
        for said in ("wants a login", "denies access"):
            found = Resolver(RegistryClient()).one(name)
            assert isinstance(found, Unpinned) and found.code == UNKNOWN and said in found.reason
            write_login(tmp_path / "client", running.name, "wrong")


def test_a_certificate_must_be_one_that_the_system_trusts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ask() -> int:
        http._opener.cache_clear()
        return http.request(f"https://{running.name}/v2/", headers={}, secret={}, limit=100).status

    with docker_registry(tmp_path, tls=True) as running:
        with pytest.raises(NoAnswer, match="certificate that is not trusted"):
            ask()
        monkeypatch.setenv("SSL_CERT_FILE", str(running.certificate))
        assert ask() == 200
    monkeypatch.undo()
    http._opener.cache_clear()
