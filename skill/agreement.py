"""Whether a converted verifier and its source say the same, state by state, and which differences are meant.

A difference counts unless one of the explanations below applies; docs/proof.md lists them and a test holds the
page to this table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from skill.contract import FAIL, INFRA, PASS
from skill.evidence import FORGERY, ORACLE, SABOTAGE, StateResult, verdict_of
from skill.source_evidence import Agreement, Booking, Problem, SourceRun, Standing
from skill.verifier.rewrite import PASS_IF

SourceVerdict = Literal["pass", "fail", "nothing", "unclear"]

SAID: Final = 160  # characters of each side's own words

# what skill/verifier/lib.sh says; a test looks for each phrase there
OUT_OF_TIME: Final = "ran out of time"
NO_TESTS: Final = ("pytest found no tests", "pytest had an internal error", "pytest was called wrongly")
NO_REWARD: Final = ("left no reward", "is no flat table of numbers", "is not a number")


@dataclass(frozen=True)
class PassRule:
    """Which booking passes: ``key operator number``, or by default a single value of 1."""

    key: str = ""
    operator: str = "=="
    number: float = 1.0

    def judge(self, booking: Booking) -> SourceVerdict:
        """The verdict that a booking means."""
        values = dict(booking.values)
        if booking.problem is not None or not values:
            return "nothing"
        if self.key:
            value = values.get(self.key)
            return "unclear" if value is None else "pass" if self._holds(value) else "fail"
        value = next(iter(values.values()))
        if len(values) > 1 or value not in (0.0, 1.0):
            return "unclear"
        return "pass" if value == 1.0 else "fail"

    def _holds(self, value: float) -> bool:
        if self.operator == ">=":
            return value >= self.number
        return value > self.number if self.operator == ">" else value == self.number

    def __str__(self) -> str:
        return f"{self.key}{self.operator}{self.number:g}" if self.key else "a single value of 1"


def pass_rule(text: str | None) -> PassRule:
    """The rule that a conversion was given, such as "reward>=1"; without one a single value of 1 passes.

    Raises ValueError for a text that is no rule.
    """
    if not text:
        return PassRule()
    found = PASS_IF.match(text)
    if found is None:
        raise ValueError(f"{text!r} is no rule such as 'reward>=1'")
    return PassRule(found[1], found[2], float(found[3]))


@dataclass(frozen=True)
class Pair:
    """One state, run by both verifiers, and what is known of either side's known good run."""

    rule: PassRule
    run: SourceRun
    booking: Booking
    result: StateResult
    source_works: bool | None  # the source passes its own solution; None: it has none, or it was not run
    converted_works: bool | None

    @property
    def source(self) -> SourceVerdict:
        """What the source's booking means."""
        return self.rule.judge(self.booking)

    @property
    def converted(self) -> int | None:
        """The converted verifier's exit status."""
        return self.result.exit_code

    @property
    def is_sabotage(self) -> bool:
        """Whether the state takes the verifier's own footing away."""
        return self.result.state.startswith(SABOTAGE)

    def says(self, *phrases: str) -> bool:
        """Whether the converted verifier gave one of these reasons."""
        return any(phrase in self.result.detail for phrase in phrases)


@dataclass(frozen=True)
class Explanation:
    """A difference that is meant."""

    code: str
    sentence: str
    applies: Callable[[Pair], bool]


EXPLANATIONS: list[Explanation] = []


def _explains(code: str) -> Callable[[Callable[[Pair], bool]], Callable[[Pair], bool]]:
    """Add the decorated test to the table; the first line of its docstring is the explanation."""

    def register(applies: Callable[[Pair], bool]) -> Callable[[Pair], bool]:
        sentence = (applies.__doc__ or "").strip().splitlines()[0]
        EXPLANATIONS.append(Explanation(code, sentence, applies))
        return applies

    return register


@_explains("stopped-before-reward")
def _stopped(pair: Pair) -> bool:
    """The source's script stopped with a failure before it wrote a reward, which its framework counts as 0."""
    stopped = pair.booking.problem is Problem.MISSING and pair.run.exit_code not in (0, None)
    return stopped and pair.converted == FAIL and not pair.is_sabotage and pair.source_works is not False


@_explains("ran-out-of-time")
def _timeout(pair: Pair) -> bool:
    """The source ran into its time limit and books nothing; a candidate that hangs has failed."""
    return pair.booking.problem is Problem.TIMEOUT and pair.converted == FAIL and pair.says(OUT_OF_TIME)


@_explains("broken-footing")
def _footing(pair: Pair) -> bool:
    """The verifier's own footing was taken away; the source blames the candidate, the conversion says infra."""
    return pair.is_sabotage and pair.source in ("fail", "nothing") and pair.converted == INFRA


@_explains("broken-footing-unnoticed")
def _unnoticed(pair: Pair) -> bool:
    """The verifier's own footing was taken away; the source does not look at it, the conversion does."""
    return pair.is_sabotage and pair.source == "pass" and pair.converted == INFRA


@_explains("no-tests-ran")
def _no_tests(pair: Pair) -> bool:
    """The test runner reached no verdict of its own; the source books a failure, the conversion says infra."""
    return pair.source in ("fail", "nothing") and pair.converted == INFRA and pair.says(*NO_TESTS)


@_explains("cannot-judge-here")
def _not_here(pair: Pair) -> bool:
    """Neither verifier passes the reference solution on this machine; the conversion says that it cannot judge."""
    fails = pair.source in ("fail", "nothing") and not pair.source_works
    return fails and pair.converted == INFRA and pair.converted_works is False


@_explains("no-verdict-in-either")
def _neither(pair: Pair) -> bool:
    """The source booked nothing that its framework can read, and the conversion says so as infra."""
    unread = pair.booking.problem in (Problem.MISSING, Problem.EMPTY, Problem.MALFORMED)
    return unread and pair.converted == INFRA and pair.says(*NO_REWARD)


@_explains("forgery-refused")
def _forgery(pair: Pair) -> bool:
    """The source is taken in by a forgery that the conversion sees through."""
    return pair.result.state.startswith(FORGERY) and pair.source == "pass" and pair.converted == FAIL


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
        plain = dict(pair.booking.values) in ({"reward": 0.0}, {"reward": 1.0})
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
