from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from skill.evidence import Unproved
from tests.support.cases import script, write_case
from tools.depth import Depth
from tools.runners.base import Edit, State
from tools.sabotage import CARRIERS, CutNetwork, HideTool, garble, important_asset, runner_tools, sabotages
from tools.sabotage_deep import LOG_PLACES, Break, SlowTool


def kinds(found: list[State | Unproved]) -> dict[str, State | Unproved]:
    return {entry.name if isinstance(entry, State) else entry.state: entry for entry in found}


@pytest.mark.parametrize(
    ("test", "files", "asset"),
    [
        (script("exit 0"), {}, None),
        (script("exit 0"), {"notes.md": ""}, None),  # nothing depends on it
        (script("diff want.txt got"), {"want.txt": ""}, "want.txt"),
        (script("diff want.txt got; pytest test_b.py"), {"want.txt": "", "test_b.py": ""}, "test_b.py"),
        (script("pytest test_b.py test_a.py"), {"test_b.py": "", "test_a.py": ""}, "test_a.py"),
        (script("pytest test_b.py"), {"test_b.py": "", "test_a.py": ""}, "test_b.py"),
        (script("bash source-test.sh data.json"), {"source-test.sh": "", "data.json": ""}, "data.json"),
        (script("bash source-test.sh"), {"source-test.sh": ""}, "source-test.sh"),
        (script(". .verdict/lib.sh"), {".verdict/lib.sh": "", ".verdict/manifest.sha256": "0 deep/a.bin"}, None),
        (
            script(". .verdict/lib.sh"),
            {".verdict/lib.sh": "", ".verdict/manifest.sha256": "0 deep/a.bin", "deep/a.bin": "", "b.bin": ""},
            "deep/a.bin",
        ),
    ],
)
def test_the_asset_that_matters_most(tmp_path: Path, test: str, files: Mapping[str, str], asset: str | None) -> None:
    made = write_case(tmp_path, "one", test=test, files={f"tests/{path}": text for path, text in files.items()})
    assert important_asset(made) == asset


@pytest.mark.parametrize(
    ("lines", "tools"),
    [
        ("echo python3 is nice  # python3", ()),
        ("# python3 -m pytest\ntrue", ()),
        ("python3 -m pytest tests", ("python3",)),
        ("timeout 60 pytest tests | tee log", ("pytest",)),
        ("grep -q x /app/a && node check.js", ("node", "grep")),
        ("uvx --with pytest pytest tests", ("uvx",)),
        ("curl -LsSf https://astral.sh/uv/0.9.7/install.sh | sh\nuvx pytest tests", ()),
        ("pip install pytest==8\npytest tests", ()),
        ("/opt/venv/bin/python check.py", ()),
        ("command -v python3 || exit 2\npython3 a.py", ()),  # its absence has a meaning of its own
    ],
)
def test_the_tools_it_counts_on(tmp_path: Path, lines: str, tools: tuple[str, ...]) -> None:
    assert runner_tools(write_case(tmp_path, "one", test=script(lines))) == tools


@pytest.mark.parametrize(
    ("run", "tools"),
    [
        ("# source-test.sh\npython3 check.py", ("python3",)),
        ("bash source-test.sh", ("sed",)),
    ],
)
def test_a_script_that_only_lies_there_needs_nothing(tmp_path: Path, run: str, tools: tuple[str, ...]) -> None:
    files = {"tests/source-test.sh": "#!/bin/bash\npytest | sed s/a/b/\n"}
    found = runner_tools(write_case(tmp_path, "one", test=script(run), files=files))
    assert ("sed" in found, set(tools) <= set(found)) == ("sed" in tools, True)


def test_a_tool_that_the_task_asks_for_is_the_candidates(tmp_path: Path) -> None:
    made = write_case(tmp_path, "one", test=script("node app.js"), files={"prompt.md": "Install node.\n"})
    assert runner_tools(made) == ()


def test_kinds_that_do_not_apply_say_why(tmp_path: Path) -> None:
    found = kinds(list(sabotages(write_case(tmp_path, "one", test=script("[ -f /app/done ]")))))
    assert {name: entry.reason for name, entry in found.items() if isinstance(entry, Unproved)} == {
        "sabotage:asset-removed": "tests/ holds no file that test.sh depends on",
        "sabotage:asset-garbled": "tests/ holds no file that test.sh depends on",
        "sabotage:library-removed": "the verifier has no tests/.verdict/lib.sh",
        "sabotage:runner-missing": "the verifier calls no tool that it counts on the image for",
        "sabotage:network-cut": "the verifier uses no network",
    }


def test_every_kind_under_a_right_candidate(tmp_path: Path) -> None:
    test = script("export PATH=$HOME/.local/bin:/opt/py/bin:$PATH", "curl -O https://x/y", "python3 check.py")
    files = {"tests/check.py": "print(1)\n", "tests/.verdict/lib.sh": ""}
    found = kinds(list(sabotages(write_case(tmp_path, "one", test=test, files=files))))
    states = {name: entry for name, entry in found.items() if isinstance(entry, State)}
    assert all(state.solved and state.expected == 2 for state in states.values())
    assert {name: state.edits for name, state in states.items() if state.edits} == {
        "sabotage:asset-removed": (Edit("check.py", None),),
        "sabotage:asset-garbled": (Edit("check.py", garble(b"print(1)\n")),),
        "sabotage:library-removed": (Edit(".verdict/lib.sh", None),),
    }
    assert {name: state.meddling for name, state in states.items() if state.meddling} == {
        "sabotage:runner-missing": HideTool(("python3",), ("/opt/py/bin", "/root/.local/bin")),
        "sabotage:network-cut": CutNetwork(),
    }


def test_without_an_oracle_the_workspace_stays_untouched(tmp_path: Path) -> None:
    made = write_case(tmp_path, "one", solve=None, test=script("cat want"), files={"tests/want": "x"})
    assert {entry.solved for entry in sabotages(made) if isinstance(entry, State)} == {False}


def test_garbled_bytes_differ_even_where_there_were_none() -> None:
    for data in (b"", b"x", bytes(range(256))):
        assert garble(data) != data


WHOLE = script(
    "begin 600 30 abc",
    "need python3 sh bash env mkdir rm grep",
    "pip install thing",
    'bash "$TESTS/source-test.sh" >/logs/verifier/out',
    "python3 -m pytest tests/test_a.py",
    "rm -rf /x && mkdir -p /x && env X=1 sh -c true && grep -q 1 tests/data.csv",
)
ALL = {
    "tests/.verdict/lib.sh": "x",
    "tests/.verdict/manifest.sha256": "0 test_a.py\n0 data.csv\n0 source-test.sh\n0 deep/b.json\n",
    "tests/test_a.py": "x",
    "tests/data.csv": "x",
    "tests/deep/b.json": "x",
    "tests/source-test.sh": "#!/bin/bash\n",
}


def test_everything_a_verifier_stands_on_is_taken_away_in_turn(tmp_path: Path) -> None:
    """Every staged file, the library, every tool, the network, the log place, the clock."""
    made = write_case(tmp_path, "one", test=WHOLE, files=ALL, timeout=600)
    found = kinds(list(Depth(deep=True).states(made)))
    wanted = {f"asset-{how}" for how in ("removed", "garbled")}
    wanted |= {
        f"asset-{how} {path}"
        for how in ("removed", "garbled")
        for path in ("data.csv", "deep/b.json", "source-test.sh", ".verdict/manifest.sha256")
    }
    wanted |= {"library-removed", "asset-garbled .verdict/lib.sh", "runner-missing"}
    wanted |= {f"tool-missing {tool}" for tool in ("sha256sum", "timeout", "mktemp", "python3", "grep")}
    wanted |= {"network-cut", "logs-a-file", "logs-read-only", "clock-out", "tool-slow python3"}
    states = {name.removeprefix("sabotage:") for name, entry in found.items() if isinstance(entry, State)}
    assert wanted <= states
    assert all(entry.expected == 2 for name, entry in found.items() if isinstance(entry, State) and "sabotage" in name)


def test_what_a_state_itself_needs_is_not_taken_away(tmp_path: Path) -> None:
    made = write_case(tmp_path, "one", test=WHOLE, files=ALL, timeout=600)
    names = kinds(list(Depth(deep=True).states(made)))
    assert not [name for name in names if name.rpartition(" ")[2] in CARRIERS]
    assert not set(runner_tools(made)) & CARRIERS


class Local:
    """A box that is this machine, with a PATH of its own."""

    def __init__(self, *folders: Path) -> None:
        self.path = ":".join(map(str, (*folders, "/usr/bin", "/bin")))

    def shell(self, script: str, *args: str) -> tuple[int, str]:
        done = subprocess.run(
            ["sh", "-c", script, "sh", *args], env={"PATH": self.path}, capture_output=True, text=True
        )
        return done.returncode, done.stdout

    def put(self, files: object, folder: str) -> None: ...

    def cut_network(self) -> None: ...


def test_a_slow_tool_does_what_it_did_wherever_its_links_lead(tmp_path: Path) -> None:
    front, behind = tmp_path / "front", tmp_path / "behind"
    front.mkdir()
    behind.mkdir()
    (behind / "tell-tale").write_text('#!/bin/sh\necho "told $1"\n')
    (behind / "tell-tale").chmod(0o755)
    (front / "tell-tale").symlink_to(behind / "tell-tale")
    box = Local(front, behind)
    assert SlowTool("tell-tale", (), 0)(box) == "tell-tale takes 0 s longer"
    for folder in (front, behind):
        assert box.shell('"$1/tell-tale" it', str(folder)) == (0, "told it\n")
    assert SlowTool("no-such-tool", (), 0)(box) == ""


class Moved(Local):
    """The same with /logs elsewhere."""

    def __init__(self, logs: Path) -> None:
        super().__init__()
        self.logs = str(logs)

    def shell(self, script: str, *args: str) -> tuple[int, str]:
        return super().shell(script.replace("/logs", self.logs), *args)


@pytest.mark.parametrize("break_it", [meddling for _, meddling in LOG_PLACES])
@pytest.mark.parametrize(("file", "broken"), [(None, True), ("artifacts/mode.txt", False)])
def test_the_log_place_is_not_taken_away_with_the_candidates_work(
    break_it: Break, file: str | None, broken: bool, tmp_path: Path
) -> None:
    logs = tmp_path / "logs"
    (logs / "artifacts").mkdir(parents=True)
    if file:
        (logs / file).write_text("done")
    assert bool(break_it(Moved(logs))) == broken
    assert (logs / "artifacts").is_dir() != broken
