"""A wheel carries the skill document, and starts only with its own `skill` and `tools`."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("agent", "skill", "tools")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def python(code: str, cwd: Path, *path: Path) -> subprocess.CompletedProcess[str]:
    """Run ``code`` outside the checkout, with ``path`` in front of all installed packages."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, path)),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [sys.executable, "-P", "-c", code]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)


def test_nothing_but_the_three_packages_lands_at_top_level(wheel: Path) -> None:
    top = {name.partition("/")[0] for name in names(wheel)}
    assert {name for name in top if not name.endswith(".dist-info")} == set(PACKAGES)


def test_every_file_of_the_packages_is_inside(wheel: Path) -> None:
    files = {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert files <= names(wheel)


def test_the_document_and_every_reference_are_inside_byte_for_byte(installed: Path) -> None:
    bundle = installed / "skill" / "_bundle"
    sources = [ROOT / "SKILL.md", *(ROOT / "references").iterdir()]
    assert len(sources) > 1
    for source in sources:
        assert (bundle / source.relative_to(ROOT)).read_bytes() == source.read_bytes()


def test_the_installed_package_finds_its_own_copy(installed: Path, tmp_path: Path) -> None:
    code = "from skill.manifest import load, skill_root; print(load(skill_root()).root)"
    run = python(code, tmp_path, installed)
    assert (run.stdout.strip(), run.stderr) == (str(installed / "skill" / "_bundle"), "")


START = "import sys; from agent.__main__ import main; sys.argv[1:] = ['--help']; sys.exit(main())"


@pytest.mark.parametrize("package", ["skill", "tools"])
def test_a_namesake_further_down_the_path_is_harmless(package: str, installed: Path, tmp_path: Path) -> None:
    (tmp_path / "other" / package).mkdir(parents=True)
    (tmp_path / "other" / package / "__init__.py").touch()
    run = python(START, tmp_path, installed, tmp_path / "other")
    assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.parametrize("package", ["skill", "tools"])
def test_a_namesake_that_wins_stops_the_start(package: str, installed: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / package
    other.mkdir(parents=True)
    (other / "__init__.py").touch()
    run = python(START, tmp_path, tmp_path / "other", installed)
    assert run.returncode not in (0, 1)
    assert str(other) in run.stderr
    assert "Traceback" not in run.stderr
