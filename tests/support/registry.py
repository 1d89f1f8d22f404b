"""A small HTTP server that plays a registry, well behaved or not; it answers on this machine only."""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

OCI_INDEX = "application/vnd.oci.image.index.v1+json"
OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
DOCKER_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"


@dataclass
class Answer:
    """What the server sends; ``seconds`` is how long it waits before."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0


Behaviour = Callable[["FakeRegistry", BaseHTTPRequestHandler], Answer | None]


@dataclass
class FakeRegistry:
    """What the server holds, how it behaves, and what it was asked."""

    name: str = ""  # host:port
    held: dict[str, tuple[str, bytes]] = field(default_factory=dict)  # path -> content type, body
    behaviour: Behaviour | None = None  # asked first; None from it: the ordinary answer
    asked: list[str] = field(default_factory=list)  # method and path of every request
    lock: threading.Lock = field(default_factory=threading.Lock)

    def manifests(self) -> list[str]:
        """The requests for manifests."""
        return [line for line in self.asked if "/manifests/" in line]

    def put(self, repository: str, tag: str, table: Mapping[str, Any], kind: str = DOCKER_MANIFEST) -> str:
        """Hold a manifest under its tag and its digest, which is returned."""
        body = json.dumps({"schemaVersion": 2, "mediaType": kind, **table}).encode()
        digest = sha(body)
        for name in (tag, digest):
            self.held[f"/v2/{repository}/manifests/{name}"] = (kind, body)
        return digest

    def put_image(
        self, repository: str, tag: str, *, platform: str = "linux/amd64", size: int = 10, **config: Any
    ) -> str:
        """Hold an image for one platform; ``config`` is its WorkingDir, User and so on."""
        system, _, machine = platform.partition("/")
        blob = json.dumps({"os": system, "architecture": machine, "config": config}).encode()
        self.held[f"/v2/{repository}/blobs/{sha(blob)}"] = ("application/octet-stream", blob)
        layer = {"mediaType": "application/vnd.docker.image.rootfs.diff.tar.gzip", "digest": sha(b""), "size": size}
        named = {"mediaType": "application/vnd.docker.container.image.v1+json", "digest": sha(blob), "size": len(blob)}
        return self.put(repository, tag, {"config": named, "layers": [layer]})

    def put_index(self, repository: str, tag: str, *platforms: str) -> str:
        """Hold an index that lists images of ``platforms``, and an attestation."""
        rows = [{"digest": sha(name.encode()), "platform": _split(name)} for name in (*platforms, "unknown/unknown")]
        return self.put(repository, tag, {"manifests": rows}, OCI_INDEX)


def sha(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def _split(platform: str) -> dict[str, str]:
    return dict(zip(("os", "architecture", "variant"), platform.split("/"), strict=False))


@contextlib.contextmanager
def fake_registry() -> Iterator[FakeRegistry]:
    """A registry on a free port of this machine, for as long as the block lasts."""
    registry = FakeRegistry()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            with registry.lock:
                registry.asked.append(f"{self.command} {self.path}")
            answer = registry.behaviour(registry, self) if registry.behaviour else None
            self.give(answer or self.ordinary())

        do_HEAD = do_POST = do_GET

        def ordinary(self) -> Answer:
            if self.path == "/v2/":
                return Answer()
            kind, body = registry.held.get(self.path, ("", b""))
            if not body:
                return Answer(404, b'{"errors": [{"code": "MANIFEST_UNKNOWN", "message": "unknown"}]}')
            return Answer(200, body, {"Content-Type": kind, "Docker-Content-Digest": sha(body)})

        def give(self, answer: Answer) -> None:
            time.sleep(answer.seconds)
            with contextlib.suppress(OSError):
                self.send_response(answer.status)
                for name, value in {"Content-Length": str(len(answer.body)), **answer.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(b"" if self.command == "HEAD" else answer.body)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    registry.name = f"127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield registry
    finally:
        server.shutdown()
        server.server_close()
