"""What single answers of a registry mean: refusals, pauses, tables."""

from __future__ import annotations

import json
import time
from email.utils import parsedate_to_datetime
from typing import Any, Final

from tools.registry.base import NoAnswer, NotFound, Reply

MISSING_CODES: Final = frozenset({"MANIFEST_UNKNOWN", "NAME_UNKNOWN", "BLOB_UNKNOWN", "NOT_FOUND"})


def refusal_of(reply: Reply) -> Exception:
    """What a final answer means; a login that is refused says nothing about whether the image is there."""
    codes = {str(row.get("code")) for row in _errors(reply.body)}
    if reply.status == 404 and (codes & MISSING_CODES or not codes):
        return NotFound("has no such image")
    if reply.status in (401, 403):
        return NoAnswer("denies access (no permission, or no such repository)")
    return NoAnswer(f"answers {reply.status} {' '.join(sorted(codes))}".strip())


def _errors(body: bytes) -> list[dict[str, Any]]:
    try:
        rows = json.loads(body).get("errors")
    except (ValueError, AttributeError):
        return []
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def table_of(body: bytes) -> dict[str, Any]:
    """The JSON object in a body; raises NoAnswer when it holds something else."""
    try:
        table = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise NoAnswer("answers with something that is no JSON") from error
    if not isinstance(table, dict):
        raise NoAnswer("answers with something that is no manifest")
    return table


def pause_of(reply: Reply, attempt: int) -> float:
    """How long to wait: as Retry-After says, in seconds or as a date, else doubling from one second."""
    told = reply.headers.get("retry-after", "")
    if told.isdigit():
        return float(told)
    try:
        return max(parsedate_to_datetime(told).timestamp() - time.time(), 0.0)
    except (TypeError, ValueError):
        return float(2 ** (attempt - 1))
