"""A session whose proof runs in real containers: a wrong verifier is found out, the repaired one is accepted."""

from __future__ import annotations

import hashlib
import re
from contextlib import closing
from pathlib import Path

import pytest

from agent import loop
from agent.stop import Reason
from tests.support.scripted import Scripted, calls, reply, says
from tests.support.sessions import NAME, SCRIPT, Place, budget
from tools.proof import prove
from tools.runners import open_runner
from tools.runners.base import Setup
from tools.workbench import Proved

pytestmark = pytest.mark.docker

TASK = {
    "environment/Dockerfile": "FROM debian:bookworm-slim\nWORKDIR /app\n",
    "environment/data/tides": None,
    "tests/check.py": None,
    "tests/check.sh": '#!/bin/bash\n[ "$(cat /app/table)" = "1 2 3" ]\n',
    "tests/test.sh": """#!/bin/bash
mkdir -p /logs/verifier
cd /app
bash /tests/check.sh
if [ $? -eq 0 ]; then
  echo 1 > /logs/verifier/reward.txt
else
  echo 0 > /logs/verifier/reward.txt
fi
""",
}
VERIFIER = """#!/bin/bash
main() {
  decided=
  pass() { decided=1; echo "VERDICT: PASS ($1)"; exit 0; }
  fail() { decided=1; echo "VERDICT: FAIL ($1)"; exit 1; }
  infra() { decided=1; echo "VERDICT: INFRA ($1)"; exit 2; }
  trap '[ -n "$decided" ] || infra "stopped before a verdict"' EXIT
  here=$(cd "${BASH_SOURCE[0]%/*}" && pwd) || infra "cannot find the staged tests"
  for tool in timeout cat; do type -P "$tool" >/dev/null || infra "missing: $tool"; done
  [ -f "$here/check.sh" ] || infra "check.sh is missing"
  echo "SHA  $here/check.sh" | sha256sum -c --quiet - || infra "check.sh was changed"
  cd /app 2>/dev/null || infra "no /app"
  timeout -k 5 45 bash "$here/check.sh" </dev/null
  status=$?
  case $status in
    0) pass "the table is right" ;;
    1) fail "the table is wrong" ;;
    124 | 137) fail "out of time" ;;
    *) infra "check.sh ended with $status" ;;
  esac
}
main "$@"
"""


def proved(root: Path, name: str) -> Proved:
    """The standard states."""
    with closing(open_runner("docker", Setup("session"))) as runner:
        (proof,) = prove(root, [name], runner=runner)
        return Proved(proof)


def test_the_proof_decides_and_its_words_lead_to_the_repair(tmp_path: Path) -> None:
    place = Place(tmp_path, TASK)
    digest = hashlib.sha256((place.source / "tests/check.sh").read_bytes()).hexdigest()
    right = VERIFIER.replace("SHA", digest)
    wrong = right.replace('1) fail "the table is wrong"', '1) infra "the table is wrong"')
    model = Scripted(
        [
            reply(calls("1", "write", path=SCRIPT, content=wrong)),
            reply(calls("2", "margin_run")),
            reply(calls("3", "write", path=SCRIPT, old='1) infra "the', new='1) fail "the')),
            reply(calls("4", "margin_run")),
            reply(says("Done.")),
        ]
    )
    toolbox = place.toolbox(prover=proved)
    stop = loop.run(place.session(), model, toolbox, budget())
    assert stop.reason is Reason.PROPOSED
    before, after = (model.requests[at].messages[-1]["content"][0]["content"] for at in (2, 4))
    assert f"{NAME}: the proof speaks against this verifier" in before
    assert "  null: 2 (infra), but it must be 1 (fail)" in before
    assert re.search(rf"{NAME}: \d+ states were run, and each ended as it must", after)
    assert "  oracle: 0 (pass), as it must\n  null: 1 (fail), as it must\n  sabotage (" in after


def test_the_same_proof_is_told_in_the_same_words(tmp_path: Path) -> None:
    told = []
    for name in ("one", "two"):
        place = Place(tmp_path / name, TASK)
        toolbox = place.toolbox(prover=proved)
        toolbox.dispatch("write", {"path": SCRIPT, "content": VERIFIER.replace("1) fail", "1) echo what; infra")})
        told.append(toolbox.dispatch("margin_run", {}).text)
    assert told[0] == told[1]
    assert "--- " in told[0]
