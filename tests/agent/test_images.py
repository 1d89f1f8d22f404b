"""Images that are kept: every name asked for once, the answers in a file, and what a registry's silence does."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.cli import main
from skill.pins import read_pins
from tests.support.harbor import TOML, make_task, snapshot
from tests.support.registry import Answer, FakeRegistry, fake_registry

NO_PROOF = ("--proof", "none", "--quiet")
PLATFORM = "linux/amd64"


@pytest.fixture
def registry() -> Iterator[FakeRegistry]:
    with fake_registry() as opened:
        yield opened


def task(root: Path, image: str, **changes: str | None) -> None:
    """A task with an image and without a Dockerfile."""
    toml = TOML + f'docker_image = "{image}"\nworkdir = "/app"\n'
    make_task(root, {"task.toml": toml, "environment/Dockerfile": None, **changes})


def convert(source: Path, out: Path, *words: str) -> int:
    return main(["convert", str(source), "-o", str(out), *NO_PROOF, *words])


def report(out: Path) -> dict[str, Any]:
    return json.loads((out.with_name(out.name + ".run") / "report.json").read_bytes())


def image_of(out: Path, name: str) -> str:
    return str(tomllib.loads((out / "cases" / name / "case.toml").read_text())["image"])


def test_a_tag_is_kept_by_its_digest_and_the_report_says_who_told_it(registry: FakeRegistry, tmp_path: Path) -> None:
    digest, name = registry.put_index("nest", "2", PLATFORM), f"{registry.name}/nest:2"
    task(tmp_path / "flock/tern", name)
    assert convert(tmp_path / "flock", tmp_path / "out", "--image", "keep") == 0
    assert image_of(tmp_path / "out", "tern") == f"{name}@{digest}"
    assert not (tmp_path / "out/cases/tern/env").exists()
    assert report(tmp_path / "out")["images"] == [
        {"name": name, "pinned": f"{name}@{digest}", "by": "registry", "code": "", "reason": ""}
    ]
    assert main(["check", str(tmp_path / "out"), "--source", str(tmp_path / "flock"), "--quiet"]) == 0


def test_the_pins_file_makes_it_repeatable_without_a_registry(tmp_path: Path) -> None:
    with fake_registry() as registry:
        registry.put_index("nest", "2", PLATFORM)
        task(tmp_path / "flock/tern", f"{registry.name}/nest:2")
        words = ("--image", "keep", "--pins", str(tmp_path / "pins.toml"))
        assert convert(tmp_path / "flock", tmp_path / "a", *words) == 0
    assert list(read_pins((tmp_path / "pins.toml").read_bytes(), PLATFORM)) == [f"{registry.name}/nest:2"]
    assert convert(tmp_path / "flock", tmp_path / "b", *words) == 0
    assert snapshot(tmp_path / "a") == snapshot(tmp_path / "b")
    assert convert(tmp_path / "flock", tmp_path / "c", *words[2:]) == 0  # no choice is needed where a pin is known
    assert image_of(tmp_path / "c", "tern") == image_of(tmp_path / "a", "tern")


def test_nobody_is_asked_unasked(registry: FakeRegistry, tmp_path: Path) -> None:
    registry.put_index("nest", "2", PLATFORM)
    task(tmp_path / "flock/tern", f"{registry.name}/nest:2")
    assert convert(tmp_path / "flock", tmp_path / "out") == 0
    assert (tmp_path / "out/cases/tern/env/Dockerfile").read_text().startswith(f"FROM {registry.name}/nest:2\n")
    assert registry.asked == []


def test_a_thousand_tasks_over_twenty_images_ask_twenty_times(registry: FakeRegistry, tmp_path: Path) -> None:
    for number in range(20):
        registry.put_index("nest", str(number), PLATFORM)
    for number in range(1000):
        task(tmp_path / f"flock/task-{number}", f"{registry.name}/nest:{number % 20}")
    assert main(["convert", str(tmp_path / "flock"), "--plan", "--image", "keep", "--quiet"]) == 0
    assert len(registry.manifests()) == 20


def test_missing_unknown_and_elsewhere_are_told_apart(registry: FakeRegistry, tmp_path: Path) -> None:
    registry.put_index("nest", "arm", "linux/arm64")
    registry.behaviour = lambda held, asked: Answer(403, b"") if "secret" in asked.path else None
    for name, tag in (("gone", "nest:9"), ("hidden", "secret:1"), ("other", "nest:arm")):
        task(tmp_path / "flock" / name, f"{registry.name}/{tag}")
    task(tmp_path / "flock/odd", "Not/A/Name")
    assert convert(tmp_path / "flock", tmp_path / "out", "--image", "keep") == 1
    codes = {row["id"]: row["code"] for row in report(tmp_path / "out")["tasks"]}
    assert codes == {
        "gone": "image-missing",
        "hidden": "image-unknown",
        "odd": "image-name",
        "other": "image-platform",
    }


def test_where_the_task_says_no_directory_the_registry_is_asked_for_it(registry: FakeRegistry, tmp_path: Path) -> None:
    registry.put_image("nest", "2", WorkingDir="/srv/tide")
    toml = TOML + f'docker_image = "{registry.name}/nest:2"\n'
    make_task(tmp_path / "flock/tern", {"task.toml": toml, "environment/Dockerfile": None})
    assert convert(tmp_path / "flock", tmp_path / "out", "--image", "keep") == 0
    config = tomllib.loads((tmp_path / "out/cases/tern/case.toml").read_text())
    assert (config["agent_cwd"], config["test_cwd"]) == ("/srv/tide", "/")
    assert len(registry.manifests()) == 1


def test_what_a_registry_says_does_not_reach_the_terminal_raw(
    registry: FakeRegistry, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    registry.put_index("nest", "2", "linux/\x1b[2Jarm")
    task(tmp_path / "flock/tern", f"{registry.name}/nest:2")
    assert convert(tmp_path / "flock", tmp_path / "out", "--image", "keep") == 1
    shown = capsys.readouterr()
    assert "only for linux/" in shown.out and "\x1b" not in shown.out + shown.err
    assert "\x1b" not in (tmp_path / "out.run/report.md").read_text()


@pytest.mark.parametrize(
    ("text", "said"), [("[images", "is no pins file"), ('[images]\nx = "x:1"\n', "is not pinned by")]
)
def test_a_pins_file_that_is_none(text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task(tmp_path / "flock/tern", "nest:2")
    (tmp_path / "pins.toml").write_text(text)
    assert convert(tmp_path / "flock", tmp_path / "out", "--pins", str(tmp_path / "pins.toml")) == 2
    assert said in capsys.readouterr().err


def test_pin_shows_what_moved(registry: FakeRegistry, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pins, name = tmp_path / "pins.toml", f"{registry.name}/nest:2"
    old = registry.put_index("nest", "2", PLATFORM)
    task(tmp_path / "flock/tern", name)
    assert convert(tmp_path / "flock", tmp_path / "out", "--image", "keep") == 0
    pin = ["pin", str(tmp_path / "flock"), "--pins", str(pins), "--quiet", "--json"]
    assert main(pin) == 0
    new = registry.put_index("nest", "2", PLATFORM, "linux/arm64")
    capsys.readouterr()
    assert main(pin) == 0
    (row,) = json.loads(capsys.readouterr().out)["images"]
    assert (row["state"], row["before"][-71:], row["pinned"][-71:]) == ("moved", old, new)
    assert read_pins(pins.read_bytes(), PLATFORM) == {name: f"{name}@{new}"}
    assert main(["pin", str(tmp_path / "out"), "--quiet"]) == 0
    assert f"moved  {name} from {old} to {new}" in capsys.readouterr().out


def test_pin_keeps_what_it_cannot_ask_for(
    registry: FakeRegistry, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    registry.put_index("nest", "2", PLATFORM)
    task(tmp_path / "flock/tern", f"{registry.name}/nest:2")
    pin = ["pin", str(tmp_path / "flock"), "--pins", str(tmp_path / "pins.toml"), "--quiet"]
    assert main(pin) == 0
    before = (tmp_path / "pins.toml").read_bytes()
    registry.behaviour = lambda *_: Answer(403, b"")
    assert main(pin) == 5
    assert (tmp_path / "pins.toml").read_bytes() == before
    registry.behaviour, registry.held = None, {}
    assert main(pin) == 1
