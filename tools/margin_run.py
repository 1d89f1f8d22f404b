"""``margin_run``: the gates over a case, then its proof in containers, told without clocks and ids."""

from __future__ import annotations

from collections.abc import Sequence
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
    proofs, hindrance = _proofs(bench, clean)
    lines = [gates, *(_told(proof) for proof in proofs)]
    if hindrance:
        lines.append(f"not proved: {hindrance}")
    logs = "\n".join(_logs(proof) for proof in proofs if _logs(proof))
    return ToolResult("\n".join(lines), logs, "The ends of the logs of what went wrong" if logs else "")


def _proofs(bench: Workbench, names: Sequence[str]) -> tuple[list[CaseProof], str]:
    """A proof of each case, or why there is none."""
    try:
        runner = bench.open_runner()
    except RunnerError:
        return [], "no Docker engine and no margin command can be used on this machine"
    try:
        return [_proof(bench, runner, name) for name in names], ""
    finally:
        runner.close()


def _proof(bench: Workbench, runner: Runner, name: str) -> CaseProof:
    with shadow(bench.suite_root, name, {}) as root:
        if bench.prover:
            return bench.prover(root, name, runner)
        (proof,) = prove(root, [name], runner=runner)
        return proof


def _told(proof: CaseProof) -> str:
    if not proof.results:
        return f"{proof.case}: not proved: {plain(steady(proof.unproved_reason))}"
    verdict = "every state ended as it must" if proof.holds else "the proof speaks against this verifier"
    rows = [_state(result) for result in proof.results]
    rows += [f"  {row.state}: tells nothing here: {plain(steady(row.reason))}" for row in proof.unproved]
    return "\n".join([f"{proof.case}: {verdict}", *rows])


def _state(result: StateResult) -> str:
    ended = "was not reached" if result.exit_code is None else f"{result.exit_code} ({_word(result.exit_code)})"
    if result.holds:
        return f"  {result.state}: {ended}, as it must"
    place = f", at {plain(result.place)}" if result.place else ""
    said = f": {plain(steady(result.detail))}" if result.detail else ""
    return f"  {result.state}: {ended}, but it must be {result.expected} ({_word(result.expected)}){place}{said}"


def _word(code: int) -> str:
    return MEANING.get(code, "counts as infra")


def _logs(proof: CaseProof) -> str:
    wrong = [result for result in proof.results if result.is_contrary and result.log_tail]
    return "\n".join(f"--- {proof.case} {result.state}\n{steady(result.log_tail)[-TAIL:]}" for result in wrong)


TOOL: Final = Tool(
    "margin_run",
    "Check cases against all gates, then prove them in containers: the known good candidate must end in 0, the "
    "untouched one in 1, a broken footing of the verifier in 2, wrong and forged candidates in 1. Tells each state, "
    "and the end of the log where one went wrong.",
    arguments_schema((), cases=CASES_ARGUMENT),
    run,
)
