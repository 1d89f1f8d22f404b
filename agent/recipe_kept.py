"""The recipe of a run whose session was accepted: kept below the run folder, and used again for the same source."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Final

from agent.odd_row import SessionRow
from agent.run_folder import RunFolder, remove
from skill.errors import RecipeError
from skill.recipe.reading import read_recipe
from skill.recipe.recipe import NAME, Recipe

RECIPE: Final = "recipe"  # below the run folder
ACCEPTED: Final = "recipe.json"  # which recipe that is, what its session was told, how it ended


def keep(run: RunFolder, recipe: Recipe, brief: str, row: SessionRow) -> None:
    """Afterwards the recipe is in the run folder, with the files that it names and no others."""
    fresh = run.path / f"{RECIPE}.fresh"
    remove(fresh)
    remove(run.path / ACCEPTED)
    for name, data in {NAME: (recipe.folder / NAME).read_bytes(), **recipe.files}.items():
        fresh.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
        fresh.joinpath(name).write_bytes(data)
    remove(run.path / RECIPE)
    fresh.rename(run.path / RECIPE)
    table = {"brief": _digest(brief), "recipe": recipe.digest, "session": row.table()}
    run.files.write(ACCEPTED, (json.dumps(table, indent=1) + "\n").encode())


def kept(run: Path, brief: str) -> SessionRow | None:
    """The session that wrote the recipe in the folder ``run``; None unless it was told ``brief``."""
    try:
        table = json.loads((run / ACCEPTED).read_bytes())
        is_same = table["brief"] == _digest(brief) and table["recipe"] == read_recipe(run / RECIPE).digest
        return SessionRow(**table["session"]) if is_same else None
    except (OSError, ValueError, KeyError, TypeError, RecipeError):
        return None


def _digest(brief: str) -> str:
    return hashlib.sha256(brief.encode("utf-8", "surrogatepass")).hexdigest()
