"""A registry's answers about images: one request per name, polite when it is told to wait, believing only digests.

The HTTP API is that of the OCI distribution specification 1.1, the challenge that of Docker's token service.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from skill.image_ref import HUB, ImageRef, is_loopback
from tools.registry import http
from tools.registry.auth import Authority
from tools.registry.base import (
    INDEX_TYPES,
    MANIFEST_TYPES,
    MAX_MANIFEST,
    Broken,
    Manifest,
    NoAnswer,
    NotFound,
    Reply,
    Terms,
)
from tools.registry.replies import pause_of, refusal_of, table_of

HUB_HOST: Final = "registry-1.docker.io"
ACCEPT: Final = {"Accept": ", ".join((*INDEX_TYPES, *MANIFEST_TYPES))}
ATTEMPTS: Final = 5
BROKEN_ATTEMPTS: Final = 2
STRIKES: Final = 3  # after so many failures in a row a server is not asked any more
LONGEST_WAIT: Final = 60.0  # for one answer, in pauses
TRANSIENT: Final = frozenset({429, 500, 502, 503, 504})


@dataclass
class RegistryClient:
    """Asks registries; safe to use from several threads."""

    terms: Terms = field(default_factory=Terms)
    authority: Authority = field(default_factory=Authority)
    sleep: Callable[[float], None] = time.sleep
    _manifests: dict[tuple[str, str, str], Manifest] = field(default_factory=dict)
    _strikes: dict[str, int] = field(default_factory=dict)  # base URL -> failures since its last answer
    _why: dict[str, NoAnswer] = field(default_factory=dict)  # base URL -> its last failure
    _found: dict[str, str] = field(default_factory=dict)  # unsafe host -> base URL
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def manifest(self, ref: ImageRef) -> Manifest:
        """The manifest or index that ``ref`` names, asked for once; raises NotFound, NoAnswer."""
        key = (ref.host, ref.repository, ref.asked)
        if key not in self._manifests:
            found = self._manifest(ref)
            self._manifests |= {key: found, (ref.host, ref.repository, found.digest): found}
        return self._manifests[key]

    def _manifest(self, ref: ImageRef) -> Manifest:
        reply = self._ask(ref, f"manifests/{ref.asked}", MAX_MANIFEST)
        media_type = reply.headers.get("content-type", "").partition(";")[0].strip()
        table = table_of(reply.body)
        media_type = str(table.get("mediaType") or media_type)
        if table.get("schemaVersion") == 1 or "manifest.v1" in media_type:
            raise NoAnswer("has the image only in the old schema 1, which has no digest that lasts")
        if media_type not in (*INDEX_TYPES, *MANIFEST_TYPES):
            raise NoAnswer(f"answers with {media_type[:80] or 'something'} instead of a manifest")
        digest = f"sha256:{hashlib.sha256(reply.body).hexdigest()}"
        told = reply.headers.get("docker-content-digest", "")
        for expected in (ref.digest, told if told.startswith("sha256:") else ""):
            if expected and expected != digest:
                raise NoAnswer(f"answers with content of digest {digest[:19]}… that it calls {expected[:19]}…")
        return Manifest(digest, media_type, table)

    def config(self, ref: ImageRef, manifest: Manifest) -> dict[str, Any]:
        """The image's configuration, which names platform, user and working directory; raises NotFound, NoAnswer."""
        named = manifest.table.get("config")
        digest = str(named.get("digest", "")) if isinstance(named, dict) else ""
        if not digest.startswith("sha256:") or not digest[7:].isalnum():
            raise NoAnswer("has a manifest that names no configuration")
        body = self._ask(ref, f"blobs/{digest}", MAX_MANIFEST).body
        if f"sha256:{hashlib.sha256(body).hexdigest()}" != digest:
            raise NoAnswer("answers with a configuration of another digest")
        return table_of(body)

    def _ask(self, ref: ImageRef, what: str, limit: int) -> Reply:
        """The first good answer of the mirrors and the registry itself, whose failure is the one that counts."""
        for mirror in self.terms.mirrors if ref.host == HUB else ():
            try:
                return self._good(mirror.rstrip("/"), ref, what, limit)
            except (NotFound, NoAnswer):
                continue
        return self._good(self._base(ref.host), ref, what, limit)

    def _base(self, host: str) -> str:
        """Where a registry answers: plain HTTP only on this machine, or where the engine allows it."""
        name = HUB_HOST if host == HUB else host
        if not self._is_unsafe(host):
            return f"https://{name}"
        with self._lock:
            if host not in self._found:
                self._found[host] = f"https://{name}" if _speaks_tls(name) else f"http://{name}"
            return self._found[host]

    def _is_unsafe(self, host: str) -> bool:
        return is_loopback(host) or host in self.terms.insecure

    def _good(self, base: str, ref: ImageRef, what: str, limit: int) -> Reply:
        """The answer of one server, asked again while it says so; raises NotFound, NoAnswer."""
        if self._strikes.get(base, 0) >= STRIKES:
            raise self._why[base]
        waited, why = 0.0, NoAnswer("")
        for attempt in range(1, ATTEMPTS + 1):
            try:
                reply = self._authorised(base, ref, f"{base}/v2/{ref.repository}/{what}", limit)
                if reply.status not in TRANSIENT:
                    return self._final(base, reply)
                pause, strikes = pause_of(reply, attempt), STRIKES if reply.status == 429 else 1
                why = NoAnswer("allows no more requests now" if reply.status == 429 else f"answers {reply.status}")
            except Broken as error:
                pause, strikes, why = 1.0 if attempt < BROKEN_ATTEMPTS else LONGEST_WAIT + 1, 1, error
            if attempt == ATTEMPTS or waited + pause > LONGEST_WAIT:
                break
            self.sleep(pause)
            waited += pause
        raise self._struck(base, why, strikes)

    def _final(self, base: str, reply: Reply) -> Reply:
        """A good answer; raises NotFound, NoAnswer for one that is a refusal."""
        self._strikes.pop(base, None)
        if reply.status != 200:
            raise refusal_of(reply)
        return reply

    def _authorised(self, base: str, ref: ImageRef, url: str, limit: int) -> Reply:
        """One answer, after at most one challenge."""
        name = base.partition("://")[2].partition("/")[0]
        host = HUB if name == HUB_HOST else name
        verified = not self._is_unsafe(host)
        header = self.authority.header(base, ref.repository)
        reply = _once(url, header, limit, verified)
        if reply.status == 401 and (challenge := reply.headers.get("www-authenticate", "")):
            header = self.authority.answer(host, base, ref.repository, challenge, verified=verified)
            reply = _once(url, header, limit, verified)
        return reply

    def _struck(self, base: str, why: NoAnswer, strikes: int) -> NoAnswer:
        """Remember the failure, so that a thousand names do not wait a thousand times."""
        with self._lock:
            self._strikes[base] = self._strikes.get(base, 0) + strikes
            self._why[base] = why
        return why


def _once(url: str, header: str, limit: int, verified: bool) -> Reply:
    secret = {"Authorization": header} if header else {}
    return http.request(url, headers=ACCEPT, secret=secret, limit=limit, verified=verified)


def _speaks_tls(name: str) -> bool:
    """Whether an unsafe host answers over TLS, whatever its certificate."""
    try:
        http.request(f"https://{name}/v2/", headers={}, secret={}, limit=MAX_MANIFEST, verified=False)
    except NoAnswer:
        return False
    return True
