"""Harbor's reading of a verifier's reward files: what it books, or why it books nothing."""

from __future__ import annotations

import json
import math

from skill.source_evidence import Booking, Problem

REWARD_JSON = "/logs/verifier/reward.json"  # looked for first, since 0.7.1
REWARD_TEXT = "/logs/verifier/reward.txt"


def read_reward(table: bytes | None, text: bytes | None) -> Booking:
    """What Harbor books for reward.json (``table``) and reward.txt (``text``), None being a file that is not there.

    A file that is there and cannot be read is an error even where the other one could be.
    """
    if table is not None:
        return _from_json(table)
    if text is not None:
        return _from_text(text)
    return Booking(problem=Problem.MISSING, detail="neither reward.json nor reward.txt was written")


def _from_json(data: bytes) -> Booking:
    if not data.strip():
        return Booking(problem=Problem.EMPTY, detail="reward.json is empty")
    try:
        table = json.loads(data)
    except (ValueError, RecursionError):
        return Booking(problem=Problem.MALFORMED, detail="reward.json is no JSON")
    if not isinstance(table, dict):
        return Booking(problem=Problem.MALFORMED, detail="reward.json is no table")
    for key, value in table.items():
        if not isinstance(value, int | float) or not _is_finite(value):
            return Booking(problem=Problem.MALFORMED, detail=f"reward.json: {key!r:.60} is no finite number")
    return Booking(tuple(sorted((key, float(value)) for key, value in table.items())))


def _from_text(data: bytes) -> Booking:
    if not data.strip():
        return Booking(problem=Problem.EMPTY, detail="reward.txt is empty")
    try:
        value = float(data.decode())
    except ValueError:
        return Booking(problem=Problem.MALFORMED, detail="reward.txt is no number")
    if not math.isfinite(value):
        return Booking(problem=Problem.MALFORMED, detail="reward.txt is no finite number")
    return Booking((("reward", value),))


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer that no float can hold
        return False
