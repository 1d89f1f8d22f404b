"""``margin_run``: the gates over a case, then its proof in containers, told without clocks and ids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from skill.evidence import CaseProof, StateResult
from tools.draft import CASES_ARGUMENT, chosen_cases
from tools.errors import RunnerError
from tools.landing import gate_lines
from tools.plain import plain
from tools.proof import prove
from tools.runners.base import Runner
from tools.shadow import shadow
from tools.spec import Arguments, Tool, ToolResult, arguments_schema
from tools.steady import steady
from tools.workbench import Workbench

TAIL: Final = 3_000  # characters of the log of a state that went wrong
MEANING: Final = {0: "pass", 1: "fail", 2: "infra"}


def run(bench: Workbench, arguments: Arguments) -> ToolResult:
    """What gates and proof say; the case itself is not changed, and nothing is left in the engine."""
    names = chosen_cases(bench, arguments)
    gates = "\n".join(gate_lines(case, bench.findings(case)) for case in names)
    clean = [case for case in names if not bench.errors(case)]
    if not clean:
        return ToolResult(f"{gates}\nnot proved: the gates come first", is_error=True)
    proofs = _proofs(bench, clean)
    told = [_told(proof) for proof in proofs] or ["not proved: nothing can be run in containers here"]
    said = "\n".join(line for proof in proofs for line in _said(proof))
    return ToolResult(
        "\n".join([gates, *told]), said, "What verifier and runner said where it went wrong" if said else ""
    )


def _proofs(bench: Workbench, names: Sequence[str]) -> list[CaseProof]:
    """A proof of each case; none where no runner can work."""
    try:
        runner = bench.open_runner()
    except RunnerError:
        return []
    try:
        return [_proof(bench, runner, name) for name in names]
    finally:
        runner.close()


def _proof(bench: Workbench, runner: Runner, name: str) -> CaseProof:
    with shadow(bench.suite_root, name, {}) as root:
        if bench.prover:
            return bench.prover(root, name, runner)
        (proof,) = prove(root, [name], runner=runner)
        return proof


def _told(proof: CaseProof) -> str:
    """How each state ended, in words of ours only."""
    if not proof.results:
        return f"{proof.case}: not proved, it could not be run"
    verdict = "every state ended as it must" if proof.holds else "the proof speaks against this verifier"
    rows = [_state(result) for result in proof.results]
    rows += [f"  {row.state}: tells nothing here: {plain(steady(row.reason))}" for row in proof.unproved]
    return "\n".join([f"{proof.case}: {verdict}", *rows])


def _state(result: StateResult) -> str:
    ended = "was not reached" if result.exit_code is None else f"{result.exit_code} ({_word(result.exit_code)})"
    if result.holds:
        return f"  {result.state}: {ended}, as it must"
    if result.is_survivor:
        return f"  {result.state}: {ended}, although {result.expected} ({_word(result.expected)}) would be right"
    return f"  {result.state}: {ended}, but it must be {result.expected} ({_word(result.expected)})"


def _word(code: int) -> str:
    return MEANING.get(code, "counts as infra")


def _said(proof: CaseProof) -> Iterator[str]:
    """What was written where it went wrong; anybody may have written it."""
    if not proof.results:
        yield f"--- {proof.case}: {plain(steady(proof.unproved_reason))}"
    for result in proof.results:
        if result.is_contrary:
            place = f" at {plain(result.place)}" if result.place else ""
            yield f"--- {proof.case} {result.state}{place}: {plain(steady(result.detail))}"
            yield from [steady(result.log_tail)[-TAIL:].rstrip("\n")] if result.log_tail else []


TOOL: Final = Tool(
    "margin_run",
    "Check cases against all gates, then prove them in containers: the known good candidate must end in 0, the "
    "untouched one in 1, a broken footing of the verifier in 2, wrong and forged candidates in 1. Tells each state, "
    "and the end of the log where one went wrong.",
    arguments_schema((), cases=CASES_ARGUMENT),
    run,
)
