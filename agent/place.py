"""Where a conversion may write: checks of the output path, before anything is made."""

from __future__ import annotations

import os
from pathlib import Path

from agent.errors import UsageError
from agent.run_folder import run_path


def checked(source: Path, output: Path, *, force: bool) -> Path:
    """``output`` as an absolute path that may be written; raises UsageError for any other.

    The parent is resolved, the last part is not: an output that is a link is refused, not followed.
    """
    run_path(output)
    parent = _resolved(output.parent)
    if not parent.is_dir():
        raise UsageError(f"{output.parent}: is not a folder (make it first, or choose another -o)")
    place = parent / output.name
    if place.is_symlink():
        raise UsageError(f"{output}: is a symbolic link (choose another -o)")
    origin = _resolved(source)
    if place == origin or place.is_relative_to(origin):
        raise UsageError(f"{output}: lies inside the source {source} (the source is never written to)")
    if origin.is_relative_to(place):
        raise UsageError(f"{output}: holds the source {source} (choose another -o)")
    run = run_path(place)
    if run == origin or run.is_relative_to(origin) or origin.is_relative_to(run):
        raise UsageError(f"{output}: keeps its state in {run.name}, which is part of the source (choose another -o)")
    if place.exists() and not force:
        raise UsageError(f"{output}: exists already (--force replaces it once the new suite is complete)")
    if place.exists() and not place.is_dir():
        raise UsageError(f"{output}: is not a folder (choose another -o)")
    if not os.access(parent, os.W_OK | os.X_OK):
        raise UsageError(f"{output.parent}: cannot be written to (choose another -o)")
    return place


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError(f"{str(path)!r}: is no usable path: {error}") from error
