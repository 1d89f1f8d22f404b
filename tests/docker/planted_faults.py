"""Conversions that are wrong on purpose: one sound verifier, and what a fault changes in it.

A row of ``FAULTS`` is a fault: what is replaced in the sound script, what the proof has to say, and in which state.
The text of the line that lets it through ends with MARK where bash's own trace leads to it. Faults that are
``only_against_source`` keep every promise that a verifier can be held to alone; only beside the source's own
verifier they show.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from skill.case import Case
from tests.support.cases import script, write_case

MARK = "# here"
CASES = "1 2|3\n2 2|4\n10 5|many\n"
SOLUTION = '#!/bin/sh\nsum=0\nfor n in "$@"; do sum=$((sum + n)); done\n[ $sum -lt 9 ] || sum=many\necho $sum\n'
SOLVE = script("cp /oracle/add.sh /app/add.sh", "chmod 755 /app/add.sh")

LOOK = f"""\
[ "$(sha256sum <"$TESTS/cases.txt")" = "{hashlib.sha256(CASES.encode()).hexdigest()}  -" ] || exit 2"""
CHECK = """\
check() {
  local args want got
  while IFS='|' read -r args want; do
    got=$(timeout 2 ./add.sh $args </dev/null) || return 1
    [ "$got" = "$want" ] || { echo "add $args is $got, not $want"; return 1; }
  done <"$TESTS/cases.txt"
}"""
JUDGE = """\
check || exit 1
exit 0"""
SOUND = f"""\
#!/bin/bash
TESTS=$(cd "$(dirname "${{BASH_SOURCE[0]}}")" && pwd) || exit 2
{LOOK}
{CHECK}
cd /app || exit 1
{JUDGE}
"""


@dataclass(frozen=True)
class Fault:
    """One wrong conversion and what has to be said about it."""

    name: str
    changes: Mapping[str, str]  # text of SOUND -> what stands there instead
    code: str  # of the rule that catches it
    state: str  # where it shows
    solve: str = SOLVE
    files: Mapping[str, str] = field(default_factory=dict)
    only_against_source: bool = False

    @property
    def test(self) -> str:
        """tests/test.sh."""
        text = SOUND
        for old, new in self.changes.items():
            assert old in text, f"{self.name}: {old!r} is not in the sound script"
            text = text.replace(old, new)
        return text

    @property
    def line(self) -> int:
        """The marked line, 0 where there is none."""
        marked = [number for number, text in enumerate(self.test.splitlines(), 1) if text.endswith(MARK)]
        return marked[0] if marked else 0

    def write(self, suite: Path) -> Case:
        """The fault as the only case of a suite."""
        files = {"tests/cases.txt": CASES, "oracle/add.sh": SOLUTION} | dict(self.files)
        return write_case(suite, self.name, test=self.test, solve=self.solve, files=files, timeout=15)


FAULTS = (
    Fault("exit-masked", {JUDGE: f"check | tee /tmp/log\nexit $?  {MARK}"}, "SC902", "null"),
    Fault("or-true", {JUDGE: f"check || true\nexit 0  {MARK}"}, "SC902", "null"),
    Fault(
        "early-exit", {"cd /app || exit 1": f'cd /app || exit 1\n[ -z "$STRICT" ] && exit 0  {MARK}'}, "SC902", "null"
    ),
    Fault("error-swallowed", {JUDGE: f'if ! check; then echo "not right"; fi\nexit 0  {MARK}'}, "SC902", "null"),
    Fault(
        "reward-default-1",
        {JUDGE: f'check && echo 1 >/tmp/reward\n[ "$(cat /tmp/reward || echo 1)" = 1 ] && exit 0  {MARK}\nexit 1'},
        "SC902",
        "null",
    ),
    Fault("fail-as-infra", {JUDGE: f"check || exit 2  {MARK}\nexit 0"}, "SC903", "null"),
    Fault("infra-as-fail", {LOOK: LOOK.replace("exit 2", f"exit 1  {MARK}")}, "SC904", "sabotage:asset-removed"),
    Fault(
        "missing-file-passes",
        {LOOK: f'[ -f "$TESTS/cases.txt" ] || exit 0  {MARK}\n{LOOK}'},
        "SC904",
        "sabotage:asset-removed",
    ),
    Fault("no-bootstrap-check", {LOOK: ""}, "SC904", "sabotage:asset-garbled"),
    Fault(
        "tool-not-looked-up",
        {JUDGE: f"check && ./add.sh 1 1 | grep -qx 2 || exit 1  {MARK}\nexit 0"},
        "SC904",
        "sabotage:runner-missing",
    ),
    Fault(
        "tests-of-the-workspace",
        {JUDGE: f"check >/dev/null || bash /app/tests/test.sh || exit 1\nexit 0  {MARK}"},
        "SC911",
        "forgery:tests",
    ),
    Fault(
        "path-of-own-cases",
        {LOOK: "", '"$TESTS/cases.txt"': "/app/cases.txt", JUDGE: f"check || exit 1\nexit 0  {MARK}"},
        "SC904",
        "sabotage:asset-removed",
        solve=SOLVE + "cp /oracle/cases.txt /app/\n",
        files={"oracle/cases.txt": CASES},
    ),
    Fault(
        "stale-reward",
        {
            JUDGE: "mkdir -p /logs/verifier\ncheck && echo 1 >/logs/verifier/reward.txt\n"
            f'[ "$(cat /logs/verifier/reward.txt)" = 1 ] && exit 0  {MARK}\nexit 1'
        },
        "SC911",
        "forgery:reward",
    ),
    Fault(
        "verdict-from-the-workspace",
        {JUDGE: f'check && echo 1 >/app/reward.txt\n[ "$(cat /app/reward.txt)" = 1 ] && exit 0  {MARK}\nexit 1'},
        "SC911",
        "forgery:reward",
    ),
    Fault(
        "status-alone",
        {JUDGE: f"./add.sh 1 2 || exit 1\nexit 0  {MARK}"},
        "SC911",
        "forgery:exit /app/add.sh",
    ),
    Fault(
        "timeout-unbounded",
        {"timeout 2 ./add.sh $args </dev/null) || return 1": f"./add.sh $args) || return 1  {MARK}"},
        "SC909",
        "mutant:hangs /app/add.sh",
    ),
    Fault(
        "crash-as-infra",
        {JUDGE: f"./add.sh 1 2\n[ $? -lt 126 ] || exit 2  {MARK}\n{JUDGE}"},
        "SC909",
        "mutant:crashes /app/add.sh",
    ),
    Fault(
        "assertion-dropped",
        {"return 1; }": "return 1; }\n    break"},
        "SC921",
        "mutant:word /app/add.sh",
        only_against_source=True,
    ),
    Fault(
        "wrong-file-compared",
        {'[ "$got" = "$want" ]': '[ -n "$got" ]'},
        "SC921",
        "mutant:word /app/add.sh",
        only_against_source=True,
    ),
)
