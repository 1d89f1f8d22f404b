"""What the evidence about one case amounts to."""

from __future__ import annotations

from collections import Counter

from skill.contract import INFRA
from skill.evidence import NULL, ORACLE, SABOTAGE, CaseProof

PROVED, PARTLY, UNPROVED, CONTRARY = "proved", "partly proved", "unproved", "contrary"


def weight(proof: CaseProof | None) -> str:
    """What a proof amounts to; a verifier that reaches no verdict in any plain state proves nothing.

    A case of which the engine kept one state from being run is not proved.
    """
    if proof is None or not proof.results or _is_only_infra(proof):
        return UNPROVED
    if not proof.holds:
        return CONTRARY
    ran = {result.state.partition(":")[0] for result in proof.results}
    return PROVED if not proof.gaps and {ORACLE, NULL, SABOTAGE.rstrip(":")} <= ran else PARTLY


def ran(proof: CaseProof) -> str:
    """What was run, in a few words: "oracle, null, 7 sabotage, 12 mutant (1 passed), 1 could not run"."""
    counts = Counter(result.state.partition(":")[0] for result in proof.results)
    passed = Counter(result.state.partition(":")[0] for result in proof.results if result.is_survivor)
    told = [
        (kind if number == 1 and kind in (ORACLE, NULL) else f"{number} {kind}")
        + (f" ({passed[kind]} passed)" if passed[kind] else "")
        for kind, number in counts.items()
    ]
    return ", ".join([*told, f"{len(proof.gaps)} could not run"] if told and proof.gaps else told)


def why(proof: CaseProof) -> str:
    """One line about what a proof lacks or holds against its case; empty when there is nothing to say."""
    if not proof.results:
        return proof.unproved_reason
    wrong = [
        f"{r.state} ended with {r.exit_code}, not {r.expected}{f' ({r.detail})' if r.detail else ''}"
        for r in proof.results
        if r.is_contrary
    ]
    return "; ".join(wrong or [f"{row.state}: {row.reason}" for row in proof.gaps or proof.unproved])


def _is_only_infra(proof: CaseProof) -> bool:
    """Whether the verifier says in every plain state that it cannot judge here."""
    plain_states = [result.exit_code for result in proof.results if result.state in (ORACLE, NULL)]
    return bool(plain_states) and all(code == INFRA for code in plain_states)
