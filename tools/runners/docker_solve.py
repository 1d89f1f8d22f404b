"""What comes before the tests in a container: the reference solution, or what an agent would need to start."""

from __future__ import annotations

import posixpath

from skill.case import Case
from skill.contract import PASS
from tools.archive import files_below
from tools.capture import log_tail, reason_in
from tools.errors import ImageUnfit
from tools.runners.base import StateRun, oracle_error, timeout_of
from tools.runners.docker_box import HELPER_SECONDS, DockerBox


def solve(box: DockerBox, case: Case) -> StateRun | None:
    """Run oracle/solve.sh; None when it succeeded, else how the run ends."""
    cwd = case.test_cwd
    box.stage("oracle", files_below(case.root / "oracle"), cwd)
    env = {
        "MARGIN_AGENT_CWD": case.agent_cwd,
        "MARGIN_ORACLE_DIR": posixpath.normpath(posixpath.join(cwd, "oracle")),
        "MARGIN_TEST_CWD": cwd,
    }
    done = box.script("oracle/solve.sh", cwd=cwd, timeout=timeout_of(case), env=env)
    if done.exit_code == PASS:
        return None
    how = "ran out of time" if done.timed_out else f"exited with {done.exit_code}"
    detail = f"oracle/solve.sh {how}: {reason_in(done.output)}"
    return StateRun(None, oracle_error(done.exit_code), detail, log_tail(done.output))


def expect_agent_could_start(box: DockerBox, case: Case) -> None:
    """What a dry run needs before it gets to the tests; raises ImageUnfit (rows W8 and W25)."""
    words = ["sh", "-c", 'id -u; test -d "$1"', "sh", case.agent_cwd]
    found = box.execute(words, timeout=HELPER_SECONDS, cwd="/")
    if found.output.strip() != "0":
        raise ImageUnfit("image", "its USER is not root: the agent server cannot be made executable")
    if found.exit_code != 0:
        raise ImageUnfit("image", f"INVALID_CWD: agent_cwd {case.agent_cwd} does not exist")
