"""A session's surroundings on disk: a source task, the case drafted from it but for its verifier, a toolbox."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from agent.budget import Budget, Limits
from agent.pricing import rules_of
from agent.session import Session
from agent.transcript import Transcript
from skill.case import Case
from skill.finding import Finding
from skill.manifest import load, skill_root
from skill.rules import check_case
from tests.support.conversions import NAME, convert
from tools.toolbox import Toolbox

PAGE = Path(__file__).resolve().parents[2] / "references" / "verifier-rewriting.md"
SKELETON = re.compile(r"^## Writing one by hand$.*?^```bash\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SCRIPT = f"suite/cases/{NAME}/tests/test.sh"


def verifier() -> str:
    """A sound tests/test.sh for the case: the skeleton of the page, with its places filled in."""
    found = SKELETON.search(PAGE.read_text())
    assert found
    return found[1].replace("test_ledger.py", "check.py").replace("import pytest", "import sys").replace("840", "45")


def gate(root: Path, case: str) -> Sequence[Finding]:
    """The gates of a case by itself."""
    return check_case(Case(root, case, 0))


class Place:
    """One odd case, ready to be worked on."""

    def __init__(self, root: Path, files: Mapping[str, str | None] | None = None) -> None:
        made = convert(root, files)
        self.root = root
        self.source = made.source / NAME
        self.suite = made.suite
        self.case = made.suite / "cases" / NAME
        for generated in ("test.sh", "source-test.sh"):
            (self.case / "tests" / generated).unlink(missing_ok=True)
        shutil.rmtree(self.case / "tests/.verdict")

    def toolbox(self, **options: Any) -> Toolbox:
        """The tools of a session about this case."""
        given = {"gate": gate, "manifest": load(skill_root()), **options}
        manifest, gate_ = given.pop("manifest"), given.pop("gate")
        return Toolbox(manifest, self.source, self.suite, (NAME,), gate_, **given)

    def session(
        self, brief: str = "Write the verifier.", clean: Callable[[Any], Any] = lambda record: record
    ) -> Session:
        """The session, as far as its transcript has it."""
        return Session("s1", brief, Transcript(self.root / "run" / "s1.jsonl", clean))

    def tree(self) -> dict[str, str]:
        """Mode and digest of every file below the suite and the source."""
        files = sorted(path for top in (self.suite, self.source) for path in top.rglob("*") if path.is_file())
        return {
            path.relative_to(
                self.root
            ).as_posix(): f"{path.stat().st_mode:o} {hashlib.sha256(path.read_bytes()).hexdigest()}"
            for path in files
        }


def budget(model: str = "claude-opus-5-5", **limits: Any) -> Budget:
    """A budget with these limits."""
    return Budget(Limits(**limits), rules_of(model))
