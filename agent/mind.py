"""The model of a run, opened from what a person chose; nothing is spent here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agent.budget import Budget
from agent.endpoint import NoModel, chosen, open_model
from agent.messages import Model
from agent.options import Options
from agent.patience import QUIET, Watch
from agent.redact import Redactor
from skill.manifest import Manifest, load, skill_root


@dataclass(frozen=True)
class Mind:
    """The model that serves odd verifiers, and what it may cost."""

    model: Model
    budget: Budget
    manifest: Manifest
    mask: Callable[[Any], Any] = lambda value: value  # takes secrets out of whatever is kept or told
    watch: Watch = QUIET


def open_mind(options: Options, environ: Mapping[str, str], watch: Watch = QUIET) -> Mind | NoModel:
    """The model, ready to be asked, or why a run has none.

    Raises UsageError for a model that cannot be used, ModelDenied when its client cannot be made.
    """
    found = chosen(options, environ)
    if isinstance(found, NoModel):
        return found
    mask, budget = Redactor(environ).value, Budget(found.limits, found.rules)
    return Mind(open_model(found, environ), budget, load(skill_root()), mask, watch)
