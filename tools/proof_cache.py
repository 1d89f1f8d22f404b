"""Answers of proofs, kept by key: an unchanged case in an unchanged state is not run twice."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Final

from skill.case import Case
from skill.evidence import CaseProof, StateResult, Unproved, proof_from_dict
from skill.work import Work, work_from_dict
from tools.archive import digest, files_below
from tools.runners.base import State
from tools.workspace import Workspace

SCHEME: Final = "proof/1"  # changes when old answers must not count any more
WORK_SCHEME: Final = "work/2"
PARTS: Final = ("tests", "oracle", "env")
Answer = StateResult | Unproved


def case_digest(case: Case) -> str:
    """The hex sha256 of all that a verifier's run depends on; the prompt is not part of it.

    Raises CaseUnreadable when a folder holds what Margin would not pack.
    """
    whole = hashlib.sha256(case.text.data)
    for part in PARTS:
        if part in case.names and not (part == "env" and case.image):
            whole.update(f"\0{part}\0{digest(files_below(case.root / part))}".encode())
    return whole.hexdigest()


def proof_key(case_sha256: str, state: State, runner_version: str) -> str:
    """The name of the answer that ``runner_version`` gives for a case in ``state``."""
    return hashlib.sha256("\0".join((SCHEME, case_sha256, repr(state), runner_version)).encode()).hexdigest()


def work_key(case_sha256: str, runner_version: str) -> str:
    """The name of what ``runner_version`` saw the reference solution of a case change."""
    return hashlib.sha256("\0".join((WORK_SCHEME, case_sha256, runner_version)).encode()).hexdigest()


class ProofCache:
    """A folder of answers, one small file each; a torn or foreign file is no answer."""

    def __init__(self, root: Path) -> None:
        """Makes ``root`` when it is not there."""
        root.mkdir(parents=True, exist_ok=True)
        self._root = root

    def get(self, key: str) -> Answer | None:
        """The kept answer."""
        try:
            proof = proof_from_dict(json.loads((self._root / place_of(key)).read_bytes()))
        except (OSError, ValueError, KeyError, TypeError):
            return None
        answers: tuple[Answer, ...] = (*proof.results, *proof.unproved)
        return answers[0] if len(answers) == 1 else None

    def put(self, key: str, answer: Answer) -> None:
        """Keep ``answer``; raises WorkspaceError when that is not possible."""
        if isinstance(answer, StateResult):
            proof = CaseProof("", "", results=(answer,))
        else:
            proof = CaseProof("", "", unproved=(answer,))
        with Workspace(self._root) as workspace:
            workspace.write(place_of(key), json.dumps(proof.to_dict()).encode())

    def work(self, key: str) -> Work | None:
        """The kept work."""
        try:
            return work_from_dict(json.loads((self._root / place_of(key)).read_bytes()))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put_work(self, key: str, work: Work) -> None:
        """Keep ``work``; raises WorkspaceError when that is not possible."""
        with Workspace(self._root) as workspace:
            workspace.write(place_of(key), json.dumps(work.to_dict()).encode())


class Refreshed(ProofCache):
    """A folder of answers that are not taken but replaced."""

    def get(self, key: str) -> Answer | None:
        """No answer."""
        return None

    def work(self, key: str) -> Work | None:
        """No work."""
        return None


def place_of(key: str) -> str:
    """Where in a folder of answers the one with ``key`` is."""
    return f"{key[:2]}/{key[2:]}.json"
