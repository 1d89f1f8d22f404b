"""What a deep proof costs, in ratios within one run: mutants against bare runs of the verifier, a second run.

``python benchmarks/proof_cost.py [SUITE CASE...]``; without arguments three of the examples, converted first. A
bare run is one start of tests/test.sh in a solved container that is up already, nothing else counted. The mutant
that hangs is left out: it costs a shortened clock by design.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agent.cli import main
from skill.case import Case
from skill.suite import read_suite
from skill.work import Work
from tools.depth import Depth
from tools.mutants import mutants
from tools.pool import ordered
from tools.proof import prove
from tools.proof_cache import ProofCache
from tools.runners.base import KNOWN_GOOD, Setup, State
from tools.runners.docker import DockerRunner
from tools.runners.docker_prepared import DockerPrepared

EXAMPLES = ("slug-repair", "leap-days", "word-freq")
ROUNDS = 5
MOST_MUTANTS, MOST_KEPT = 1.2, 0.05
LEAST_BARE = 1.0  # below that the start of a container, which no mutant can do without, outweighs the verifier
ROOT = Path(__file__).resolve().parents[1]


@contextmanager
def clock() -> Iterator[list[float]]:
    taken = [time.perf_counter()]
    yield taken
    taken[0] = time.perf_counter() - taken[0]


def bare_seconds(prepared: DockerPrepared) -> float:
    """One start of the verifier over the right work, in a container that is up and has the tests."""
    return statistics.median(prepared.run(KNOWN_GOOD).seconds for _ in range(ROUNDS))


def mutant_seconds(prepared: DockerPrepared, case: Case, bare: float, jobs: int) -> tuple[int, float, float]:
    """How many mutants (but the one that hangs) there are, what all of them took, and their verifiers alone."""
    work = prepared.work()
    assert isinstance(work, Work)
    wanted = [entry for entry in mutants(case, work, bare) if isinstance(entry, State) and not entry.edits]
    with clock() as seconds:
        runs = list(ordered(prepared.run, wanted, jobs))
    return len(wanted), seconds[0], sum(run.seconds for run in runs)


def kept_seconds(suite: Path, case: Case, runner: DockerRunner) -> float:
    """A deep proof of a case that was proved before."""
    depth = Depth(deep=True)
    with tempfile.TemporaryDirectory() as folder:
        cache = ProofCache(Path(folder))
        for _ in range(2):
            with clock() as seconds:
                list(
                    prove(
                        suite, [case.name], runner=runner, jobs=2, states=depth.states, follow=depth.follow, cache=cache
                    )
                )
    return seconds[0]


def measure(suite: Path, names: tuple[str, ...]) -> bool:
    within = True
    runner = DockerRunner(Setup("proof-cost"))
    print(f"{'case':24} {'bare s':>7} {'mutants':>8} {'1 job':>7} {'2 jobs':>7} {'verifier':>9} {'kept ms':>8}")
    try:
        for case in (case for case in read_suite(suite).cases() if case.name in names):
            with runner.prepare(case, [KNOWN_GOOD], more=True) as prepared:
                bare = bare_seconds(prepared)
                one = mutant_seconds(prepared, case, bare, 1)
                two = mutant_seconds(prepared, case, bare, 2)
            kept = kept_seconds(suite, case, runner)
            ratios = [seconds / (number * bare) for number, seconds, _ in (one, two)]
            alone = one[2] / (one[0] * bare)
            row = f"{case.name:24} {bare:7.2f} {one[0]:8d} {ratios[0]:7.2f} {ratios[1]:7.2f} {alone:9.2f}"
            row += f" {kept * 1000:8.1f}"
            print(row, flush=True)
            within &= (bare < LEAST_BARE or min(ratios) <= MOST_MUTANTS) and kept <= MOST_KEPT
    finally:
        runner.close()
    print(
        f"columns 4 to 6: seconds / (mutants x bare), at most {MOST_MUTANTS}; kept: at most {MOST_KEPT * 1000:.0f} ms"
    )
    return within


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit(not measure(Path(sys.argv[1]), tuple(sys.argv[2:])))
    with tempfile.TemporaryDirectory() as folder:
        suite = Path(folder) / "suite"
        main(["convert", str(ROOT / "examples" / "harbor"), "-o", str(suite), "--proof", "none", "--quiet"])
        sys.exit(not measure(suite, EXAMPLES))
