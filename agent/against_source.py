"""Converted cases beside their source's own verifier: what prove and convert need for that, and how it is shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from agent.errors import UsageError
from agent.options import Options
from agent.progress import Progress
from agent.run_folder import REPORT_JSON, RunFolder, run_path
from agent.text import plain
from skill.comparison import Comparison, comparisons
from skill.evidence import SABOTAGE, CaseProof
from skill.pass_rule import PassRule, pass_rule
from skill.source_evidence import AgainstSource, Agreement, Standing
from tools.against_source import Bench, SourceCache, compare
from tools.depth import Depth
from tools.proof import standard_states
from tools.proof_cache import ProofCache
from tools.runners.base import Runner, State
from tools.source_judges import open_judge

SOURCES = "sources"  # below the evidence of a run: what sources said, by key
COLUMNS = ("state", "source", "converted", "")


def rule_of(suite: Path) -> PassRule:
    """The rule that the conversion of ``suite`` was given; raises UsageError when its report cannot be read."""
    path = run_path(suite.resolve()) / REPORT_JSON
    try:
        return pass_rule(json.loads(path.read_bytes())["choices"]["pass_if"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path}: is no report of ours ({error}); only a converted suite has one") from error


def staged_pairs(options: Options, run: RunFolder, progress: Progress, names: Sequence[str]) -> dict[str, Comparison]:
    """The named cases of an unfinished conversion beside their source tasks."""
    rows = ({"case": name, **vars(row)} for name in names for row in progress.result_of(name).ledger)
    return pairs_of(run.staging, rows, options.source, names)


def pairs_of(
    suite: Path, ledger: Iterable[Mapping[str, Any]], source: Path, names: Iterable[str]
) -> dict[str, Comparison]:
    """The named cases beside their source tasks; raises SourceError when there is no source."""
    wanted = set(names)
    found = comparisons(suite, (row for row in ledger if row["case"] in wanted), source)
    return {pair.case.name: pair for pair in found}


def judged(
    proofs: Iterable[CaseProof],
    pairs: Mapping[str, Comparison],
    rule: PassRule,
    runner: Runner,
    states: Callable[[CaseProof], Iterable[State]],
    kept: Path | None,
) -> Iterator[tuple[CaseProof, AgainstSource]]:
    """Each proof with its case's comparison; ``states`` are those of a proof, what sources say is kept below ``kept``.

    Raises EngineUnavailable where the source's framework cannot be run.
    """
    frameworks = sorted({pair.task.framework for pair in pairs.values() if pair.task})
    judge = open_judge("+".join(frameworks), runner)
    bench = Bench(judge, rule, SourceCache(kept / SOURCES) if kept else None)
    return compare(proofs, pairs, states, bench)


def states_of(
    depth: Depth, pairs: Mapping[str, Comparison], kept: Path, runner: Runner
) -> Callable[[CaseProof], list[State]]:
    """What gives the states that a proof of ``depth`` has results of; ``kept`` is where its answers are kept.

    Of sabotage only the common kinds: a source has no verdict for its own footing, so that more would tell no more.
    """
    cache = ProofCache(kept)

    def states(proof: CaseProof) -> list[State]:
        case = pairs[proof.case].case
        common = {entry.name if isinstance(entry, State) else entry.state for entry in standard_states(case)}
        proved = depth.proved(case, proof, cache, runner.version)
        return [state for state in proved if state.name in common or not state.name.startswith(SABOTAGE)]

    return states


def table(found: AgainstSource) -> Iterator[str]:
    """The comparison of one case for a terminal: a head line and one line a state."""
    if not found.rows:
        yield plain(f"{found.case}: not compared with its source: {found.reason}")
        return
    cells = [COLUMNS, *((row.state, _source(row), row.converted, _standing(row)) for row in found.rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(3)]
    for row in cells:
        yield plain(f"  {row[0]:{widths[0]}}  {row[1]:{widths[1]}}  {row[2]:{widths[2]}}  {row[3]}".rstrip())


def summary(every: Iterable[AgainstSource]) -> str:
    """How many states of all cases stand how, in one line."""
    counts = dict.fromkeys(Standing, 0)
    for found in every:
        for row in found.rows:
            counts[row.standing] += 1
    return "against the source: " + ", ".join(f"{number} {standing}" for standing, number in counts.items())


def _source(row: Agreement) -> str:
    if row.source == "nothing":
        return row.booked
    return f"{row.source} ({row.booked})" if row.source else "-"


def _standing(row: Agreement) -> str:
    if row.standing is Standing.EXPLAINED:
        return f"explained: {row.code}"
    extra = row.sentence or row.detail
    return f"{row.standing}{f': {extra}' if extra else ''}"
