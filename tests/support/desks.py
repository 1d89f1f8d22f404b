"""A session about an odd task as the product sets it up: its desk, its gate, its tools."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agent import unit
from agent.dataset import read_dataset
from agent.odd import groups_of, odd_cases
from agent.odd_brief import brief
from agent.odd_desk import Desk
from agent.options import Options
from skill.draft import Choices
from skill.manifest import load, skill_root
from skill.skeleton import sealed
from tests.odd_tasks.tasks import put
from tools.toolbox import Toolbox


class Odd:
    """The odd task ``name`` below ``root``, with ``files`` added or replaced, and the desk of its session."""

    def __init__(self, root: Path, name: str, files: Mapping[str, str] | None = None) -> None:
        self.root = root
        self.source = put(root / "set", name)
        for path, text in (files or {}).items():
            (self.source / path).parent.mkdir(parents=True, exist_ok=True)
            (self.source / path).write_text(text)
        dataset = read_dataset(Options(root / "set"))
        setting = unit.Setting(dataset.source, Choices(), frozenset(), None, "")
        results = [unit.convert(setting, one) for one in dataset.units()]
        (group,) = groups_of(list(odd_cases(dataset, results)))
        self.desk = Desk(root / "run" / "odd" / group.id, group, dataset.source, Choices())
        self.desk.root.mkdir(parents=True)
        self.desk.lay()
        self.brief = brief(group, self.desk.task, self.desk.gate(self.desk.suite, name))

    def toolbox(self, **options: Any) -> Toolbox:
        """The tools of the session."""
        desk = self.desk
        given = {"draft": desk.draft_again, "seal": sealed, **options}
        return Toolbox(load(skill_root()), desk.case.ref.root, desk.suite, (desk.case.name,), desk.gate, **given)

    def tree(self) -> dict[str, str]:
        """Kind, mode and digest of everything below the root."""
        return {path.relative_to(self.root).as_posix(): _what(path) for path in sorted(self.root.rglob("*"))}


def _what(path: Path) -> str:
    status = path.lstat()
    content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
    return f"{status.st_mode:o} {hashlib.sha256(content).hexdigest()}"
