"""What a person sees of the source's own verifier: convert --proof source, and prove --source."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent.cli import main
from tests.support.harbor_tasks import make_task
from tests.support.images import BASE_IMAGE

pytestmark = pytest.mark.docker

VERIFIER = """\
#!/bin/bash
mkdir -p /logs/verifier
cd /app
bash /tests/check.sh
if [ $? -eq 0 ]; then echo 1 >/logs/verifier/reward.txt; else echo 0 >/logs/verifier/reward.txt; fi
"""
TASK = {
    "environment/Dockerfile": f"FROM {BASE_IMAGE}\nWORKDIR /app\n",
    "tests/test.sh": VERIFIER,
    "tests/check.sh": "#!/bin/bash\ngrep -qx '1 2 3' table\n",
    "solution/solve.sh": "#!/bin/bash\necho '1 2 3' >table\n",
}
# passes wherever Margin's agent server is announced, which is never so in Harbor: nothing in the files shows it
CONTENT = {"tests/check.sh": "#!/bin/bash\ntrue\n"}  # the source itself passes whatever was done
ELSEWHERE = {"tests/check.sh": TASK["tests/check.sh"] + '[ -n "$AGENT_SERVER_ROOT" ] && [ -e table ]\n'}


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A dataset of a sound task and of one that differs between the frameworks, and where it is converted."""
    root = tmp_path_factory.mktemp("commands")
    make_task(root / "set" / "auk", TASK)
    make_task(root / "set" / "tern", {**TASK, **ELSEWHERE})
    make_task(root / "set" / "wren", {**TASK, **CONTENT})
    return root / "set", root / "out"


def words(verb: str, *rest: object) -> list[str]:
    return [verb, *map(str, rest), "--runner", "docker", "--quiet"]


def test_a_case_that_its_source_contradicts_leaves_the_suite(places: tuple[Path, Path]) -> None:
    dataset, output = places
    assert main(words("convert", dataset, "-o", output, "--proof", "source")) == 1
    report = json.loads((output.parent / "out.run/report.json").read_bytes())
    auk, tern, wren = report["tasks"]
    assert (auk["outcome"], tern["outcome"], tern["code"]) == ("converted", "failed", "differs-from-source")
    assert tern["sentence"].startswith("in state oracle the source says fail (booked reward 0), this verifier pass")
    assert (wren["outcome"], wren["code"]) == ("failed", "contrary-evidence")
    assert wren["sentence"].endswith("the source's own verifier says the same, so the fault is the source's")
    rows = {row["state"]: (row["standing"], row["source"], row["converted"]) for row in auk["against_source"]["rows"]}
    assert rows["oracle"] == ("agrees", "pass", "pass")
    assert rows["null"] == ("agrees", "fail", "fail")
    assert [path.name for path in (output / "cases").iterdir()] == ["auk"]


def test_prove_prints_both_verdicts_and_keeps_them(
    places: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    dataset, output = places
    main(words("convert", dataset, "-o", output, "--proof", "none", "--force"))
    capsys.readouterr()
    assert main(words("prove", output, "--source", dataset)) == 1
    first = capsys.readouterr().out
    assert main(words("prove", output, "--source", dataset)) == 1
    assert capsys.readouterr().out == first
    lines = [" ".join(line.split()) for line in first.splitlines()]
    assert "null fail (reward 0) fail agrees" in lines
    assert any(line.startswith("oracle fail (reward 0) pass differs: source: ") for line in lines)
    assert any(line.startswith("cases/tern/tests/source-test.sh") and " SC921 " in line for line in lines)
    kept = list((output.parent / "out.run/evidence/sources").rglob("*.json"))
    assert kept


def test_prove_deep_takes_mutants_to_the_source(places: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    dataset, output = places
    main(words("convert", dataset, "-o", output, "--proof", "none", "--force", "--only", "auk"))
    capsys.readouterr()
    main([*words("prove", output, "--source", dataset), "--deep", "--mutants", "3", "--json"])
    (proof,) = map(json.loads, capsys.readouterr().out.splitlines())
    rows = {row["state"]: row for row in proof["against_source"]["rows"]}
    assert {"mutant", "forgery", "planted", "inert"} <= {state.partition(":")[0] for state in rows}
    assert [row for row in rows.values() if row["standing"] == "differs"] == []
    asked = [state for state, row in rows.items() if row["standing"] != "not compared"]
    assert [state for state in asked if state.startswith("sabotage:tool-missing")] == []  # the conversion's own matter


def test_a_suite_that_was_not_converted_here_has_no_source(tmp_path: Path) -> None:
    (tmp_path / "suite.toml").write_text('kind = "test_suite"\nname = "x"\ncases = ["a"]\n')
    make_task(tmp_path / "set" / "auk", TASK)
    assert main(words("prove", tmp_path, "--source", tmp_path / "set")) == 2
