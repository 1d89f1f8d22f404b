"""What can be wrong with a record; a recipe's own faults are a RecipeError."""

from __future__ import annotations


class BadRecord(Exception):
    """One record cannot become a source task; ``str()`` says why. The others are not touched by it."""
