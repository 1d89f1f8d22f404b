"""Recipes: how the records of a source that no framework knows become source tasks, without any code."""
