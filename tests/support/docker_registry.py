"""Debian's docker-registry on this machine, for as long as a test needs it: plain, with a login, with TLS."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import shutil
import socket
import ssl
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError

import pytest

PROGRAM = "docker-registry"
USER, PASSWORD = "auk", "feather"
HTPASSWD = (
    "auk:$2b$04$G28C8WwsTFcdUDpdkGF0nenqs08eandlaPYSLbvshv/bjVoyqE1Yu\n"  # a small cost, so that pushes are quick
)
CONFIG = """version: 0.1
log: {{level: error, accesslog: {{disabled: true}}}}
storage:
  filesystem: {{rootdirectory: {root}/store}}
  delete: {{enabled: true}}
http:
  addr: 127.0.0.1:{port}
"""
AUTH = "auth:\n  htpasswd: {{realm: nests, path: {root}/htpasswd}}\n"
TLS = "  tls: {{certificate: {root}/cert.pem, key: {root}/key.pem}}\n"
START_SECONDS = 20


@dataclass(frozen=True)
class DockerRegistry:
    """A running registry."""

    name: str  # host:port
    store: Path  # what it holds; to be removed to forget everything
    certificate: Path | None = None


@contextlib.contextmanager
def docker_registry(root: Path, *, login: bool = False, tls: bool = False) -> Iterator[DockerRegistry]:
    """A registry below ``root``; the test is skipped where the program is missing, failed where it was promised."""
    if shutil.which(PROGRAM) is None:
        (pytest.fail if os.environ.get("SUITE_CONVERTER_REQUIRE_DOCKER") else pytest.skip)(f"no {PROGRAM}")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    text = CONFIG + (TLS if tls else "") + (AUTH if login else "")
    (root / "config.yml").write_text(text.format(root=root, port=port))
    (root / "htpasswd").write_text(HTPASSWD)
    if tls:
        _certificate(root)
    with (root / "log").open("wb") as log:
        process = subprocess.Popen([PROGRAM, "serve", str(root / "config.yml")], stdout=log, stderr=log)
    try:
        _await(f"{'https' if tls else 'http'}://127.0.0.1:{port}/v2/", root / "log")
        yield DockerRegistry(f"127.0.0.1:{port}", root / "store", root / "cert.pem" if tls else None)
    finally:
        process.kill()
        process.wait()


def write_login(folder: Path, registry: str, password: str = PASSWORD) -> None:
    """Put a login where ``docker login`` puts it."""
    auth = base64.b64encode(f"{USER}:{password}".encode()).decode()
    (folder / "config.json").write_text(json.dumps({"auths": {registry: {"auth": auth}}}))


def _certificate(root: Path) -> None:
    argv = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    argv += ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", "key.pem", "-out", "cert.pem"]
    subprocess.run(argv, cwd=root, check=True, capture_output=True)


def _await(url: str, log: Path) -> None:
    context = ssl._create_unverified_context()
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            with urllib.request.urlopen(url, timeout=2, context=context):
                return
        except HTTPError:
            return
        except OSError as error:
            assert time.monotonic() < deadline, f"{PROGRAM} does not answer: {error}\n{log.read_text()}"
            time.sleep(0.05)
