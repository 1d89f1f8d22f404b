"""parsers.sh run for real: what a harness would read, and where a converted verifier is stricter on purpose."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from skill.contract import FAIL, INFRA, PASS
from skill.pass_rule import pass_rule
from skill.sources.terminal_bench.parsers import book
from skill.verifier.shipped import PARSERS, staged
from skill.verifier.template import library

BASH = shutil.which("bash") or "bash"
HEAD = "=========== short test summary info ============\n"
SWE = "SWEBench results starts here\n{}\nSWEBench results ends here\n"
PERF = "SWE-Perf results starts here\n{}\nSWE-Perf results ends here\n"
MLE = "MLEBench results starts here\n{}\nMLEBench results ends here\n"

# parser, output, what the harness resolves (None: it books nothing), what a converted verifier says
READ = [
    ("pytest", f"{HEAD}PASSED t.py::a\nPASSED t.py::b\n== 2 passed ==\n", True, PASS),
    ("pytest", f"{HEAD}PASSED t.py::a\nFAILED t.py::b - assert 1 == 2\n", False, FAIL),
    ("pytest", f"{HEAD}SKIPPED [1] t.py:3: not here\nXFAIL t.py::b\n", True, PASS),
    ("pytest", f"{HEAD}PASSED t.py::a\nXPASS t.py::b\n", False, FAIL),
    ("pytest", f"{HEAD}ERROR t.py - ImportError: no tide\n", False, FAIL),
    ("pytest", f"FAILED t.py::a\n{HEAD}PASSED t.py::a\n", True, PASS),  # before the header nothing counts
    ("pytest", "--- Short Test Summary Info ---\nPASSED t.py::a\n", None, INFRA),
    ("pytest", "=SHORT TEST SUMMARY INFO=\nPASSED: a\n", True, PASS),
    ("pytest", f"{HEAD}  PASSED one\n", True, PASS),
    ("pytest", f"{HEAD}passed one\n", True, INFRA),  # a header alone: resolved there, nothing that passed here
    ("pytest", f"{HEAD}PASSEDone two\nPASSED\nPASSED a::\n", True, INFRA),
    ("pytest", f"{HEAD}FAILED - x\n", True, INFRA),
    ("pytest", f"{HEAD}FAILED a/t.py::same\nPASSED b/t.py::same\n", True, FAIL),  # there the last of a name wins
    ("pytest", f"{HEAD}PASSED t.py::a\n{HEAD}FAILED t.py::b\n", False, FAIL),
    ("pytest", f"\x1b[36m{HEAD.strip()}\x1b[0m\r\n\x1b[32mPASSED\x1b[0m t.py::a\r\n", True, PASS),
    ("pytest", "1 passed in 0.01s\n", None, INFRA),
    ("pytest", "", None, INFRA),
    ("swebench", SWE.format("PASSED"), True, PASS),
    ("swebench", "log\n" + SWE.format("PASSED") + "more\n", True, PASS),
    ("swebench", SWE.format("FAILED"), False, FAIL),
    ("swebench", SWE.format("PASSED\nPASSED"), False, FAIL),
    ("swebench", SWE.format("PASSED") + SWE.format("FAILED"), False, FAIL),  # a block printed before the true one
    ("swebench", "SWEBench results starts here\nPASSED\n", None, INFRA),
    ("swebench", "SWEBench results ends here\nPASSED\n", None, INFRA),
    ("swebench", "SWEBench results starts here PASSED SWEBench results ends here", True, PASS),
    ("sweperf", PERF.format("PASSED"), True, PASS),
    ("sweperf", SWE.format("PASSED"), None, INFRA),
    ("mlebench", MLE.format("ALL TESTS PASSED"), True, PASS),
    ("mlebench", MLE.format("PASSED"), False, FAIL),
    ("mlebench", "ALL TESTS PASSED\n", True, PASS),
    ("mlebench", "log\nALL TESTS PASSED\n", False, FAIL),
    ("mlebench", "", False, FAIL),
    ("swelancer", "SWE Lancer Success\n", True, PASS),
    ("swelancer", "swe lancer failure\n", False, FAIL),
    ("swelancer", "swe lancer failure\nswe lancer success\n", True, FAIL),  # there a success is looked for first
    ("swelancer", "user_tool ran\nCompleted\n", True, PASS),
    ("swelancer", "user_tool ran\n", False, FAIL),
    ("swelancer", "", False, FAIL),
]


def judged(root: Path, parser: str, outputs: list[str], before: str = "STATUS=0") -> list[int]:
    """How the reader of ``parser`` ends for each of ``outputs``."""
    (root / "lib.sh").write_bytes(library())
    (root / "parsers.sh").write_bytes(staged(PARSERS))
    for number, output in enumerate(outputs):
        (root / f"{number}").mkdir()
        (root / f"{number}" / "output").write_text(output, newline="")
    text = f"""
    . {root}/lib.sh; . {root}/parsers.sh
    for number in {" ".join(str(number) for number in range(len(outputs)))}; do
      (PRIVATE={root}/$number; {before}; judge_output {parser}) >/dev/null 2>&1
      echo $?
    done
    """
    done = subprocess.run([BASH, "-c", text], capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"})
    return [int(line) for line in done.stdout.split()]


@pytest.mark.parametrize(("parser", "output", "resolved", "expected"), READ)
def test_what_is_read_in_the_output(
    parser: str, output: str, resolved: bool | None, expected: int, tmp_path: Path
) -> None:
    booked = book(parser, output)
    assert (pass_rule(None).judge(booked)) == {True: "pass", False: "fail", None: "nothing"}[resolved]
    assert judged(tmp_path, parser, [output]) == [expected]


def test_a_script_that_was_killed_or_ran_out_of_time_does_not_pass(tmp_path: Path) -> None:
    good = f"{HEAD}PASSED t.py::a\n"
    for place, before in enumerate(("STATUS=1", "STATUS=143", "STATUS=124 TIMED_OUT=1")):
        (tmp_path / f"{place}").mkdir()
        assert judged(tmp_path / f"{place}", "pytest", [good], before) == [[PASS], [FAIL], [FAIL]][place]


def test_no_result_is_the_candidates_doing_where_nothing_from_outside_can_be_at_fault(tmp_path: Path) -> None:
    for place, before in enumerate(("STATUS=1", "STATUS=0 OFFLINE=1", "STATUS=1 OFFLINE=1")):
        (tmp_path / f"{place}").mkdir()
        assert judged(tmp_path / f"{place}", "pytest", ["nothing\n"], before) == [[INFRA], [INFRA], [FAIL]][place]


def test_more_output_than_can_be_read_in_time_is_the_candidates_failure(tmp_path: Path) -> None:
    good = f"{HEAD}PASSED t.py::a\n"
    assert judged(tmp_path, "pytest", [good], "STATUS=0 LIMIT=60 SECONDS=58") == [PASS]
    (tmp_path / "late").mkdir()
    assert judged(tmp_path / "late", "pytest", [good], "STATUS=0 LIMIT=60 SECONDS=60") == [FAIL]


PIECES = (
    *("=== short test summary info ===\n", "PASSED", "FAILED", "XPASS", "ERROR", "SKIPPED", " a::b", " c", "::", " - "),
    *(
        "\n",
        "\n",
        "PASSED:",
        "SWEBench results starts here",
        "SWEBench results ends here",
        "MLEBench results ends here",
    ),
    *("MLEBench results starts here", "ALL TESTS PASSED", "swe lancer success", "swe lancer failure", "user_tool"),
    *("completed", "[1] a.py:3: why", "\r\n", " "),
)


@pytest.mark.parametrize("parser", ["pytest", "swebench", "mlebench", "swelancer"])
def test_nothing_passes_that_the_harness_does_not_resolve(parser: str, tmp_path: Path) -> None:
    chance = random.Random(f"{parser} 1")
    outputs = ["".join(chance.choices(PIECES, k=chance.randint(0, 12))) for _ in range(300)]
    stricter = 0
    for output, status in zip(outputs, judged(tmp_path, parser, outputs), strict=True):
        resolved = pass_rule(None).judge(book(parser, output))
        assert status in (PASS, FAIL, INFRA)
        assert status != PASS or resolved == "pass", output
        assert (status == INFRA) <= (resolved != "fail"), output
        stricter += resolved == "pass" and status != PASS
    assert (stricter > 0) == (parser in ("pytest", "swelancer")), "the differences are those of the table above"
