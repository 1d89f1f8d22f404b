"""Whether a converted verifier and its source say the same, state by state, and which differences are meant.

A difference counts unless one of skill.explanations applies.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from skill.contract import FAIL, PASS
from skill.evidence import ORACLE, SABOTAGE, StateResult, verdict_of
from skill.explanations import EXPLANATIONS, Pair
from skill.pass_rule import PassRule
from skill.source_evidence import Agreement, SourceRun, Standing

PLAIN: Final = frozenset({"reward", "resolved"})  # keys whose 0 and 1 need no explanation
SAID: Final = 160  # characters of each side's own words


def agreements(
    runs: Iterable[SourceRun], results: Iterable[StateResult], rule: PassRule, reasons: Mapping[str, str]
) -> Iterator[Agreement]:
    """One row for each of ``results``, in order; ``reasons`` say why a state has no run of the source."""
    answers = {run.state: run for run in runs}
    listed = list(results)
    source_works = _works(answers, rule)
    ours = {result.state: result.exit_code for result in listed}
    converted_works = ours[ORACLE] == PASS if ORACLE in ours else None
    for result in listed:
        run = answers.get(result.state)
        verdict = verdict_of(result.exit_code)
        if result.exit_code is None:
            why = f"the conversion was not run: {_short(result.detail)}"
            yield Agreement(result.state, Standing.NOT_COMPARED, converted=verdict, sentence=why)
        elif run is None or run.booking is None:
            why = run.detail if run else reasons.get(result.state) or _unasked(result.state)
            yield Agreement(result.state, Standing.NOT_COMPARED, converted=verdict, sentence=why)
        else:
            yield _row(Pair(rule, run, run.booking, result, source_works, converted_works))


def _unasked(state: str) -> str:
    """Why nobody asked the source in a state."""
    return "a source has no verdict for its own footing" if state.startswith(SABOTAGE) else "the source was not run"


def _works(answers: Mapping[str, SourceRun], rule: PassRule) -> bool | None:
    known = answers.get(ORACLE)
    return rule.judge(known.booking) == "pass" if known and known.booking else None


def _row(pair: Pair) -> Agreement:
    state, booked, verdict = pair.result.state, str(pair.booking), verdict_of(pair.converted)
    if (pair.source, pair.converted) in (("pass", PASS), ("fail", FAIL)):
        values = dict(pair.booking.values)
        plain = len(values) == 1 and values.keys() <= PLAIN and set(values.values()) <= {0.0, 1.0}
        note = "" if plain else f"judged by {pair.rule}"
        return Agreement(state, Standing.AGREES, pair.source, booked, verdict, sentence=note)
    unfit = f"{pair.rule} does not decide it; " if pair.source == "unclear" else ""
    detail = f"{unfit}source: {_short(pair.run.detail)}; converted: {_short(pair.result.detail)}"
    for explanation in EXPLANATIONS:
        if explanation.applies(pair):
            told = (explanation.code, explanation.sentence, detail)
            return Agreement(state, Standing.EXPLAINED, pair.source, booked, verdict, *told)
    place = pair.result.place
    return Agreement(state, Standing.DIFFERS, pair.source, booked, verdict, detail=detail, place=place)


def _short(text: str) -> str:
    """One side's own words on one line."""
    line = re.sub(r"\s+", " ", text).strip()
    return (line[: SAID - 1] + "…" if len(line) > SAID else line) or "(no words)"
