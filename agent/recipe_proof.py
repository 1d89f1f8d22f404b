"""The proof of cases that a session drafted from its recipe."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from agent.odd_proof import in_depth
from agent.proofs import EVIDENCE
from tools.runners.base import Runner
from tools.workbench import Proved


class CaseProver(Protocol):
    """What the cases of a recipe are held against."""

    def proved(self, root: Path, name: str) -> Proved:
        """What is known about the case ``name`` in the suite ``root``."""
        ...


class InContainers:
    """Proofs in depth; no source's own verifier runs beside them, since the recipe is where the verifier comes from."""

    def __init__(self, runner: Runner, run: Path) -> None:
        self._runner, self._kept = runner, run / EVIDENCE

    def proved(self, root: Path, name: str) -> Proved:
        """The proof; answers are kept below the run folder, so that none is had twice."""
        return Proved(in_depth(self._runner, root, name, self._kept))
