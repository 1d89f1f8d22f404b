"""The catalogue of forgeries: all that a candidate can plant to look like a pass without having done the work."""

from __future__ import annotations

from collections.abc import Sequence

from skill.forgeries import in_process, interpreter, outputs, processes, runner_config, userland
from skill.forgeries.base import CATALOGUE, Forgery, NotPlantable, script_of
from skill.forgeries.facts import ForgeryFacts, facts_of
from skill.forgeries.not_plantable import NOT_PLANTABLE

__all__ = [
    "FAMILIES",
    "NOT_PLANTABLE",
    "Forgery",
    "ForgeryFacts",
    "NotPlantable",
    "all_forgeries",
    "facts_of",
    "script_of",
]

FAMILIES = (userland, interpreter, runner_config, in_process, outputs, processes)


def all_forgeries() -> Sequence[Forgery]:
    """Every forgery that can be planted, by code."""
    return CATALOGUE.rows()
