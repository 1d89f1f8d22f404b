"""What the session over a source of no known framework would cost, told by a plan."""

from __future__ import annotations

import json
from collections.abc import Mapping

from agent import prompt
from agent.endpoint import NoModel, chosen, described
from agent.odd import forecast
from agent.options import Options
from agent.recipe_brief import brief
from skill.errors import UnknownSource
from skill.manifest import load, skill_root


def foretold(options: Options, unknown: UnknownSource, environ: Mapping[str, str]) -> UnknownSource:
    """``unknown``, with the forecast where there is a model; asks nobody.

    Raises UsageError for a model that cannot be used.
    """
    choice = chosen(options, environ)
    if isinstance(choice, NoModel):
        return unknown
    frozen = prompt.prefix(load(skill_root()))
    usd = forecast(len(brief(options.source)), len(json.dumps([frozen.system, frozen.tools])), choice.rules)
    said = f"without --plan one session writes its recipe, about {usd:.2f} USD; {described(choice)}"
    return UnknownSource(unknown.path, unknown.reason, said)
