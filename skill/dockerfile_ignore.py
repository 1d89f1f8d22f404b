"""``.dockerignore``: which files of a build context Docker never sees."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from e2b_dockerfile_utils.dockerignore import PatternMatcher

IGNORE_FILE: Final = ".dockerignore"
ALWAYS_SENT: Final = frozenset({"Dockerfile", IGNORE_FILE})


def ignored(text: bytes, paths: Iterable[str]) -> frozenset[str]:
    """Those of ``paths`` that a ``.dockerignore`` of this text leaves out; none when Docker would reject it."""
    try:
        matcher = PatternMatcher(text.decode("utf-8", "replace").removeprefix("\ufeff").splitlines())
    except ValueError:
        return frozenset()
    return frozenset(path for path in paths if path not in ALWAYS_SENT and matcher.matches(path))
