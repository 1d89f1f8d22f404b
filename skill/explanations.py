"""Differences between a converted verifier and its source that are meant: one small function each.

docs/proof.md lists them and a test holds the page to this table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from skill.contract import FAIL, INFRA, PASS
from skill.evidence import FORGERY, PLANTED, SABOTAGE, StateResult
from skill.forgeries import all_forgeries
from skill.pass_rule import PassRule, SourceVerdict
from skill.source_evidence import Booking, Problem, SourceRun

# what skill/verifier/lib.sh and parsers.sh say; a test looks for each phrase there
OUT_OF_TIME: Final = "ran out of time"
NO_TESTS: Final = ("pytest found no tests", "pytest had an internal error", "pytest was called wrongly")
NO_REWARD: Final = ("left no reward", "is no flat table of numbers", "is not a number", "harness books no result")
AS_ORIGINAL: Final = "as the parser of the original reads it"  # said by the words of skill/verifier/parsed.py
NOT_INSTALLED: Final = "bootstrap failed in source line"  # said by the words of skill/verifier/source_script.py
FORGOTTEN: Final = ("tests failed, the first", "tests say failure")
NOTHING_PASSED: Final = ("summary names no test", "pytest ended with 0, but its report shows")


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
    unwritten = pair.booking.problem in (Problem.MISSING, Problem.EMPTY)  # a redirection makes the file beforehand
    stopped = unwritten and pair.run.exit_code not in (0, None)
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
    return unread and pair.converted == INFRA and pair.says(*NO_REWARD, NOT_INSTALLED)


@_explains("migrated-verdict")
def _migrated(pair: Pair) -> bool:
    """The task lost its parser when Harbor's migrator made it one of Harbor; the conversion reads as the parser did."""
    return pair.converted in (PASS, FAIL) and not pair.is_sabotage and pair.says(AS_ORIGINAL)


@_explains("failure-forgotten")
def _forgotten(pair: Pair) -> bool:
    """The source's parser forgets a failure beside a later pass of the same name; the conversion counts every one."""
    return pair.source == "pass" and pair.converted == FAIL and pair.says(*FORGOTTEN)


@_explains("nothing-passed")
def _nothing_passed(pair: Pair) -> bool:
    """The source counts a run as solved in which no test passed; the conversion wants one."""
    return pair.source == "pass" and pair.converted in (FAIL, INFRA) and pair.says(*NOTHING_PASSED)


@_explains("forgery-refused")
def _forgery(pair: Pair) -> bool:
    """The source is taken in, or kept from booking anything, by a forgery that the conversion sees through."""
    is_forgery = pair.result.state.startswith((FORGERY, PLANTED))
    return is_forgery and pair.source in ("pass", "nothing") and pair.converted != PASS


@_explains("tampered-footing")
def _tampered(pair: Pair) -> bool:
    """A plant stands where a tool of the verifier should; nobody can tell that from a broken image."""
    planted = [
        row for row in all_forgeries() if pair.result.state.startswith(PLANTED) and row.code in pair.result.state
    ]
    unclear = bool(planted) and all(INFRA in row.verdicts for row in planted)
    return unclear and pair.source == "fail" and pair.converted == INFRA
