"""`make demo`: converts the example tasks; odd verifiers are a model's, or a recording's where there is no key.

A recording gives the answers that a mind once gave (tests/cassettes/odd); what becomes of them is for today's gates
and, where Docker answers, for today's proofs.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from agent import convert as conversion
from agent.budget import Budget, Limits
from agent.console import Console
from agent.convert import Ending
from agent.endpoint import Endpoint, chosen
from agent.mind import Mind
from agent.options import Options
from agent.pricing import rules_of
from skill.manifest import load, skill_root
from tests.support.odd import MODEL
from tests.support.recorded import EXAMPLES, ODD, ROOT
from tests.support.tapes import taped

RECORDING = f"a recording of {MODEL}"  # the id that was asked for; the cassettes say who answered
SAID = (
    "model: none is asked. The sessions over odd verifiers are recordings, answered by hand (tests/cassettes/odd); "
    "with ANTHROPIC_API_KEY set, a model is asked instead"
)


def demo(options: Options, console: Console) -> Ending:
    """The conversion, with a model where the environment has a key for one, else with the recordings."""
    assert options.output
    if isinstance(chosen(options, os.environ), Endpoint):
        return conversion.convert(options, options.output, console)
    console.problem(SAID)
    model = taped(RECORDING, ODD, EXAMPLES)
    mind = Mind(model, Budget(Limits(), rules_of(MODEL)), load(skill_root()))
    return conversion.convert(options, options.output, console, mind)


def main(output: str) -> int:
    """Exit status 0 or 1, as of ``suite-converter convert``."""
    console = Console()
    ending = demo(Options(ROOT / "examples" / "harbor", Path(output), force=True), console)
    console.result(ending.text)
    return ending.status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
