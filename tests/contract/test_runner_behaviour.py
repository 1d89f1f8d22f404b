"""What every runner does alike: the same case ends the same way, whoever runs it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from skill.evidence import SABOTAGE
from tests.support.cases import DOCKERFILE, SOLVED, script, write_case
from tests.support.images import BASE_IMAGE
from tools.runners import open_runner
from tools.runners.base import KNOWN_GOOD, UNTOUCHED, Box, Edit, Runner, Setup, State
from tools.runners.docker_engine import BUILT_LABEL, RUN_LABEL, connect, containers_with, images_with

STAGES = "FROM {base} AS first\nRUN echo {salt} >/made\nFROM {base}\nRUN mkdir /app\nCOPY --from=first /made /"
AT_ROOT = f"FROM {BASE_IMAGE}\nRUN mkdir /app\n"
USER = DOCKERFILE + "RUN useradd -u 1234 solver && chown -R solver /app\nUSER solver\n"
FORK = "setsid sleep 300 >/dev/null 2>&1 & sleep 300 & exit 0"

pytestmark = pytest.mark.docker


@pytest.fixture(scope="module", params=["docker", pytest.param("margin", marks=pytest.mark.margin)])
def runner(request: pytest.FixtureRequest) -> Iterator[Runner]:
    opened = open_runner(request.param, Setup(f"contract-{request.param}", concurrency=2))
    yield opened
    opened.close()


def case(name: str, state: State, code: int | None, error: str = "", **case_arguments: Any) -> Any:
    return pytest.param(state, code, error, case_arguments, id=name)


ENDS = [
    case("solved", KNOWN_GOOD, 0),
    case("untouched", UNTOUCHED, 1),
    case("says-infra", KNOWN_GOOD, 2, "TEST_INFRA", test=script("exit 2")),
    case("says-three", UNTOUCHED, 3, "INVALID_TEST_EXIT_CODE", test=script("exit 3")),
    case("own-timeout", UNTOUCHED, 124, "INVALID_TEST_EXIT_CODE", test=script("timeout 1 sleep 9")),
    case("hangs", UNTOUCHED, 124, "INVALID_TEST_EXIT_CODE", test=script("sleep 300 & wait"), timeout=2),
    case("crashes", UNTOUCHED, 139, "INVALID_TEST_EXIT_CODE", test=script("kill -SEGV $$")),
    case("killed", UNTOUCHED, 137, "INVALID_TEST_EXIT_CODE", test=script("kill -KILL $$")),
    case("empty-verifier", UNTOUCHED, 0, test=""),
    case("no-shebang", UNTOUCHED, 1, test="exit 1\n"),
    case("crlf", UNTOUCHED, 127, "INVALID_TEST_EXIT_CODE", test="#!/bin/bash\r\nexit 0\r\n"),
    case("leaves-processes", UNTOUCHED, 0, test=script(FORK)),
    case("kills-the-idle-loop", UNTOUCHED, 1, test=script("kill -9 -1; kill -9 1; exit 1")),
    case("closes-output", UNTOUCHED, 1, test=script("exec >&- 2>&-; sleep 1; exit 1")),
    case("floods", UNTOUCHED, 1, test=script("head -c 30000000 /dev/zero; exit 1")),
    case("reads-input", UNTOUCHED, 1, test=script("read -r line || exit 1")),
    case("has-a-terminal-not", UNTOUCHED, 1, test=script("[ -t 0 ] || [ -t 1 ] || exit 1")),
    case("oracle-fails", KNOWN_GOOD, None, "ORACLE_APPLY_FAILED", solve=script("exit 3")),
    case("oracle-hangs", KNOWN_GOOD, None, "ORACLE_TIMEOUT", solve=script("sleep 300"), timeout=2),
    case("oracle-says-124", KNOWN_GOOD, None, "ORACLE_TIMEOUT", solve=script("exit 124")),
    case(
        "oracle-sees-margin",
        KNOWN_GOOD,
        0,
        solve=script('[ "$PWD $MARGIN_ORACLE_DIR $MARGIN_TEST_CWD $MARGIN_AGENT_CWD" = "/ /oracle / /app" ]'),
        test=script('[ -z "$MARGIN_ORACLE_DIR$MARGIN_TEST_CWD" ] && [ -e /oracle/solve.sh ]'),
    ),
    case("oracle-cannot-see-tests", KNOWN_GOOD, 0, solve=script("[ ! -e /tests ]"), test=script("exit 0")),
    case(
        "tests-are-replaced",
        KNOWN_GOOD,
        0,
        solve=script("mkdir /tests; touch /tests/planted"),
        test=script("[ ! -e /tests/planted ]"),
    ),
    case("server-variables", UNTOUCHED, 0, test=script('[ "$AGENT_SERVER_WORKSPACES_DIR" = / ]')),
    case("test-cwd-is-made", UNTOUCHED, 0, test=script('[ "$PWD" = /new/place ]'), test_cwd="/new/place"),
    case("relative-test-cwd", KNOWN_GOOD, None, "ORACLE_APPLY_FAILED", test_cwd="new", dockerfile=AT_ROOT),
    case("no-agent-cwd", UNTOUCHED, None, "EXECUTOR_ERROR", agent_cwd="/nowhere"),
    case("no-agent-cwd-solved", KNOWN_GOOD, 0, agent_cwd="/nowhere"),
    case("user-untouched", UNTOUCHED, None, "EXECUTOR_ERROR", dockerfile=USER, test_cwd="/app"),
    case("user-solved", KNOWN_GOOD, 0, dockerfile=USER, test_cwd="/app"),
    case("user-cannot-stage", KNOWN_GOOD, None, "EXECUTOR_ERROR", dockerfile=USER),
    case(
        "no-bash",
        KNOWN_GOOD,
        None,
        "ORACLE_APPLY_FAILED",
        dockerfile=DOCKERFILE + "RUN rm -f /bin/bash /usr/bin/bash\n",
    ),
    case(
        "no-bash-untouched",
        UNTOUCHED,
        126,
        "INVALID_TEST_EXIT_CODE",
        dockerfile=DOCKERFILE + "RUN rm -f /bin/bash\n",
    ),
    case("entrypoint-is-ignored", UNTOUCHED, 1, dockerfile=DOCKERFILE + 'ENTRYPOINT ["/bin/false"]\n'),
    case("does-not-build", UNTOUCHED, None, "EXECUTOR_ERROR", dockerfile="FROM scratch\nRUN nothing\n"),
]


@pytest.mark.parametrize(("state", "code", "error", "case_arguments"), ENDS)
def test_a_case_ends_as_margin_says(
    runner: Runner,
    tmp_path: Path,
    state: State,
    code: int | None,
    error: str,
    case_arguments: dict[str, Any],
) -> None:
    made = write_case(tmp_path, "one", **case_arguments)
    with runner.prepare(made, [state]) as prepared:
        run = prepared.run(state)
    assert (run.exit_code, run.error) == (code, error), run


def test_what_the_verifier_sees_is_the_same(runner: Runner, tmp_path: Path) -> None:
    look = script(
        "umask; id; pwd; ulimit -a",
        "env | grep -v ^HOSTNAME= | sort",
        "stat -c '%a %u:%g %F %n' /tests /tests/* /tests/deep/* /oracle",
        "echo VERDICT: FAIL; exit 1",
    )
    made = write_case(tmp_path, "one", test=look, files={"tests/deep/data.txt": "x", "tests/helper.sh": "x"})
    (made.root / "tests" / "deep" / "data.txt").chmod(0o600)
    with runner.prepare(made, [KNOWN_GOOD]) as prepared:
        seen = prepared.run(KNOWN_GOOD).log_tail
    assert "755 0:0 directory /oracle\n" in seen
    assert "600 0:0 regular file /tests/deep/data.txt\n" in seen
    first = SEEN.setdefault("first", seen)
    assert seen == first


SEEN: dict[str, str] = {}


def test_a_broken_copy_leaves_the_case_alone(runner: Runner, tmp_path: Path) -> None:
    made = write_case(
        tmp_path,
        "one",
        test=script("[ -f /tests/data.txt ] || exit 2", SOLVED),
        files={"tests/data.txt": "x"},
    )
    state = State(SABOTAGE + "gone", 2, solved=True, edits=(Edit("data.txt", None),))
    with runner.prepare(made, [KNOWN_GOOD, state]) as prepared:
        runs = [prepared.run(state), prepared.run(KNOWN_GOOD)]
    assert [run.exit_code for run in runs] == [2, 0]
    assert (made.root / "tests" / "data.txt").read_text() == "x"


def test_the_reason_is_the_verifiers_own(runner: Runner, tmp_path: Path) -> None:
    test = script("echo noise", "echo VERDICT: FAIL", "echo reason: two of three", "exit 1")
    with runner.prepare(write_case(tmp_path, "one", test=test), [UNTOUCHED]) as prepared:
        run = prepared.run(UNTOUCHED)
    assert run.detail == "VERDICT: FAIL: two of three"
    assert run.log_tail.startswith("noise\n")


@dataclass(frozen=True)
class Hide:
    """Remove a file by hand; nothing happens where it is not."""

    path: str

    def __call__(self, box: Box) -> str:
        return "hidden" if box.shell('rm "$1"', self.path)[0] == 0 else ""


def test_hands_in_the_container(runner: Runner, tmp_path: Path) -> None:
    made = write_case(tmp_path, "one", test=script("exit 0 || exit 1"))
    good, absent = (State(name, 2, True, meddling=Hide(name)) for name in ("/app/done", "/app/nothing"))
    with runner.prepare(made, [good, absent]) as prepared:
        runs = prepared.run(good), prepared.run(absent)
    assert [(run.exit_code, run.applies) for run in runs] == [(0, True), (None, False)]


def test_nothing_is_left(runner: Runner, tmp_path: Path) -> None:
    setup = Setup(f"left-{runner.name}", keep_images=0)
    other = open_runner(runner.name, setup)
    dockerfile = STAGES.format(base=BASE_IMAGE, salt=tmp_path)
    made = write_case(tmp_path, "one", dockerfile=dockerfile, timeout=3, test=script("sleep 60"))
    before = objects()
    with other.prepare(made, [KNOWN_GOOD, UNTOUCHED]) as prepared:
        assert prepared.run(KNOWN_GOOD).exit_code == 124
        assert labelled(setup.run_id)
    other.close()
    assert labelled(setup.run_id) == []
    if runner.name == "docker":  # margin's own builds leave their stages behind, whoever calls it
        assert objects() == before


def labelled(run_id: str) -> list[str]:
    """The ids of containers and images with the run's labels."""
    client, run, built = connect(), f"{RUN_LABEL}={run_id}", f"{BUILT_LABEL}={run_id}"
    images = [*images_with(client, built), *images_with(client, run)]
    return [str(row["Id"]) for row in (*containers_with(client, run), *images)]


def objects() -> set[str]:
    """The ids of all dangling images."""
    return {str(row["Id"]) for row in connect().images(filters={"dangling": True})}
