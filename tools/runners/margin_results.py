"""What a ``margin run`` left behind, read so that no missing or torn file loses a verdict.

The process may exit before its last files are written (seen in two of about fifty runs), so four sources are
asked in turn for each case: the instance's own result, the progress file, the summary, the output.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from skill.contract import FAIL, PASS

CODE_OF_STATE: Final = {"succeeded": PASS, "test_failed": FAIL}
TERMINAL: Final = ("succeeded", "test_failed", "infra_failed", "canceled")
LOGS: Final = {"test": ("test_stdout", "test_stderr"), "oracle": ("oracle_stdout", "oracle_stderr")}

_FAILED = re.compile(
    r"^\[[^\]]*\] fail #\d+ (?P<case>\S+) type=(?P<state>\w+)(?: test_exit=(?P<exit>-?\d+))?"
    r'(?: code=(?P<code>\w+))?(?: reason=(?P<reason>".*"))?',
    re.MULTILINE,
)
_SUMMARY = re.compile(r"^\[[^\]]*\] summary total=\d+ pass=(?P<passed>\d+) ", re.MULTILINE)
_STATE = re.compile(r"^state: (?P<state>\w+)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class MarginResult:
    """How one case ended."""

    final_state: str
    test_exit: int | None = None
    error_code: str = ""
    error_message: str = ""
    oracle_exit: int | None = None
    log: str = ""
    seconds: float = 0.0  # from the container's start to the end of the tests; 0 where that is not known


def read_results(run_dir: Path, stdout: str, cases: tuple[str, ...]) -> dict[str, MarginResult]:
    """The result of every case that any source tells of; a case that is missing was never finished."""
    sources = (_instances(run_dir), _progress(run_dir), _printed(stdout), _summary(run_dir))
    found = {}
    for case in cases:
        result = next((source[case] for source in sources if case in source), None)
        if result is not None:
            found[case] = result
    silent = [case for case in cases if case not in found]
    passed = sum(result.final_state == "succeeded" for result in found.values())
    if _passes(stdout) == passed + len(silent):  # a finished run prints every failure
        found |= {case: MarginResult("succeeded", PASS) for case in silent}
    return found


def _passes(stdout: str) -> int:
    """How many cases passed as a finished run's output tells, -1 when it tells of no end."""
    state, summary = _STATE.search(stdout), _SUMMARY.search(stdout)
    if state is None or summary is None or state["state"] not in ("completed", "failed"):
        return -1
    return int(summary["passed"])


def _instances(run_dir: Path) -> dict[str, MarginResult]:
    """instances/*/result.json, with the scripts' output."""
    found = {}
    for path in sorted(run_dir.glob("instances/*/result.json")):
        table = _load(path)
        if table.get("final_state") in TERMINAL and "case_id" in table:
            found[str(table["case_id"])] = _result(table, _logs(run_dir, table))
    return found


def _progress(run_dir: Path) -> dict[str, MarginResult]:
    """internal/progress.json."""
    instances = _load(run_dir / "internal" / "progress.json").get("instances")
    found = {}
    for row in instances.values() if isinstance(instances, dict) else ():
        if isinstance(row, dict) and row.get("final_state") in TERMINAL:
            nested = row.get("result")
            table = {**(nested if isinstance(nested, dict) else {}), "final_state": row["final_state"]}
            log = _instance_logs(run_dir / "instances" / str(row.get("instance_id", "")))
            found[str(row.get("case_id"))] = _result(table, log)
    return found


def _printed(stdout: str) -> dict[str, MarginResult]:
    """The ``fail #`` lines of the output."""
    return {
        line["case"]: MarginResult(
            line["state"],
            int(line["exit"]) if line["exit"] else CODE_OF_STATE.get(line["state"]),
            line["code"] or "",
            (line["reason"] or "").strip('"'),
        )
        for line in _FAILED.finditer(stdout)
    }


def _summary(run_dir: Path) -> dict[str, MarginResult]:
    """results.json, which has states but no exit codes."""
    rows = _load(run_dir / "results.json").get("instances")
    found = {}
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict) and row.get("final_state") in TERMINAL:
            state = str(row["final_state"])
            reason = str(row.get("infra_failure_reason", ""))
            found[str(row.get("case_id"))] = MarginResult(state, CODE_OF_STATE.get(state), "", reason)
    return found


def _result(table: Mapping[str, Any], log: str) -> MarginResult:
    """The fields of an instance's result, whatever is left out of it."""
    state = str(table["final_state"])
    exit_code = table.get("test_exit_code")
    oracle = table.get("oracle_exit_code")
    return MarginResult(
        state,
        exit_code if isinstance(exit_code, int) else CODE_OF_STATE.get(state),
        str(table.get("error_code") or ""),
        str(table.get("error_message") or ""),
        oracle if isinstance(oracle, int) else None,
        log,
        _seconds(table),
    )


def _seconds(table: Mapping[str, Any]) -> float:
    """How long the case's container was at work."""
    ends = [table.get(key) for key in ("provisioned_at", "test_ended_at")]
    try:
        started, ended = (datetime.fromisoformat(str(end)) for end in ends)
        return round((ended - started).total_seconds(), 3)
    except (ValueError, TypeError):
        return 0.0


def _logs(run_dir: Path, table: Mapping[str, Any]) -> str:
    """The output of the script that ran last, as the result's ``files`` name it."""
    files = table.get("files")
    for group, names in LOGS.items():
        paths = files.get(group) if isinstance(files, dict) else None
        if isinstance(paths, dict):
            return "".join(_text(run_dir / str(paths[name])) for name in names if name in paths)
    return ""


def _instance_logs(folder: Path) -> str:
    """The same by the names that Margin gives the files."""
    for group, names in LOGS.items():
        if (folder / group).is_dir():
            return "".join(_text(folder / group / f"{name}.txt") for name in names)
    return ""


def _text(path: Path) -> str:
    """A log's last megabyte, empty when there is none."""
    try:
        with path.open("rb") as stream:
            stream.seek(max(path.stat().st_size - (1 << 20), 0))
            return stream.read().decode("utf-8", "replace")
    except OSError:
        return ""


def _load(path: Path) -> dict[str, Any]:
    """A JSON object; empty when the file is missing, torn or something else."""
    try:
        table = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return table if isinstance(table, dict) else {}
