"""Where pins are kept: the file that was named, and the run folder while a run is unfinished."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from agent.errors import UsageError
from agent.options import Options
from agent.run_folder import RunFolder, remove
from skill.pins import read_pins, write_pins
from skill.toml import TomlError
from tools.errors import WorkspaceError
from tools.workspace import Workspace

PINS, PUBLISHED = "pins.toml", "published.json"  # in the run folder


def forget(run: RunFolder) -> None:
    """Afterwards nothing is left of what an earlier, finished run asked and pushed."""
    for name in (PINS, PUBLISHED):
        remove(run.path / name)


def named_pins(options: Options) -> dict[str, str]:
    """The pins of the file that was named; one that is not there yet has none."""
    return read_pins_file(Path(options.pins), options.platform) if options.pins else {}


def read_pins_file(path: Path, platform: str) -> dict[str, str]:
    """Name to pinned name; raises UsageError when the file is none of ours."""
    try:
        return read_pins(path.read_bytes(), platform)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    except TomlError as error:
        raise UsageError(f"{path}: is no pins file: {error}") from error


def write_pins_file(path: Path, pins: Mapping[str, str], platform: str) -> None:
    """Afterwards the file holds ``pins``, and nothing was half written; raises WorkspaceError."""
    with Workspace(path.resolve().parent) as folder:
        folder.write(path.name, write_pins(pins, platform))


def remembered(run: Workspace, platform: str) -> dict[str, str]:
    """What an unfinished run had found."""
    try:
        return read_pins(run.read(PINS), platform)
    except (WorkspaceError, TomlError):
        return {}


def keep(options: Options, run: Workspace, pins: Mapping[str, str]) -> None:
    """Remember the pins for this run's next start, and in the file that was named."""
    if not pins:
        return
    run.write(PINS, write_pins(pins, options.platform))
    if options.pins and pins != named_pins(options):
        write_pins_file(Path(options.pins), pins, options.platform)
