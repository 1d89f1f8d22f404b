"""Answers to a registry's challenge: a token from the service it names, or name and password."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlencode, urlsplit

from skill.image_ref import is_loopback
from tools.registry import http
from tools.registry.base import NoAnswer
from tools.registry.credentials import Login, login_for

MAX_TOKEN: Final = 1 << 20
DEFAULT_LIFE: Final = 60.0  # seconds, where the service does not say
BASIC_LIFE: Final = 3600.0
EARLY: Final = 10.0  # a token is given up this long before its end
CLIENT_ID: Final = "suite-converter"
_PARAMETER: Final = re.compile(r'(\w+)=(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))')


@dataclass
class Authority:
    """The Authorization headers of one run, each asked for once until it expires."""

    logins: Callable[[str], Login | None] = login_for
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _logins: dict[str, Login | None] = field(default_factory=dict)
    _kept: dict[tuple[str, str], tuple[str, float]] = field(default_factory=dict)

    def header(self, base: str, repository: str) -> str:
        """What the server at ``base`` accepted before; empty when nothing is kept."""
        value, until = self._kept.get((base, repository), ("", 0.0))
        return value if time.monotonic() < until else ""

    def answer(self, host: str, base: str, repository: str, challenge: str, *, verified: bool) -> str:
        """The header that answers ``challenge`` with the login for ``host``; raises NoAnswer when there is none."""
        scheme, _, rest = challenge.partition(" ")
        login = self._login(host)
        if scheme.lower() == "basic":
            if login is None or login.token:
                raise NoAnswer("wants a login (docker login)")
            value, life = login.basic, BASIC_LIFE
        elif scheme.lower() == "bearer":
            value, life = _token(_parameters(rest), repository, login, verified)
        else:
            raise NoAnswer(f"asks for a kind of login that is not known: {scheme[:40]!r}")
        self._kept[base, repository] = (value, time.monotonic() + max(life - EARLY, EARLY))
        return value

    def _login(self, host: str) -> Login | None:
        """The host's login; a helper is asked once."""
        with self._lock:
            if host not in self._logins:
                self._logins[host] = self.logins(host)
            return self._logins[host]


def _parameters(text: str) -> dict[str, str]:
    return {name.lower(): quoted or plain for name, quoted, plain in _PARAMETER.findall(text)}


def _token(asked: dict[str, str], repository: str, login: Login | None, verified: bool) -> tuple[str, float]:
    """A bearer token for pulling ``repository``, and how long it is good for."""
    realm = asked.get("realm", "")
    parts = urlsplit(realm)
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(parts.netloc)):
        raise NoAnswer(f"names a token service that is not safe: {realm[:100]!r}")
    wanted = {"service": asked.get("service", ""), "scope": asked.get("scope") or f"repository:{repository}:pull"}
    secret = {"Authorization": login.basic} if login and not login.token else {}
    if login and login.token:
        form = {**wanted, "grant_type": "refresh_token", "refresh_token": login.token, "client_id": CLIENT_ID}
        data = urlencode(form).encode()
        reply = http.request(realm, headers={}, secret={}, limit=MAX_TOKEN, verified=verified, method="POST", data=data)
    else:
        url = f"{realm}{'&' if parts.query else '?'}{urlencode(wanted)}"
        reply = http.request(url, headers={}, secret=secret, limit=MAX_TOKEN, verified=verified)
    if reply.status in (401, 403):
        raise NoAnswer("refuses the login" if login else "wants a login (docker login)")
    if reply.status != 200:
        raise NoAnswer(f"has a token service that answers {reply.status}")
    return _read_token(reply.body)


def _read_token(body: bytes) -> tuple[str, float]:
    try:
        table = json.loads(body)
        token, life = table.get("token") or table.get("access_token"), table.get("expires_in")
    except (ValueError, AttributeError) as error:
        raise NoAnswer("has a token service that does not answer in JSON") from error
    if not isinstance(token, str) or not token.isascii() or not token.isprintable():
        raise NoAnswer("has a token service that gives no token")
    return f"Bearer {token}", float(life) if isinstance(life, int | float) else DEFAULT_LIFE
