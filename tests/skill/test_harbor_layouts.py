"""Where the tasks of a Harbor dataset lie, what they are called, and what is left aside."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skill.errors import SourceError
from skill.naming import case_names
from skill.sources.base import Inventory
from skill.sources.detection import detect
from skill.sources.harbor import HARBOR, Harbor
from tests.support.harbor_tasks import make_task

SHORT_ID = "2Fh8kLmNpQrStUvWxYz3Ab"
UUID = "0f8fad5b-d9cb-469f-a165-70867728950e"
DIGEST = "ab" * 32


def found(root: Path) -> dict[str, tuple[str, str]]:
    """Task id -> wished name and salt."""
    return {ref.id: (ref.name, ref.salt) for ref in HARBOR.inventory(root).tasks}


def left_aside(root: Path) -> dict[str, str]:
    return {skip.path: skip.reason for skip in HARBOR.inventory(root).skipped}


@pytest.mark.parametrize(
    ("place", "name", "salt"),
    [
        ("reef", "reef", "reef"),
        ("tasks/reef", "reef", "tasks/reef"),
        ("sea/shore/reef", "reef", "sea/shore/reef"),
        (f"{SHORT_ID}/reef", "reef", SHORT_ID),
        (f"{UUID}/reef", "reef", UUID),
        (f"coast/reef/{DIGEST}", "reef", DIGEST),
        (f"cache/coast/reef/{DIGEST}", "reef", DIGEST),
    ],
)
def test_layouts(tmp_path: Path, place: str, name: str, salt: str) -> None:
    make_task(tmp_path / place)
    assert found(tmp_path) == {place: (name, salt)}


def test_a_single_task_is_a_dataset_of_one(tmp_path: Path) -> None:
    make_task(tmp_path / "reef")
    assert found(tmp_path / "reef") == {".": ("reef", ".")}


def test_a_single_task_in_a_package_cache_is_called_after_its_package(tmp_path: Path) -> None:
    make_task(tmp_path / "reef" / DIGEST)
    assert found(tmp_path / "reef" / DIGEST) == {".": ("reef", DIGEST)}


def test_layouts_may_be_mixed_and_come_in_the_order_of_their_paths(tmp_path: Path) -> None:
    places = ["b/two", "a/one", f"{SHORT_ID}/three", "zero"]
    for place in places:
        make_task(tmp_path / place)
    assert list(found(tmp_path)) == sorted(places)


def test_one_name_in_two_wrappers_gives_two_stable_case_names(tmp_path: Path) -> None:
    other = SHORT_ID[::-1]
    make_task(tmp_path / "one" / SHORT_ID / "reef")
    make_task(tmp_path / "one" / other / "reef")
    make_task(tmp_path / "two" / "nested" / SHORT_ID / "reef")
    make_task(tmp_path / "two" / "nested" / other / "reef")
    one, two = (case_names(HARBOR.inventory(tmp_path / part).tasks) for part in ("one", "two"))
    assert sorted(one.values()) == sorted(two.values()) and len(set(one.values())) == 2


def test_a_task_is_not_searched_for_tasks_but_one_beside_its_parts_is_reported(tmp_path: Path) -> None:
    make_task(tmp_path / "reef")
    make_task(tmp_path / "reef/environment/fixture")
    make_task(tmp_path / "reef/variants/easy")
    assert list(found(tmp_path)) == ["reef"]
    assert left_aside(tmp_path) == {"reef/variants/easy": "lies inside the task reef, which was not searched further"}


@pytest.mark.parametrize(
    ("files", "skipped", "reason"),
    [
        (["loose/instruction.md"], "loose", "looks like a task (instruction.md) but has no task.toml"),
        (["half/tests/test.sh", "half/environment/Dockerfile"], "half", "looks like a task"),
        (["old/task.yaml"], "old", "Terminal-Bench"),
        (["docs/a/b.md", "docs/c.md"], "docs", "no task.toml in it or below it"),
        (["sub/node_modules/x/task.toml"], "sub/node_modules", "installed packages"),
        ([".git/config"], ".git", "version control"),
        (["metric.py"], "metric.py", "custom metric"),
        (["sub/registry.json"], "sub/registry.json", "registry of datasets"),
        (["dataset.toml"], "dataset.toml", "cannot be read"),
    ],
)
def test_what_is_left_aside_is_named_with_the_reason(
    tmp_path: Path, files: list[str], skipped: str, reason: str
) -> None:
    make_task(tmp_path / "reef")
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("not = [toml")
    assert list(found(tmp_path)) == ["reef"]
    assert reason in left_aside(tmp_path)[skipped]
    assert len(left_aside(tmp_path)) == 1


@pytest.mark.parametrize("wrapper", [SHORT_ID, UUID, f"coast/reef/{DIGEST}"])
def test_an_empty_wrapper_is_a_partial_download(tmp_path: Path, wrapper: str) -> None:
    (tmp_path / wrapper).mkdir(parents=True)
    assert left_aside(tmp_path)[wrapper] == "partial download: the folder is empty"


def test_an_empty_folder_of_another_name_is_none(tmp_path: Path) -> None:
    (tmp_path / "reef").mkdir()
    assert left_aside(tmp_path) == {"reef": "no task.toml in it or below it"}


def test_links_to_folders_are_not_followed(tmp_path: Path) -> None:
    make_task(tmp_path / "outside/reef")
    make_task(tmp_path / "data/heron")
    (tmp_path / "data/linked").symlink_to(tmp_path / "outside")
    (tmp_path / "data/loop").symlink_to(tmp_path / "data")
    assert list(found(tmp_path / "data")) == ["heron"]
    assert set(left_aside(tmp_path / "data")) == {"linked", "loop"}


def test_a_name_that_is_not_utf8_is_left_aside_readably(tmp_path: Path) -> None:
    make_task(Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")))
    assert left_aside(tmp_path) == {"caf\\udce9": "its name is not UTF-8"}


def test_folders_nested_without_end_are_no_crash(tmp_path: Path) -> None:
    (tmp_path / "/".join(["d"] * 200)).mkdir(parents=True)
    assert any("too deeply" in reason for reason in left_aside(tmp_path).values())


def test_the_suite_takes_name_and_description_from_dataset_toml(tmp_path: Path) -> None:
    make_task(tmp_path / "reef")
    (tmp_path / "dataset.toml").write_text('[dataset]\nname = "coast/shore-birds"\ndescription = "Birds."\n')
    inventory: Inventory = HARBOR.inventory(tmp_path)
    assert (inventory.name, inventory.description) == ("shore-birds", "Birds.")


def test_the_suite_is_else_called_after_its_folder(tmp_path: Path) -> None:
    make_task(tmp_path / "shore" / "reef")
    assert HARBOR.inventory(tmp_path / "shore").name == "shore"


def test_detect_names_the_place_of_the_first_task(tmp_path: Path) -> None:
    make_task(tmp_path / "b/deep/reef")
    make_task(tmp_path / "c/heron")
    assert HARBOR.detect(tmp_path) == "task.toml in c/heron"
    assert detect(tmp_path) is HARBOR


def test_nothing_known_is_said_and_not_guessed(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("nothing here")
    with pytest.raises(SourceError, match="no known framework"):
        detect(tmp_path)


def test_two_matches_are_said_with_the_evidence_of_both(tmp_path: Path) -> None:
    make_task(tmp_path)
    with pytest.raises(SourceError, match=r"harbor \(task.toml in \.\); twin \(task.toml in \.\)"):
        detect(tmp_path, (HARBOR, Harbor("twin")))


@pytest.mark.parametrize("call", [detect, HARBOR.inventory])
def test_a_folder_that_is_not_there_is_a_source_error(tmp_path: Path, call: object) -> None:
    assert callable(call)
    with pytest.raises(SourceError, match="missing"):
        call(tmp_path / "missing")
