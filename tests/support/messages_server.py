"""A Messages endpoint on loopback that streams what its script says: replies, and every fault on the way."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from agent.messages import Block

USAGE: Mapping[str, Any] = {
    "input_tokens": 100,
    "cache_creation_input_tokens": 1_000,
    "cache_read_input_tokens": 10_000,
    "output_tokens": 1,
}


@dataclass(frozen=True)
class Says:
    """A whole reply, streamed; a list of events after which the stream is cut, cleanly or not."""

    blocks: Sequence[Block]
    stop: str = ""
    usage: Mapping[str, Any] | None = field(default_factory=lambda: USAGE)
    output_tokens: int | None = 200
    cut_after: int | None = None  # events
    is_clean: bool = True  # how the cut looks: an early end of the body, or a reset connection
    error: str = ""  # the type of an error event in place of the rest
    details: Mapping[str, Any] | None = None
    garbled: bool = False  # the event after the cut is no JSON


@dataclass(frozen=True)
class Fails:
    """An HTTP error instead of a reply."""

    status: int
    type: str = "api_error"
    error_code: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


Step = Says | Fails


def events(step: Says) -> Iterator[tuple[str, dict[str, Any]]]:
    """The reply as the events that the API sends."""
    wants_tool = any(block["type"] == "tool_use" for block in step.blocks)
    start = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-5-5", "content": []}
    start |= {"stop_reason": None, "stop_sequence": None} | ({"usage": step.usage} if step.usage is not None else {})
    yield "message_start", {"type": "message_start", "message": start}
    yield "ping", {"type": "ping"}
    for index, block in enumerate(step.blocks):
        yield from _block_events(index, dict(block))
    delta = {"stop_reason": step.stop or ("tool_use" if wants_tool else "end_turn"), "stop_sequence": None}
    if step.details:
        delta["stop_details"] = step.details
    used = {"output_tokens": step.output_tokens}
    yield "message_delta", {"type": "message_delta", "delta": delta, "usage": used}
    yield "message_stop", {"type": "message_stop"}


def _block_events(index: int, block: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    kind = block["type"]
    known = {"tool_use": {"input": {}}, "text": {"text": ""}, "thinking": {"thinking": "", "signature": ""}}
    empty = block | known.get(kind, {})
    yield "content_block_start", {"type": "content_block_start", "index": index, "content_block": empty}
    deltas: list[dict[str, Any]] = []
    if kind == "text":
        deltas = [
            {"type": "text_delta", "text": block["text"][at : at + 40]} for at in range(0, len(block["text"]), 40)
        ]
    elif kind == "thinking":
        deltas = [{"type": "signature_delta", "signature": block["signature"]}]
    elif kind == "tool_use":
        body = json.dumps(block["input"])
        deltas = [{"type": "input_json_delta", "partial_json": body[at : at + 40]} for at in range(0, len(body), 40)]
    for delta in deltas:
        yield "content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}
    yield "content_block_stop", {"type": "content_block_stop", "index": index}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: MessagesServer

    def log_message(self, *_args: Any) -> None:
        """Quiet."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        step = self.server.next(self.path, dict(self.headers), json.loads(body))
        self.close_connection = True
        if isinstance(step, Fails):
            self._fail(step)
        else:
            self._stream(step)

    def _fail(self, step: Fails) -> None:
        error: dict[str, Any] = {"type": step.type, "message": f"the server says {step.type}"}
        if step.error_code:
            error["details"] = {"error_code": step.error_code}
        body = json.dumps({"type": "error", "error": error}).encode() if step.body is None else step.body
        self.send_response(step.status)
        for name, value in {"content-type": "application/json", "request-id": "req_f", **step.headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, step: Says) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("request-id", "req_1")
        self.send_header("set-cookie", "session=server-secret")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for number, (name, data) in enumerate(events(step)):
            if number == step.cut_after:
                return self._cut(step)
            self._chunk(f"event: {name}\ndata: {json.dumps(data)}\n\n")
        self._chunk("")

    def _cut(self, step: Says) -> None:
        if step.error:
            error = {"type": "error", "error": {"type": step.error, "message": "in the middle"}}
            self._chunk(f"event: error\ndata: {json.dumps(error)}\n\n")
            self._chunk("")
        elif step.garbled:
            self._chunk("event: content_block_delta\ndata: {not json\n\n")
            self._chunk("")
        elif step.is_clean:
            self._chunk("")
        else:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.wfile.flush()
            self.connection.close()

    def _chunk(self, text: str) -> None:
        data = text.encode()
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")


class MessagesServer(ThreadingHTTPServer):
    """The endpoint; ``requests`` are the bodies it got, ``headers`` what came with them."""

    daemon_threads = True

    def __init__(self, steps: Sequence[Step]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.steps = list(steps)
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def next(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> Step:
        self.paths.append(path)
        self.requests.append(body)
        self.headers.append({name.lower(): value for name, value in headers.items()})
        return self.steps.pop(0) if self.steps else Fails(500, "script_is_over")

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is part of the test."""


@contextmanager
def serving(*steps: Step) -> Iterator[MessagesServer]:
    """A server that runs while the block does."""
    with MessagesServer(steps) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
