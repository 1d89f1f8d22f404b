"""What was seen in images, kept by digest, so that a second run looks at nothing again."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Final

from skill.image_facts import ImageFacts, from_table, to_table
from tools.workspace import Workspace

SCHEME: Final = "1"  # changes when old facts must not count any more


def cache_folder() -> Path:
    """Where this program keeps what it can find out again."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "suite-converter"


class FactsCache:
    """One small file for each image; a torn or foreign file is none."""

    def __init__(self, root: Path) -> None:
        """Makes ``root`` when it is not there."""
        root.mkdir(parents=True, exist_ok=True)
        self._root = root

    def get(self, name: str, digest: str) -> ImageFacts | None:
        """What is known of the image ``digest``, under the name it is asked for now."""
        try:
            facts = from_table(json.loads((self._root / _place(digest)).read_bytes()))
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return replace(facts, name=name) if facts.digest == digest else None

    def put(self, facts: ImageFacts) -> None:
        """Keep ``facts``; raises WorkspaceError when that is not possible."""
        with Workspace(self._root) as workspace:
            workspace.write(_place(facts.digest), json.dumps(to_table(facts)).encode())


def _place(digest: str) -> str:
    return f"images-{SCHEME}/{digest.rpartition(':')[2] or 'none'}.json"
