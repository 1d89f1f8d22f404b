"""Where a recipe is: a path, or the name of one that is shipped."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from agent.errors import UsageError
from skill.recipe.recipe import NAME


def recipe_place(named: str) -> Path:
    """The folder or file that ``named`` means; raises UsageError when there is neither."""
    path = Path(named)
    if path.exists():
        return path
    shipped = Path(str(files("skill.recipe"))) / "shipped"
    if "/" not in named and (shipped / named / NAME).is_file():
        return shipped / named
    known = ", ".join(sorted(place.parent.name for place in shipped.glob(f"*/{NAME}")))
    raise UsageError(f"--recipe {named}: no such file, and no shipped recipe of that name (shipped: {known or 'none'})")
