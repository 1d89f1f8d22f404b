"""``margin_run``: the gates over a case, then its proof in containers, told without clocks and ids."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from skill.evidence import CaseProof, StateResult, Unproved
from tools.draft import CASES_ARGUMENT, chosen_cases
from tools.errors import RunnerError
from tools.landing import gate_lines, told_lines
from tools.plain import plain
from tools.shadow import shadow
from tools.spec import Arguments, Tool, ToolResult, arguments_schema
from tools.steady import steady
from tools.workbench import Proved, Workbench

TAIL: Final = 3_000  # characters of the log of a state that went wrong
MEANING: Final = {0: "pass", 1: "fail", 2: "infra"}


def run(bench: Workbench, arguments: Arguments) -> ToolResult:
    """What gates and proof say; the case itself is not changed, and nothing is left in the engine."""
    if bench.own is not None and (wrong := bench.own.errors()):
        return ToolResult(f"{told_lines(wrong)}\nnot proved: a sound draft comes first", is_error=True)
    names = chosen_cases(bench, arguments)
    gates = "\n".join(gate_lines(case, bench.findings(case)) for case in names)
    clean = [case for case in names if not bench.errors(case)]
    if not clean:
        return ToolResult(f"{gates}\nnot proved: the gates come first", is_error=True)
    every = _proved(bench, clean)
    said = "\n".join(line for proved in every for line in said_wrong(proved))
    told = [told_proof(proved) for proved in every] or ["not proved: nothing can be run in containers here"]
    return ToolResult(
        "\n".join([gates, *told]), said, "What the verifiers and the runner said where it went wrong" if said else ""
    )


def _proved(bench: Workbench, names: Sequence[str]) -> list[Proved]:
    """A proof of each case; none where no runner can work."""
    if bench.prover is None:
        return []
    try:
        return [_one(bench, name) for name in names]
    except RunnerError:
        return []


def _one(bench: Workbench, name: str) -> Proved:
    assert bench.prover is not None
    with shadow(bench.suite_root, name, {}) as root:
        return bench.prover(root, name)


def told_proof(proved: Proved) -> str:
    """How the states ended, in words of ours only: those that ended alike in one line, all others one by one."""
    proof = proved.proof
    if not proof.results:
        return f"{proof.case}: not proved, it could not be run"
    rows = [*_alike(proof), *(_state(result) for result in proof.results if not result.holds), *_lacking(proof)]
    rows += [
        f"  {row.state}: the source's own verifier says {row.source or 'nothing'}, this one {row.converted}"
        for row in proved.differs
    ]
    return "\n".join([f"{proof.case}: {_headline(proved)}", *rows])


def _headline(proved: Proved) -> str:
    proof = proved.proof
    count = len(proof.results)
    if not proof.holds:
        return "the proof speaks against this verifier"
    if proved.differs:
        return "the source's own verifier says something else"
    said = f"nothing speaks against this verifier in {count} states"
    if all(result.holds for result in proof.results):
        said = f"{count} state{'s were' if count > 1 else ' was'} run, and each ended as it must"
    return said + (f"; {len(proof.gaps)} more could not be run" if proof.gaps else "")


def _alike(proof: CaseProof) -> Iterator[str]:
    """The states that ended as they must, a line for each family of them."""
    families: defaultdict[str, list[StateResult]] = defaultdict(list)
    for result in proof.results:
        if result.holds:
            families[result.state.partition(":")[0]].append(result)
    for family, held in families.items():
        number = f" ({len(held)} state{'s' * (len(held) > 1)})" if family != held[0].state else ""
        yield f"  {family}{number}: {_ended(held[0])}, as it must"


def _state(result: StateResult) -> str:
    right = f"{result.expected} ({_word(result.expected)})"
    if result.is_contrary:
        return f"  {result.state}: {_ended(result)}, but it must be {right}"
    if result.is_survivor:
        return f"  {result.state}: {_ended(result)}, although {right} would be right: so good are the source's tests"
    return f"  {result.state}: {_ended(result)}, allowed, although {right} would be better"


def _lacking(proof: CaseProof) -> Iterator[str]:
    """The states that were not run, a line for each reason."""
    reasons: defaultdict[tuple[bool, str], list[Unproved]] = defaultdict(list)
    for row in proof.unproved:
        reasons[row.could_not_run, plain(steady(row.reason))].append(row)
    for (is_gap, reason), rows in reasons.items():
        yield f"  {'' if is_gap else 'tells nothing here: '}{', '.join(row.state for row in rows)}: {reason}"


def _ended(result: StateResult) -> str:
    return "was not reached" if result.exit_code is None else f"{result.exit_code} ({_word(result.exit_code)})"


def _word(code: int) -> str:
    return MEANING.get(code, "counts as infra")


def said_wrong(proved: Proved) -> Iterator[str]:
    """What was written where it went wrong; anybody may have written it."""
    proof = proved.proof
    if not proof.results:
        yield f"--- {proof.case}: {plain(steady(proof.unproved_reason))}"
    for result in proof.results:
        if result.is_contrary:
            place = f" at {plain(result.place)}" if result.place else ""
            yield f"--- {proof.case} {result.state}{place}: {plain(steady(result.detail))}"
            yield from [steady(result.log_tail)[-TAIL:].rstrip("\n")] if result.log_tail else []
    for row in proved.differs:
        booked = f"it booked {row.booked}; {row.detail}" if row.detail else f"it booked {row.booked}"
        yield f"--- {proof.case} {row.state}, the source's own verifier: {plain(steady(booked))}"


TOOL: Final = Tool(
    "margin_run",
    "Check cases against all gates, then prove them in containers: the known good candidate must end in 0, the "
    "untouched one in 1, a broken footing of the verifier in 2, wrong and forged candidates in 1; and the source's own "
    "verifier, run beside it, must say the same. Tells what went wrong, with the end of its log.",
    arguments_schema((), cases=CASES_ARGUMENT),
    run,
)
