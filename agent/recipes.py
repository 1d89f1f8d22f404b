"""Where a recipe is: a path, or the name of one that is shipped."""

from __future__ import annotations

from pathlib import Path

from agent.errors import UsageError
from skill.manifest import skill_root
from skill.recipe.recipe import NAME


def recipe_place(named: str) -> Path:
    """The folder or file that ``named`` means; raises UsageError when there is neither."""
    path = Path(named)
    if path.exists():
        return path
    found = shipped()
    if named in found:
        return found[named]
    known = ", ".join(found) or "none"
    raise UsageError(f"--recipe {named}: no such file, and no shipped recipe of that name (shipped: {known})")


def shipped() -> dict[str, Path]:
    """The folders of the shipped recipes by name: those of the package, else those of the checkout."""
    for place in (skill_root() / "recipes", skill_root() / "examples" / "recipes"):
        if place.is_dir():
            return {path.parent.name: path.parent for path in sorted(place.glob(f"*/{NAME}"))}
    return {}
