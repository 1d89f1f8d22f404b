"""How a change lands: judged first in a shadow of its case, then in one atomic step, or not at all."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from skill.case import Case
from skill.contract import CASES_DIR
from skill.finding import Finding, Severity
from tools.errors import ToolError
from tools.plain import plain
from tools.shadow import Change, shadow
from tools.virtual import SUITE, Place, told
from tools.workbench import Workbench
from tools.workspace import Workspace

TESTS: Final = "tests/"
SHOWN: Final = 25  # findings told at a time


def land(bench: Workbench, where: Place, case: str, path: str, change: Change) -> str:
    """Afterwards ``path`` of ``case`` is ``change``; returns what the gates then say about the case.

    Raises ToolError, with nothing changed, when the gates find an error in that file which was not there before.
    """
    changes = {path: change} | _sealed(bench, case, path, change)
    with shadow(bench.suite_root, case, changes) as root:
        found = bench.findings(case, root)
    place = f"{CASES_DIR}/{case}/{path}"
    new = _errors_at(place, found) - _errors_at(place, bench.errors(case))
    if new:
        wrong = [finding for finding in found if finding.path == place and finding.severity is Severity.ERROR]
        raise ToolError("gate", f"{where} was not written, because it would have\n{told_lines(wrong)}")
    with told(where), Workspace(bench.suite_root) as files:
        for name in sorted(changes, key=lambda name: name == path):  # the file itself last, see write.target
            files.write(f"{CASES_DIR}/{case}/{name}", changes[name].data, changes[name].mode)
    return f"{where}: {described(changes[path])}\n{gate_lines(case, found)}"


def land_own(bench: Workbench, where: Place, change: Change) -> str:
    """Afterwards ``where`` in the session's own folder is ``change``; it is judged when it is drafted from."""
    with told(where), Workspace(bench.suite_root) as files:
        files.write(where.below, change.data, change.mode)
    return f"{where}: {described(change)}"


def _sealed(bench: Workbench, case: str, path: str, change: Change) -> dict[str, Change]:
    """What a program has to change along with ``path``: the list of hashes of a generated frame."""
    if bench.seal is None or not path.startswith(TESTS):
        return {}
    found = Case(bench.suite_root, case, 0)
    held = {entry.path: found.read(TESTS + entry.path) or b"" for entry in found.tests.files}
    held[path.removeprefix(TESTS)] = change.data
    modes = {entry.path: 0o755 if entry.mode & 0o111 else 0o644 for entry in found.tests.files}
    modes[path.removeprefix(TESTS)] = change.mode
    sealed = {name: data for name, data in bench.seal(held).items() if held.get(name) != data}
    return {TESTS + name: Change(data, modes.get(name, 0o644)) for name, data in sealed.items()}


def described(change: Change) -> str:
    """What stands there, without saying when or by whom."""
    digest = hashlib.sha256(change.data).hexdigest()
    return f"now {len(change.data):,} bytes, mode {change.mode:04o}, sha256 {digest[:16]}"


def gate_lines(case: str, found: Sequence[Finding]) -> str:
    """What the gates say about a case, errors first."""
    errors = [finding for finding in found if finding.severity is Severity.ERROR]
    others = [finding for finding in found if finding.severity is Severity.WARNING]
    if not errors and not others:
        return f"gates: {case} has no errors and no warnings"
    head = f"gates: {case} has {len(errors)} errors and {len(others)} warnings"
    return f"{head}\n{told_lines([*errors, *others])}"


def told_lines(found: Sequence[Finding]) -> str:
    """One line a finding, like a compiler's, each on one line whatever the dataset put into it."""
    lines = [plain(f"{SUITE}/{finding}") for finding in found[:SHOWN]]
    return "\n".join(lines + [f"... and {len(found) - SHOWN} more"] * (len(found) > SHOWN))


def _errors_at(place: str, found: Iterable[Finding]) -> Counter[str]:
    return Counter(row.code for row in found if row.path == place and row.severity is Severity.ERROR)
