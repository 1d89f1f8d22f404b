"""Recorded model sessions: replayed byte for byte, refused when they are stale, played to the end.

A cassette says where its answers came from: ``api`` (a vendor's endpoint), ``bridge`` (given by hand through an
endpoint on loopback) or ``scripted`` (tests/support/messages_server.py). It is recorded with

    CASSETTE=all CASSETTE_ORIGIN=bridge ANTHROPIC_BASE_URL=http://127.0.0.1:8377 ANTHROPIC_API_KEY=any pytest …

and with CASSETTE_ORIGIN=api and a real key in the same way; tests/support/record.py does that for sessions over odd
verifiers. Of each request the system text, the tools, the first turn and all before the last are kept as digests: they
stood in full in an earlier request, or in this repository. Digests inside of them are left out of the comparison, so
that a recording outlives a change of a file that the conversation only names.
"""

from __future__ import annotations

import copy
import hashlib
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
import vcr
import yaml
from vcr.cassette import Cassette
from vcr.errors import CannotOverwriteExistingCassetteException
from vcr.patch import PATCHER_NAMES
from vcr.serializers.yamlserializer import _CassetteDumper, deserialize

from agent.prompt import prefix
from skill.manifest import load, skill_root

FOLDER: Final = Path(__file__).resolve().parents[1] / "cassettes"
ORIGINS: Final = ("api", "bridge", "scripted")
PROTOCOL: Final = "loop/1"  # changes when the loop says other things than before
REQUEST_HEADERS: Final = frozenset({"content-type", "anthropic-version", "anthropic-beta"})
RESPONSE_HEADERS: Final = frozenset({"content-type", "retry-after", "retry-after-ms", "x-should-retry"})
HASH: Final = re.compile(r"(?<![0-9a-f])[0-9a-f]{16,64}(?![0-9a-f])")
NOWHERE: Final = "http://model.invalid"


def fingerprint(model: str) -> str:
    """What a recording depends on besides the conversation: skill, tools, model, loop."""
    frozen = prefix(load(skill_root()))
    return _digest([frozen.system, frozen.tools, model, PROTOCOL])


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:32]


def bare(value: Any) -> Any:
    """``value`` without cache breakpoints, which move along and mean nothing."""
    if isinstance(value, dict):
        return {key: bare(item) for key, item in value.items() if key != "cache_control"}
    return [bare(item) for item in value] if isinstance(value, list) else value


def canonical(body: bytes) -> dict[str, Any]:
    """The request as it is kept and compared."""
    table: dict[str, Any] = bare(json.loads(body))
    if "messages" not in table or isinstance(table.get("system"), str):
        return table  # already canonical
    table["messages"] = json.loads(HASH.sub("HASH", json.dumps(table["messages"])))
    table.pop("metadata", None)
    table["system"], table["tools"] = _digest(table["system"]), _digest(table["tools"])
    *earlier, last = table["messages"]
    table["messages"] = [_digest(message) for message in earlier]
    table["last"] = last if earlier else _digest(last)
    return table


def _kept_request(request: Any) -> Any:
    kept = copy.copy(request)
    kept.uri = NOWHERE + request.path
    kept.body = json.dumps(canonical(request.body), sort_keys=True).encode()
    kept.headers = {name: value for name, value in request.headers.items() if name.lower() in REQUEST_HEADERS}
    return kept


def _kept_response(response: dict[str, Any]) -> dict[str, Any]:
    headers = {name: value for name, value in response["headers"].items() if name.lower() in RESPONSE_HEADERS}
    return {**response, "headers": headers}


def _same_body(one: Any, other: Any) -> None:
    wanted, given = json.loads(one.body), json.loads(other.body)
    for key in sorted(wanted.keys() | given.keys() - {"messages"}):
        if key != "messages" and wanted.get(key) != given.get(key):
            raise AssertionError(
                f"{key} differs: {_shown(given.get(key))} was recorded, {_shown(wanted.get(key))} is asked"
            )
    for at, (new, old) in enumerate(zip(wanted["messages"], given["messages"], strict=False)):
        if new != old:
            raise AssertionError(f"messages[{at}] differs")
    if len(wanted["messages"]) != len(given["messages"]):
        raise AssertionError(f"{len(given['messages'])} turns were recorded, {len(wanted['messages'])} are asked")


def _shown(value: Any) -> str:
    return json.dumps(value)[:400]


class _Dumper(_CassetteDumper):  # type: ignore[misc]
    """Writes text of several lines as such, so that a recording can be read and compared."""


def _text(dumper: Any, value: str) -> Any:
    style = "|" if "\n" in value else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _text)


class _Readable:
    """vcrpy's serializer with `_Dumper`."""

    deserialize = staticmethod(deserialize)

    @staticmethod
    def serialize(table: Any) -> str:
        return str(yaml.dump(table, Dumper=_Dumper, width=120))


def _vcr(mode: str) -> vcr.VCR:
    made = vcr.VCR(
        record_mode=mode,
        serializer="readable",
        match_on=("method", "path", "same_body"),
        before_record_request=_kept_request,
        before_record_response=_kept_response,
        decode_compressed_response=True,
        skip_patchers=tuple(name for name in PATCHER_NAMES if name != "httpx2"),
    )
    made.register_serializer("readable", _Readable)
    made.register_matcher("same_body", _same_body)
    return made


def is_recording() -> bool:
    """Whether cassettes are made now instead of played."""
    return os.environ.get("CASSETTE", "none") == "all"


@contextmanager
def cassette(
    name: str,
    mark: str,
    monkeypatch: pytest.MonkeyPatch,
    *,
    origin: str = "",
    answered: str = "",
    folder: Path = FOLDER,
) -> Iterator[Cassette]:
    """Play the cassette ``name``, or record it; ``mark`` is its `fingerprint`.

    ``answered`` is the fingerprint of what its answers were given to, where that is another: they were then put to
    the present program without asking anybody anew.

    Raises AssertionError for a cassette that is missing or stale, for a request that was not recorded, and for
    a recorded reply that nobody asked for.
    """
    path = folder / f"{name}.yaml"
    if is_recording():
        origin = origin or os.environ["CASSETTE_ORIGIN"]
        assert origin in ORIGINS, f"CASSETTE_ORIGIN={origin} is none of {', '.join(ORIGINS)}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
    else:
        assert path.is_file(), f"{path.name} is not recorded yet"
        monkeypatch.setenv("ANTHROPIC_BASE_URL", NOWHERE)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "replayed-not-a-key")
    with _vcr("all" if is_recording() else "none").use_cassette(str(path)) as tape:
        found = tape.get_metadata("fingerprint", mark)
        assert found == mark, f"{path.name} is stale: skill, tools, model or loop changed; record it again"
        tape.get_metadata("answered", answered or mark)
        told = tape.get_metadata("origin", origin)
        assert told in ORIGINS and (not origin or told == origin), f"{path.name} is of {told}, not {origin}"
        try:
            yield tape
        except BaseException as error:
            if missed := _miss(error):
                raise AssertionError(f"{path.name}: {missed.reason}\n{missed}") from None
            raise
        assert is_recording() or tape.all_played, (
            f"{path.name}: {tape.play_count} of {len(tape)} replies were asked for"
        )


def _miss(error: BaseException | None) -> CannotOverwriteExistingCassetteException | None:
    """What vcrpy said, below whatever was made of it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, CannotOverwriteExistingCassetteException):
            return error
        seen.add(id(error))
        error = error.__context__ if error.__cause__ in (None, error) else error.__cause__
    return None
