"""Sessions over odd verifiers that were recorded: their tasks, their proofs, and a conversion that plays them.

A session asks two others for answers: the model, whose answers are in a cassette, and the containers, whose answers
lie beside it (``<name>.proofs.json``), by what the session had written. Played again, neither is asked. Whether what a
session wrote still holds in containers is for the tests that are marked so.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

import pytest

from agent import convert as conversion
from agent import odd_sessions
from agent.console import Console
from agent.ending import Ending
from agent.odd_desk import Desk
from agent.odd_proof import ContainerProver, Prover
from agent.options import Options
from agent.run_folder import RunFolder
from skill.case import Case
from skill.evidence import proof_from_dict
from skill.skeleton import body_of
from skill.source_evidence import Agreement, Standing
from skill.verifier.template import MANIFEST
from tests.odd_tasks.tasks import TASKS, put
from tests.support.cassettes import FOLDER
from tests.support.odd import mind
from tools.errors import EngineUnavailable
from tools.runners import open_runner
from tools.runners.base import Runner, Setup
from tools.workbench import Proved

ROOT: Final = Path(__file__).resolve().parents[2]
ODD: Final = FOLDER / "odd"
EXAMPLES: Final[Mapping[str, Path]] = {
    path.name: path for path in (ROOT / "examples/harbor").glob("*/*") if path.name in ("late-sentinel", "pipe-organ")
}
NAMES: Final = (*TASKS, *EXAMPLES)
PASS_IF: Final = {"json-reward": "reward>=1"}
TAIL: Final = 3_000  # characters kept of a log


def recorded() -> list[str]:
    """The sessions that there are recordings of."""
    return [name for name in NAMES if (ODD / f"{name}.yaml").is_file()]


def put_task(root: Path, name: str) -> None:
    """The task ``name`` below ``root``."""
    if name in EXAMPLES:
        shutil.copytree(EXAMPLES[name], root / name)
    else:
        put(root, name)


class Kept:
    """Answers of containers by what they were asked about; those that are not known are asked for, if by anybody."""

    def __init__(self, path: Path, ask: Prover | None = None) -> None:
        self._path, self._ask = path, ask
        self._table: dict[str, Any] = json.loads(path.read_text()) if path.is_file() else {}

    def hindrance(self, desk: Desk) -> str:
        return self._ask.hindrance(desk) if self._ask and not self._table else ""

    def proved(self, desk: Desk, root: Path) -> Proved:
        key = _key(desk, root)
        if key not in self._table:
            if self._ask is None:
                raise EngineUnavailable(self._path.name, f"no proof was recorded of what {desk.case.name} is now")
            self._table[key] = _table(self._ask.proved(desk, root))
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_text(json.dumps(self._table, indent=1, sort_keys=True) + "\n")
        return _proved(self._table[key])


def _key(desk: Desk, root: Path) -> str:
    """A digest of all that a session has a say in; the library and the frame are not part of it."""
    case = Case(root, desk.case.name, 0)
    parts = [body_of(case.script or b"") or b""]
    for entry in case.tests.files:
        if entry.path not in ("test.sh", MANIFEST) and not entry.path.startswith(".verdict/"):
            parts += [entry.path.encode(), case.read(f"tests/{entry.path}") or b""]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def _table(proved: Proved) -> dict[str, Any]:
    """JSON-able; clocks are left out, and the logs of what ended as it must."""
    results = [
        replace(one, seconds=0.0, log_tail=one.log_tail[-TAIL:] if one.is_contrary else "", place=one.place)
        for one in proved.proof.results
    ]
    proof = replace(proved.proof, results=tuple(results))
    return {"proof": proof.to_dict(), "differs": [asdict(row) for row in proved.differs]}


def _proved(table: Mapping[str, Any]) -> Proved:
    rows = (Agreement(**{**row, "standing": Standing(row["standing"])}) for row in table["differs"])
    return Proved(proof_from_dict(table["proof"]), tuple(rows))


Proving = Callable[[Options, RunFolder, Runner | None], Prover | None]


def played(name: str) -> Proving:
    """The recorded answers of containers about the session ``name``, and no others."""
    return lambda options, run, runner: Kept(ODD / f"{name}.proofs.json")


def asked(name: str, folder: Path) -> Proving:
    """Containers, with their answers kept below ``folder``."""

    def opened(options: Options, run: RunFolder, runner: Runner | None) -> Prover:
        containers = ContainerProver(open_runner("docker", Setup(f"record-{name}")), run.path, options.pass_if)
        return Kept(folder / f"{name}.proofs.json", containers)

    return opened


def convert(
    root: Path, name: str, model: Any, proving: Proving, patch: pytest.MonkeyPatch, console: Console | None = None
) -> Ending:
    """The conversion of the task ``name`` below ``root``, its session held with ``model``."""
    if not (root / "set").exists():
        put_task(root / "set", name)
    patch.setattr(odd_sessions, "open_prover", proving)
    options = Options(root / "set", root / "out", proof="none", jobs=1, pass_if=PASS_IF.get(name, ""))
    assert options.output
    return conversion.convert(options, options.output, console or Console(quiet=True), mind(model))
