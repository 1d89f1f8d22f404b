"""Which framework a folder comes from: evidence, never a guess; mixed trees are split by folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill.errors import SourceError
from skill.sources.base import Source
from skill.sources.detection import detect
from skill.sources.harbor import HARBOR
from skill.sources.terminal_bench import TERMINAL_BENCH
from tests.support import harbor_tasks, terminal_bench
from tests.support.harbor_tasks import codes


def test_one_framework(tmp_path: Path) -> None:
    harbor_tasks.make_task(tmp_path / "h" / "auk")
    terminal_bench.make_task(tmp_path / "t" / "tern")
    assert detect(tmp_path / "h").name == "harbor"
    assert detect(tmp_path / "t").name == "terminal-bench"


def test_no_framework_and_no_folder(tmp_path: Path) -> None:
    (tmp_path / "task.yaml").write_text("kind: Pod\n")
    with pytest.raises(SourceError, match=r"no known framework \(harbor, terminal-bench\)"):
        detect(tmp_path)
    with pytest.raises(SourceError, match="is not a folder"):
        detect(tmp_path / "gone")


def test_a_suite_is_no_source(tmp_path: Path) -> None:
    (tmp_path / "suite.toml").write_text("kind = 'of bird'\n")
    harbor_tasks.make_task(tmp_path / "auk")
    assert detect(tmp_path).name == "harbor"
    (tmp_path / "suite.toml").write_text('kind = "test_suite"\nname = "tides"\n')
    with pytest.raises(SourceError, match="is a Margin suite already"):
        detect(tmp_path)


def test_one_task_with_the_marks_of_both_is_not_guessed(tmp_path: Path) -> None:
    terminal_bench.make_task(harbor_tasks.make_task(tmp_path))
    with pytest.raises(SourceError, match=r"several frameworks: harbor \(task.toml in \.\); terminal-bench"):
        detect(tmp_path)


def test_what_lies_inside_a_task_makes_no_mixed_tree(tmp_path: Path) -> None:
    harbor_tasks.make_task(tmp_path / "auk")
    terminal_bench.make_task(tmp_path / "auk" / "environment" / "inner")
    assert detect(tmp_path).name == "harbor"
    terminal_bench.make_task(tmp_path / "tern")
    source = detect(tmp_path)
    assert source.name == "harbor+terminal-bench"
    found = source.inventory(tmp_path)
    assert [ref.id for ref in found.tasks] == ["auk", "tern"]
    assert [(skip.path, skip.reason) for skip in found.skipped] == [
        ("auk/environment/inner", "lies inside a task of another framework")
    ]


def test_a_mixed_tree_is_split_by_folder(tmp_path: Path) -> None:
    harbor_tasks.make_task(tmp_path / "h" / "auk")
    terminal_bench.make_task(tmp_path / "t" / "tern")
    terminal_bench.make_task(harbor_tasks.make_task(tmp_path / "both"))
    (tmp_path / "docs").mkdir()
    source = detect(tmp_path)
    found = source.inventory(tmp_path)
    assert (source.name, found.framework) == ("harbor+terminal-bench", "harbor+terminal-bench")
    assert [ref.id for ref in found.tasks] == ["both", "h/auk", "t/tern"]
    assert [skip.path for skip in found.skipped] == ["docs"]
    tasks = {ref.id: source.load(ref) for ref in found.tasks}
    assert {name: task.framework for name, task in tasks.items() if name != "both"} == {
        "h/auk": "harbor",
        "t/tern": "terminal-bench",
    }
    assert codes(tasks["both"]) == {"ambiguous-format"}
    assert [source.origin(ref).has_own_dockerfile for ref in found.tasks] == [False, True, True]
    assert source.detect(tmp_path) is not None


@pytest.mark.parametrize("source", [HARBOR, TERMINAL_BENCH], ids=lambda source: source.name)
def test_a_link_in_a_circle_beside_the_tasks_is_no_folder(source: Source, tmp_path: Path) -> None:
    for name in ("task.toml", "task.yaml", "loop"):
        (tmp_path / "aside" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "aside" / name).symlink_to(name)
    make_task = harbor_tasks.make_task if source is HARBOR else terminal_bench.make_task
    make_task(tmp_path / "auk")
    assert [ref.id for ref in source.inventory(tmp_path).tasks] == ["auk"]
    assert source.detect(tmp_path) is not None
