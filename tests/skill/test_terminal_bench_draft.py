"""A Terminal-Bench task drafted as a case: where each file comes from, and that every gate holds it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from skill.draft import CaseDraft, Choices, Refused, draft
from skill.finding import Severity
from skill.ledger import digest
from skill.rules import check_fidelity, check_suite
from skill.suite import read_suite
from tests.support.suites import put
from tests.support.terminal_bench import YAML, load, make_task

Rows = list[dict[str, Any]]


def drafted(root: Path, files: Mapping[str, str | None] | None = None, **choices: Any) -> CaseDraft | Refused:
    """The task of the page with some files changed, as a case called auk."""
    return draft(load(make_task(root / "source" / "auk", files)), "auk", Choices(**choices))


def written(root: Path, files: Mapping[str, str | None] | None = None) -> tuple[Path, Path, Rows]:
    """The same on disk: suite, source, ledger."""
    made, suite = drafted(root, files), root / "suite"
    assert isinstance(made, CaseDraft), made
    for file in made.files:
        data = file.copy_of.read_bytes() if file.copy_of else file.data or b""
        put(f"cases/auk/{file.path}", data, file.mode)(suite)
    put("suite.toml", 'kind = "test_suite"\nname = "birds"\ncases = ["auk"]\n')(suite)
    return suite, root / "source", [{"case": "auk", **vars(row)} for row in made.ledger]


def test_every_file_has_its_origin(tmp_path: Path) -> None:
    made = drafted(tmp_path)
    assert isinstance(made, CaseDraft)
    assert {row.path: (row.action.value, row.source, row.by) for row in made.ledger} == {
        "case.toml": ("generated", "", "case"),
        "prompt.md": ("generated", "task.yaml", "instruction"),
        "env/Dockerfile": ("rewritten", "Dockerfile", "dockerfile-lines"),
        "env/tides.txt": ("copied", "tides.txt", ""),
        "oracle/solve.sh": ("generated", "", "oracle"),
        "oracle/solution/solve.sh": ("copied", "solution.sh", ""),
        "tests/test.sh": ("generated", "", "verifier-direct"),
        "tests/source-test.sh": ("rewritten", "run-tests.sh", "verifier-direct"),
        "tests/test_outputs.py": ("copied", "tests/test_outputs.py", ""),
        **{
            f"tests/{path}": ("generated", "", "verifier-direct")
            for path in (
                *(".verdict/lib.sh", ".verdict/manifest.sha256", ".verdict/names", ".verdict/verdict_guard.py"),
                "pytest.ini",
            )
        },
    }


def test_a_wrapped_script_is_a_copy(tmp_path: Path) -> None:
    made = drafted(tmp_path, {"run-tests.sh": "echo '=== short test summary info ==='\necho PASSED one\n"})
    assert isinstance(made, CaseDraft)
    (row,) = (row for row in made.ledger if row.path == "tests/source-test.sh")
    assert (row.action.value, row.source) == ("copied", "run-tests.sh")
    assert ".verdict/parsers.sh" in "".join(row.path for row in made.ledger)


def test_the_oracle_lies_where_the_harness_has_it(tmp_path: Path) -> None:
    made = drafted(tmp_path, {"solution.sh": "echo '1 2 3' > tides.txt\n"})
    assert isinstance(made, CaseDraft)
    (script,) = (file.data for file in made.files if file.path == "oracle/solve.sh")
    assert b'mkdir -p /oracle && cp "$ORACLE/solution/solve.sh" /oracle/solution.sh' in (script or b"")
    assert b"cd /app || exit 1\nbash /oracle/solution.sh </dev/null\n" in (script or b"")


def test_what_may_be_allowed(tmp_path: Path) -> None:
    shell = {"task.yaml": YAML.replace("table in", "table in the current shell in") + "run_tests_in_same_shell: true\n"}
    silent = {"run-tests.sh": "pytest $TEST_DIR -v\n"}
    for place, (code, files) in enumerate((("same-shell", shell), ("never-passes", silent))):
        refused = drafted(tmp_path / f"{place}", files)
        assert isinstance(refused, Refused)
        assert refused.code == code
        assert f"--allow {code}" in refused.sentence
        allowed = drafted(tmp_path / f"{place}", files, allow=frozenset({code}))
        assert isinstance(allowed, CaseDraft), allowed
        assert any(finding.code == "S405" for finding in allowed.findings)
        assert allowed.form == "direct"


SHAPES: list[dict[str, str | None]] = [
    {},
    {"run-tests.sh": "cd /app\nmake\necho '=== short test summary info ==='\necho PASSED one\n"},
    {"task.yaml": YAML.replace("pytest", "swebench"), "run-tests.sh": "echo 'SWEBench results starts here'\n"},
    {"solution.sh": None, "solution.yaml": "- command: touch /app/x\n"},
    {"solution.sh": None},
]


@pytest.mark.parametrize("files", SHAPES)
def test_gates_hold_the_case(files: dict[str, str | None], tmp_path: Path) -> None:
    suite, source, rows = written(tmp_path, files)
    found = [str(finding) for finding in check_suite(read_suite(suite)) if finding.severity is not Severity.NOTE]
    assert found == []
    assert [str(finding) for finding in check_fidelity(suite, rows, source)] == []


def prompt(text: str) -> Callable[[Path, Path, Rows], None]:
    """Another prompt in the case, told to the ledger."""

    def change(suite: Path, source: Path, rows: Rows) -> None:
        put("cases/auk/prompt.md", text)(suite)
        next(row for row in rows if row["path"] == "prompt.md")["sha256"] = digest(text.encode())

    return change


def lost(suite: Path, source: Path, rows: Rows) -> None:
    """A helper of the source that no row tells of."""
    put("auk/tests/helper.py", "x = 1\n")(source)


CHANGES = [
    (prompt("Put the tide table in order.\n"), []),
    (prompt("Put the tide table in order, please.\n"), ["SC807"]),
    (lost, ["SC808", "SC820"]),
]


@pytest.mark.parametrize(("change", "codes"), CHANGES)
def test_fidelity_is_judged_by_the_text_of_the_instruction(
    change: Callable[[Path, Path, Rows], None], codes: list[str], tmp_path: Path
) -> None:
    suite, source, rows = written(tmp_path)
    change(suite, source, rows)
    assert [finding.code for finding in check_fidelity(suite, rows, source)] == codes
