from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tools.runners.margin_results import MarginResult, read_results

CASES = ("good", "bad", "odd")
OUTPUT = """[run] started run_id=run_1 total=3 run_dir=/x
[12s] fail #001 bad type=test_failed test_exit=1
[12s] fail #002 odd type=infra_failed test_exit=3 code=INVALID_TEST_EXIT_CODE reason="case test script \\"3\\""
[26s] finished state=failed elapsed=26s
[26s] summary total=3 pass=1 test_fail=1 infra_fail=1 canceled=0
run_id: run_1
state: failed
run_dir: /x
"""
ENDS = {
    "good": ("succeeded", 0, ""),
    "bad": ("test_failed", 1, ""),
    "odd": ("infra_failed", 3, "INVALID_TEST_EXIT_CODE"),
}


def write(run: Path, path: str, table: Any) -> None:
    target = run / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(table if isinstance(table, str) else json.dumps(table))


def row(case: str) -> dict[str, Any]:
    state, code, error = ENDS[case]
    return {"case_id": case, "final_state": state, "test_exit_code": code} | ({"error_code": error} if error else {})


def whole_run(run: Path) -> None:
    for number, case in enumerate(CASES, start=1):
        folder = f"instances/run_1-inst-{number:04}"
        write(run, f"{folder}/test/test_stdout.txt", f"out {case}\n")
        write(run, f"{folder}/test/test_stderr.txt", f"err {case}\n")
        test = {key: f"{folder}/test/{key}.txt" for key in ("test_stdout", "test_stderr")}
        times = {"provisioned_at": "2026-01-02T03:04:05.5Z", "test_ended_at": "2026-01-02T03:04:08.123456789Z"}
        write(run, f"{folder}/result.json", row(case) | times | {"files": {"test": test}})
    progress = {
        f"{case}#1": {"case_id": case, "instance_id": f"run_1-inst-{number:04}"}
        | {"final_state": ENDS[case][0], "result": row(case)}
        for number, case in enumerate(CASES, start=1)
    }
    write(run, "internal/progress.json", {"instances": progress})
    write(run, "results.json", {"instances": [{"case_id": case, "final_state": ENDS[case][0]} for case in CASES]})


def ends(found: dict[str, MarginResult]) -> dict[str, tuple[str, int | None, str]]:
    return {case: (result.final_state, result.test_exit, result.error_code) for case, result in found.items()}


def test_a_whole_run_has_logs_and_durations(tmp_path: Path) -> None:
    whole_run(tmp_path)
    found = read_results(tmp_path, OUTPUT, CASES)
    assert ends(found) == ENDS
    assert (found["bad"].log, found["bad"].seconds) == ("out bad\nerr bad\n", 2.623)


@pytest.mark.parametrize("damage", ["", '{"case_id": "odd", "final_s', "[]", '{"case_id": "odd"}'])
@pytest.mark.parametrize("lost", ["one result", "all results", "results and progress", "everything"])
def test_no_lost_or_torn_file_loses_a_verdict(tmp_path: Path, lost: str, damage: str) -> None:
    whole_run(tmp_path)
    gone = {
        "one result": ["instances/run_1-inst-0003/result.json"],
        "all results": [f"instances/run_1-inst-000{number}/result.json" for number in (1, 2, 3)],
    }
    gone["results and progress"] = [*gone["all results"], "internal/progress.json"]
    gone["everything"] = [*gone["results and progress"], "results.json"]
    for path in gone[lost]:
        write(tmp_path, path, damage)
    assert ends(read_results(tmp_path, OUTPUT, CASES)) == ENDS


def test_the_progress_file_alone_has_the_logs_too(tmp_path: Path) -> None:
    whole_run(tmp_path)
    for result in tmp_path.glob("instances/*/result.json"):
        result.unlink()
    found = read_results(tmp_path, "", CASES)
    assert ends(found) == ENDS
    assert found["odd"].log == "out odd\nerr odd\n"


def test_the_summary_alone_has_no_exit_status_for_infra(tmp_path: Path) -> None:
    write(tmp_path, "results.json", {"instances": [{"case_id": "odd", "final_state": "infra_failed"}]})
    assert ends(read_results(tmp_path, "", CASES)) == {"odd": ("infra_failed", None, "")}


@pytest.mark.parametrize(
    "output",
    [
        "",
        OUTPUT.replace("state: failed", "state: running"),
        OUTPUT.replace("state: failed\n", ""),
        OUTPUT.replace("pass=1", "pass=0"),
    ],
    ids=["nothing", "still running", "cut off", "does not add up"],
)
def test_silence_is_no_success_without_an_end_that_adds_up(tmp_path: Path, output: str) -> None:
    assert "good" not in read_results(tmp_path, output, CASES)


def test_an_unfinished_instance_is_no_result(tmp_path: Path) -> None:
    write(tmp_path, "instances/a/result.json", {"case_id": "good", "final_state": "running"})
    assert read_results(tmp_path, "", CASES) == {}
