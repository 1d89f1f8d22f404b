"""What a proof costs, in ratios within one run: against bare runs of the same work, and a second run.

``python benchmarks/proof_cost.py [SUITE CASE...]``; without arguments three of the examples, converted first. Two
yardsticks: a *bare exec* is one start of tests/test.sh in a solved container that is up already; a *bare run* is one
``docker run`` of it, the least that a container of its own can cost. A verifier that takes a fraction of a second
is outweighed by the start of the container that each mutant needs, so below LEAST_BARE seconds mutants are held
against the bare run only. The mutant that hangs is left out: it costs a shortened clock by design.
"""

from __future__ import annotations

import secrets
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
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
from tools.runners.base import KNOWN_GOOD, UNTOUCHED, Prepared, Setup, State
from tools.runners.docker import DockerRunner
from tools.sabotage import sabotages

EXAMPLES = ("slug-repair", "leap-days", "word-freq")
ROUNDS = 3
MOST_STATES, MOST_MUTANTS, MOST_KEPT = 1.3, 1.2, 0.05
LEAST_BARE = 1.0  # seconds; below that the bare exec is no yardstick for what needs a container
JOBS = (1, 2)
ROOT = Path(__file__).resolve().parents[1]


@contextmanager
def clock() -> Iterator[list[float]]:
    taken = [time.perf_counter()]
    yield taken
    taken[0] = time.perf_counter() - taken[0]


@dataclass(frozen=True)
class Bare:
    """The docker command alone, over copies of a case's files, with an image that is there."""

    case: Case
    image: str
    folder: Path

    def run(self, script: str, *options: str, image: str = "", without: str = "") -> float:
        """Seconds of one ``docker run``, staging included as a mount."""
        staged = self.folder / secrets.token_hex(4)
        shutil.copytree(self.case.root / "tests", staged / "tests")
        shutil.copytree(self.case.root / "oracle", staged / "oracle")
        if without:
            (staged / "tests" / without).unlink()
        at = self.case.test_cwd.rstrip("/")
        env = [f"MARGIN_AGENT_CWD={self.case.agent_cwd}", f"MARGIN_TEST_CWD={self.case.test_cwd}"]
        words = ["docker", "run", *(options or ("--rm",)), "--entrypoint", "sh", "-w", self.case.test_cwd]
        words += [f"--env={row}" for row in (*env, f"MARGIN_ORACLE_DIR={at}/oracle")]
        words += [f"--volume={staged / name}:{at}/{name}" for name in ("tests", "oracle")]
        with clock() as seconds:
            subprocess.run([*words, image or self.image, "-c", script], stdout=subprocess.DEVNULL, check=False)
        return seconds[0]

    def three(self) -> float:
        """The three states one after the other: solved, untouched, solved without a staged file."""
        solved = "bash -c oracle/solve.sh; bash -c tests/test.sh"
        removed = next(edit.path for edit in sabotage_of(self.case).edits)
        return self.run(solved) + self.run("bash -c tests/test.sh") + self.run(solved, without=removed)

    def verifier(self) -> float:
        """The verifier over the right work, from an image that has it."""
        name = f"suite-converter-bench-{secrets.token_hex(4)}"
        self.run("bash -c oracle/solve.sh", "--name", name)
        subprocess.run(["docker", "commit", name, f"{name}:solved"], stdout=subprocess.DEVNULL, check=True)
        try:
            return statistics.median(self.run("bash -c tests/test.sh", image=f"{name}:solved") for _ in range(ROUNDS))
        finally:
            subprocess.run(["docker", "rm", "-f", name], stdout=subprocess.DEVNULL, check=True)
            subprocess.run(["docker", "rmi", f"{name}:solved"], stdout=subprocess.DEVNULL, check=True)


def sabotage_of(case: Case) -> State:
    """The common sabotage that takes a staged file away."""
    return next(entry for entry in sabotages(case) if isinstance(entry, State) and entry.edits)


def exec_seconds(prepared: Prepared) -> float:
    """One start of the verifier over the right work, in a container that is up and has the tests."""
    return statistics.median(prepared.run(KNOWN_GOOD).seconds for _ in range(ROUNDS))


def states_seconds(runner: DockerRunner, suite: Path, case: Case, jobs: int) -> float:
    """The three states of a case whose image is there."""

    def three(case: Case) -> list[State]:
        return [KNOWN_GOOD, UNTOUCHED, sabotage_of(case)]

    def once() -> float:
        with clock() as seconds:
            (proof,) = prove(suite, [case.name], runner=runner, jobs=jobs, states=three)
        assert [result.holds for result in proof.results] == [True] * 3, proof
        return seconds[0]

    return statistics.median(once() for _ in range(ROUNDS))


def mutants_seconds(prepared: Prepared, wanted: Sequence[State], jobs: int) -> float:
    prepared.expect(wanted)
    with clock() as seconds:
        list(ordered(prepared.run, wanted, jobs))
    return seconds[0]


def wanted_mutants(prepared: Prepared, case: Case, bare: float) -> list[State]:
    """All mutants but the one that hangs."""
    work = prepared.work()
    assert isinstance(work, Work)
    return [entry for entry in mutants(case, work, bare) if isinstance(entry, State) and not entry.edits]


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
    """Print a row for each case; whether all bars are held."""
    within = True
    runner = DockerRunner(Setup("proof-cost"))
    head = ["exec s", "run s", "three s", "st/1", "st/2", "mutants", "m/exec/1", "m/exec/2", "m/run/1", "m/run/2"]
    print(f"{'case':24} {' '.join(f'{word:>8}' for word in (*head, 'kept ms'))}")
    try:
        for case in (case for case in read_suite(suite).cases() if case.name in names):
            row, kept_bars = measured(runner, suite, case)
            print(f"{case.name:24} {' '.join(f'{number:8.2f}' for number in row)}", flush=True)
            within &= kept_bars
    finally:
        runner.close()
    print(f"st/N: three states with N jobs, in three bare runs one after the other; at most {MOST_STATES} with 2 jobs")
    print(f"m/exec/N: mutants in bare execs; at most {MOST_MUTANTS} where a bare exec takes {LEAST_BARE:.0f} s or more")
    print(f"m/run/N: mutants in bare runs; the better of the two at most {MOST_MUTANTS}")
    print(f"kept: a deep proof that is known already; at most {MOST_KEPT * 1000:.0f} ms")
    return within


def measured(runner: DockerRunner, suite: Path, case: Case) -> tuple[list[float], bool]:
    """The figures of one case, and whether its bars are held."""
    with runner.image(case) as image, tempfile.TemporaryDirectory() as folder:
        bare = Bare(case, image, Path(folder))
        three = statistics.median(bare.three() for _ in range(ROUNDS))
        states = [states_seconds(runner, suite, case, jobs) / three for jobs in JOBS]
        run = bare.verifier()
        with runner.prepare(case, [KNOWN_GOOD], more=True) as prepared:
            once = exec_seconds(prepared)
            wanted = wanted_mutants(prepared, case, once)
            took = [mutants_seconds(prepared, wanted, jobs) / len(wanted) for jobs in JOBS]
        kept = kept_seconds(suite, case, runner)
    by_exec, by_run = ([seconds / yardstick for seconds in took] for yardstick in (once, run))
    held = states[1] <= MOST_STATES and min(by_run) <= MOST_MUTANTS and kept <= MOST_KEPT
    held &= once < LEAST_BARE or min(by_exec) <= MOST_MUTANTS
    return [once, run, three, *states, len(wanted), *by_exec, *by_run, kept * 1000], held


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit(not measure(Path(sys.argv[1]), tuple(sys.argv[2:])))
    with tempfile.TemporaryDirectory() as folder:
        suite = Path(folder) / "suite"
        main(["convert", str(ROOT / "examples" / "harbor"), "-o", str(suite), "--proof", "none", "--quiet"])
        sys.exit(not measure(suite, EXAMPLES))
