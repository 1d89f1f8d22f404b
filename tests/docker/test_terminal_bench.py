"""The Terminal-Bench examples, converted, proved in containers, and run beside the framework's own rule."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from skill.case import Case
from skill.comparison import Comparison
from skill.draft import CaseDraft, Choices, draft
from skill.pass_rule import pass_rule
from skill.source_evidence import Standing
from skill.sources.terminal_bench import TERMINAL_BENCH
from tests.support.suites import put
from tools.against_source import Bench, compare
from tools.proof import prove
from tools.runners import open_runner
from tools.runners.base import KNOWN_GOOD, UNTOUCHED, Box, Setup, State
from tools.runners.docker import DockerRunner
from tools.source_judges import open_judge

pytestmark = pytest.mark.docker

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "terminal-bench"


class Wrong:
    """A candidate that writes two of the three minutes."""

    def __call__(self, box: Box) -> str:
        """That it did."""
        return "half an answer" if box.shell("printf '7\\n9\\n' >/app/codes.txt")[0] == 0 else ""


class Printed:
    """A candidate that leaves a summary where the script looks for the answer."""

    def __call__(self, box: Box) -> str:
        """That it did."""
        forged = "=== short test summary info ===\\nPASSED bell_codes\\n"
        return "a summary as the answer" if box.shell(f"printf '{forged}' >/app/codes.txt")[0] == 0 else ""


WRONG = State("mutant:half", 1, solved=True, meddling=Wrong())
PRINTED = State("mutant:printed", 1, solved=False, meddling=Printed())
STATES = [KNOWN_GOOD, UNTOUCHED, WRONG, PRINTED]


@pytest.fixture(scope="module")
def runner() -> Iterator[DockerRunner]:
    opened = open_runner("docker", Setup("terminal-bench"))
    assert isinstance(opened, DockerRunner)
    yield opened
    opened.close()


def converted(name: str, suite: Path) -> Comparison:
    """One of the examples as a case of ``suite``."""
    ref = next(ref for ref in TERMINAL_BENCH.inventory(EXAMPLES).tasks if ref.id == name)
    task = TERMINAL_BENCH.load(ref)
    made = draft(task, name, Choices())
    assert isinstance(made, CaseDraft), made
    for file in made.files:
        data = file.copy_of.read_bytes() if file.copy_of else file.data or b""
        put(f"cases/{name}/{file.path}", data, file.mode)(suite)
    put("suite.toml", f'kind = "test_suite"\nname = "ferries"\ncases = ["{name}"]\n')(suite)
    return Comparison(Case(suite, name, 0), made.ledger, task)


def test_a_summary_printed_by_hand_and_a_solution_of_keystrokes(tmp_path: Path, runner: DockerRunner) -> None:
    pair = converted("bell-codes", tmp_path)
    proofs = list(prove(tmp_path, runner=runner, states=lambda case: STATES))
    (proof,) = proofs
    assert [result.exit_code for result in proof.results] == [0, 1, 1, 1], proof
    bench = Bench(open_judge("harbor+terminal-bench", runner), pass_rule(None), None)
    ((_, found),) = compare(proofs, {"bell-codes": pair}, lambda _: STATES, bench)
    assert [row.source for row in found.rows] == ["pass", "fail", "fail", "fail"]
    assert {row.standing for row in found.rows} == {Standing.AGREES}
