"""HTTP to registries with the standard library: system certificates, bounded bodies, redirects that leak nothing."""

from __future__ import annotations

import functools
import http.client
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from email.message import Message
from typing import IO, Any, Final
from urllib.parse import urlsplit

from skill.image_ref import is_loopback
from tools.registry.base import Broken, NoAnswer, Reply

CONNECT_SECONDS: Final = 15.0  # for the connection, and for every piece of an answer
ANSWER_SECONDS: Final = 60.0  # for a whole answer
PIECE: Final = 1 << 16


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows with the same method, never from https to http, and without the credentials of the first host."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> urllib.request.Request | None:
        """The next request; credentials are not carried over because they were added as unredirected."""
        parts = urlsplit(newurl)
        if parts.scheme != "https" and urlsplit(req.full_url).scheme == "https":
            raise NoAnswer(f"redirects from https to {parts.scheme}")
        return urllib.request.Request(newurl, headers=dict(req.headers), method=req.get_method())


@functools.cache
def _opener(verified: bool, proxied: bool) -> urllib.request.OpenerDirector:
    context = ssl.create_default_context()
    if not verified:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    handlers: list[urllib.request.BaseHandler] = [urllib.request.HTTPSHandler(context=context), _Redirects()]
    handlers += [] if proxied else [urllib.request.ProxyHandler({})]
    return urllib.request.build_opener(*handlers)


def request(
    url: str,
    *,
    headers: Mapping[str, str],
    secret: Mapping[str, str],
    limit: int,
    verified: bool = True,
    method: str = "GET",
    data: bytes | None = None,
) -> Reply:
    """One answer, whatever its status; ``secret`` headers go to the first host only.

    Raises NoAnswer when none comes within the time, or one of more than ``limit`` bytes.
    """
    asked = urllib.request.Request(url, data=data, headers={"User-Agent": "suite-converter", **headers}, method=method)
    for name, value in secret.items():
        asked.add_unredirected_header(name, value)
    opener = _opener(verified, not is_loopback(urlsplit(url).netloc))
    try:
        with _opened(opener, asked) as answer:
            body = _read(answer, limit)
            return Reply(answer.status, {name.lower(): value for name, value in answer.headers.items()}, body)
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Broken(reason_of(error)) from error


def _opened(opener: urllib.request.OpenerDirector, asked: urllib.request.Request) -> Any:
    """The answer; one of 400 and above is an answer too."""
    try:
        return opener.open(asked, timeout=CONNECT_SECONDS)
    except urllib.error.HTTPError as error:
        return error


def _read(answer: Any, limit: int) -> bytes:
    """The whole body; raises NoAnswer when it is larger than ``limit`` or trickles."""
    pieces, total, deadline = [], 0, time.monotonic() + ANSWER_SECONDS
    while piece := answer.read1(PIECE) if hasattr(answer, "read1") else answer.read(PIECE):
        total += len(piece)
        if total > limit:
            raise NoAnswer(f"answers with more than {limit} bytes")
        if time.monotonic() > deadline:
            raise NoAnswer(f"takes more than {ANSWER_SECONDS:.0f} s for an answer")
        pieces.append(piece)
    expected = answer.headers.get("Content-Length", "")
    if expected.isdigit() and int(expected) != total and answer.status < 400:
        raise Broken(f"broke off after {total} of {expected} bytes")
    return b"".join(pieces)


def reason_of(error: Exception) -> str:
    """What went wrong, in a few words of one line."""
    cause = getattr(error, "reason", None)
    inner = cause if isinstance(cause, Exception) else error
    if isinstance(inner, TimeoutError):
        return f"does not answer within {CONNECT_SECONDS:.0f} s"
    if isinstance(inner, ssl.SSLCertVerificationError):
        return f"has a certificate that is not trusted: {inner.verify_message}"
    text = str(getattr(inner, "strerror", "") or inner or type(inner).__name__)
    return f"cannot be reached: {text.splitlines()[0][:160]}"
