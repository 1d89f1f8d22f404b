"""Invented tasks, run by their own verifiers under Harbor's contract beside their conversions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from skill.case import Case
from skill.comparison import Comparison, comparisons
from skill.draft import Choices
from skill.ledger import digest
from skill.pass_rule import pass_rule
from skill.rules import check_against_source
from skill.source_evidence import AgainstSource, SourceRun, Standing
from skill.sources.harbor import HARBOR
from skill.verifier.template import MANIFEST, manifest
from tests.support.conversions import NAME, Conversion, convert
from tests.support.harbor_tasks import make_task
from tests.support.images import BASE_IMAGE
from tools.against_source import Bench, SourceCache, compare
from tools.mutants import clock_of
from tools.proof import prove
from tools.runners import open_runner
from tools.runners.base import KNOWN_GOOD, UNTOUCHED, Box, Edit, Setup, State
from tools.runners.docker import DockerRunner
from tools.runners.docker_engine import RUN_LABEL, connect, containers_with, images_with
from tools.source_judges import open_judge
from tools.source_judges.base import Carried, SourceJudge

pytestmark = pytest.mark.docker

TOML = "[verifier]\ntimeout_sec = 20.0\n"
IMAGE = f"FROM {BASE_IMAGE}\nWORKDIR /app\n"
SOLVE = "#!/bin/bash\necho '1 2 3' >table\necho sorted >log\n"
CHECK = "#!/bin/bash\ncmp table /tests/want || exit 1\ngrep -qx sorted log || exit 1\n"
DIRECT = """\
#!/bin/bash
mkdir -p /logs/verifier
cd /app
bash /tests/check.sh
if [ $? -eq 0 ]; then echo 1 >/logs/verifier/reward.txt; else echo 0 >/logs/verifier/reward.txt; fi
"""
SCORED = """\
#!/bin/bash
cp /app/score /logs/verifier/reward.txt
"""
TASK: dict[str, str | None] = {
    "task.toml": TOML,
    "tests/test.sh": DIRECT,
    "tests/check.sh": CHECK,
    "tests/want": "1 2 3\n",
    "tests/check.py": None,
    "tests/notes": "nobody reads this\n",
    "environment/Dockerfile": IMAGE,
    "environment/data/tides": None,
    "solution/solve.sh": SOLVE,
}


@dataclass(frozen=True)
class Spoil:
    """Replace a file of the candidate's, or remove it."""

    path: str
    text: str = ""

    def __call__(self, box: Box) -> str:
        script = 'rm -rf "$1"; [ -z "$2" ] || printf "%s\\n" "$2" >"$1"'
        return f"{self.path} is spoilt" if box.shell(script, self.path, self.text)[0] == 0 else ""


def wrong(name: str, path: str, text: str = "") -> State:
    """A candidate that is right but for one file."""
    return State(f"mutant:{name}", 1, solved=True, meddling=Spoil(path, text))


WRONG_TABLE = wrong("table", "/app/table", "3 2 1")
WRONG_LOG = wrong("log", "/app/log", "unsorted")
EQUAL = wrong("nothing", "/app/other", "left alone")
ALL = (KNOWN_GOOD, UNTOUCHED, WRONG_TABLE, WRONG_LOG, EQUAL)


@pytest.fixture(scope="module")
def runner() -> Iterator[DockerRunner]:
    opened = open_runner("docker", Setup("against-source"))
    assert isinstance(opened, DockerRunner)
    yield opened
    opened.close()
    assert labelled("against-source") == 0


def labelled(run_id: str) -> int:
    """How many containers and snapshots of a run are left."""
    client, label = connect(), f"{RUN_LABEL}={run_id}"
    return len(containers_with(client, label)) + len(images_with(client, label))


def against(
    made: Conversion,
    runner: DockerRunner,
    states: Iterable[State] = ALL,
    *,
    pass_if: str | None = None,
    judge: SourceJudge | None = None,
    cache: SourceCache | None = None,
) -> AgainstSource:
    """The one case of a conversion beside its source."""
    listed = list(states)
    pairs = {pair.case.name: pair for pair in comparisons(made.suite, made.rows, made.source)}
    proofs = prove(made.suite, runner=runner, states=lambda case: listed)
    bench = Bench(judge or open_judge("harbor", runner), pass_rule(pass_if), cache)
    ((_, found),) = compare(proofs, pairs, lambda proof: listed, bench)
    return found


def converted(root: Path, files: Mapping[str, str | None] | None = None, **choices: str) -> Conversion:
    """The task of this page with some files changed, converted."""
    return convert(root, {**TASK, **(files or {})}, Choices(**choices))  # type: ignore[arg-type]


def standings(found: AgainstSource) -> dict[str, str]:
    """How each state stands, with the code of its explanation."""
    assert found.rows, found.reason
    return {row.state: f"{row.standing} {row.code}".strip() for row in found.rows}


def test_a_faithful_conversion_agrees_in_every_state(tmp_path: Path, runner: DockerRunner) -> None:
    found = against(converted(tmp_path), runner)
    assert {row.standing for row in found.rows} == {Standing.AGREES}, found.rows
    assert [(row.source, row.booked) for row in found.rows] == [
        ("pass", "reward 1"),
        ("fail", "reward 0"),
        ("fail", "reward 0"),
        ("fail", "reward 0"),
        ("pass", "reward 1"),  # a mutant that no test sees: both let it pass
    ]
    assert check_against_source(found) == []


def test_a_threshold_is_held_against_the_source_too(tmp_path: Path, runner: DockerRunner) -> None:
    made = converted(
        tmp_path,
        {"tests/test.sh": SCORED, "solution/solve.sh": "#!/bin/bash\necho 0.75 >score\n", "tests/check.sh": None},
        pass_if="reward>=0.7",
    )
    states = [KNOWN_GOOD, wrong("low", "/app/score", "0.69"), wrong("edge", "/app/score", "0.7")]
    found = against(made, runner, states, pass_if="reward>=0.7")
    assert [(row.source, row.standing, row.sentence) for row in found.rows] == [
        ("pass", Standing.AGREES, "judged by reward>=0.7"),
        ("fail", Standing.AGREES, "judged by reward>=0.7"),
        ("pass", Standing.AGREES, "judged by reward>=0.7"),
    ]


ERREXIT = DIRECT.replace("#!/bin/bash", "#!/bin/bash\nset -e")
WAITS = "#!/bin/bash\nuntil [ -e /app/table ]; do sleep 0.2; done\n" + CHECK.removeprefix("#!/bin/bash\n")
USES_JQ = "#!/bin/bash\njq . table && " + CHECK.removeprefix("#!/bin/bash\n")
NO_NOTES = State("sabotage:notes-garbled", 2, solved=True, edits=(Edit("notes", b"?"),))
NO_CHECK = State("sabotage:check-removed", 2, solved=True, edits=(Edit("check.sh", None),))

EXPLAINED = [
    pytest.param("stopped-before-reward", UNTOUCHED, {"tests/test.sh": ERREXIT}, "", id="errexit"),
    pytest.param(
        "ran-out-of-time",
        UNTOUCHED,
        {"tests/check.sh": WAITS, "task.toml": "[verifier]\ntimeout_sec = 6.0\n"},
        "",
        id="hangs",
    ),
    pytest.param("broken-footing", NO_CHECK, {}, "", id="a staged file is gone"),
    pytest.param("broken-footing-unnoticed", NO_NOTES, {}, "", id="a file that nobody reads"),
    pytest.param(
        "stopped-before-reward",
        UNTOUCHED,
        {"tests/test.sh": SCORED, "solution/solve.sh": "#!/bin/bash\necho 1 >score\n"},
        "reward>=1",
        id="no reward",
    ),
]


@pytest.mark.parametrize(("code", "state", "files", "pass_if"), EXPLAINED)
def test_a_difference_that_is_meant_is_explained(
    tmp_path: Path, runner: DockerRunner, code: str, state: State, files: dict[str, str | None], pass_if: str
) -> None:
    made = converted(tmp_path, files, **({"pass_if": pass_if} if pass_if else {}))
    found = against(made, runner, [KNOWN_GOOD, state], pass_if=pass_if)
    assert standings(found) == {"oracle": "agrees", state.name: f"explained {code}"}, found.rows


def test_what_cannot_be_judged_here_is_explained(tmp_path: Path, runner: DockerRunner) -> None:
    made = converted(tmp_path, {"tests/test.sh": DIRECT.replace("bash /tests/check.sh", "jq -e . /app/table")})
    found = against(made, runner, [KNOWN_GOOD, UNTOUCHED])
    assert set(standings(found).values()) == {"explained cannot-judge-here"}, found.rows


def test_a_shortened_clock_is_the_sources_too(tmp_path: Path, runner: DockerRunner) -> None:
    waits = {"tests/check.sh": WAITS, "task.toml": "[verifier]\ntimeout_sec = 600.0\n"}
    made = converted(tmp_path, waits)
    clock = clock_of(Case(made.suite, NAME, 0))
    assert clock is not None
    hang = State("mutant:hang", 1, True, edits=(clock.set_to(clock.reserve + 3),), meddling=Spoil("/app/table"))
    found = against(made, runner, [KNOWN_GOOD, hang])
    assert standings(found)["mutant:hang"] == "explained ran-out-of-time", found.rows


def reseal(case: Path) -> None:
    """Make the manifest and its hash in test.sh those of the files as they are: a consistent, wrong conversion."""
    listed, script = case / "tests" / MANIFEST, case / "tests/test.sh"
    before = digest(listed.read_bytes())
    files = [path for path in sorted((case / "tests").rglob("*")) if path.is_file() and path not in (listed, script)]
    listed.write_bytes(
        manifest({path.relative_to(case / "tests").as_posix(): digest(path.read_bytes()) for path in files})
    )
    script.write_text(script.read_text().replace(before, digest(listed.read_bytes())))


WRONG = [
    pytest.param("tests/check.sh", "grep -qx sorted log || exit 1\n", "", WRONG_LOG, 3, id="assertion dropped"),
    pytest.param(
        "tests/check.sh", "cmp table /tests/want", "cmp table table", WRONG_TABLE, 2, id="wrong file compared"
    ),
    pytest.param(
        "tests/source-test.sh", "/tests/check.sh", "/app/check.sh", UNTOUCHED, 4, id="the workspace's own tests"
    ),
    pytest.param(
        "tests/source-test.sh", "bash /tests/check.sh", "bash /tests/check.sh || true", UNTOUCHED, 4, id="exit masked"
    ),
    pytest.param("tests/want", "1 2 3", "3 2 1", KNOWN_GOOD, 1, id="expectation changed"),
    pytest.param("tests/test.sh", "judge_status", "STATUS=0; judge_status", UNTOUCHED, 0, id="verdict fixed"),
]


@pytest.mark.parametrize(("path", "old", "new", "state", "line"), WRONG)
def test_a_wrong_conversion_is_caught_at_its_place(
    tmp_path: Path, runner: DockerRunner, path: str, old: str, new: str, state: State, line: int
) -> None:
    made = converted(tmp_path, {"environment/Dockerfile": IMAGE + "RUN printf 'exit 0\\n' >check.sh\n"})
    edited = made.suite / "cases" / NAME / path
    assert old in edited.read_text()
    edited.write_text(edited.read_text().replace(old, new))
    reseal(made.suite / "cases" / NAME)
    found = against(made, runner, dict.fromkeys([KNOWN_GOOD, state]))
    assert standings(found)[state.name] == "differs", found.rows
    finding = next(finding for finding in check_against_source(found) if f"state {state.name} " in finding.message)
    assert (finding.code, finding.severity) == ("SC921", "error")
    places = {suspect.path: suspect.line for suspect in found.suspects}
    assert places[path] == line, found.suspects
    assert finding.path.startswith(f"cases/{NAME}/tests/")


@pytest.mark.parametrize("threshold", ["'==' 0", "'>=' 0.5", "'>' 1"])
def test_an_inverted_threshold_is_caught(tmp_path: Path, runner: DockerRunner, threshold: str) -> None:
    files = {"tests/test.sh": SCORED, "solution/solve.sh": "#!/bin/bash\necho 1 >score\n"}
    made = converted(tmp_path, files, pass_if="reward>=1")
    script = made.suite / "cases" / NAME / "tests/test.sh"
    assert "judge_reward reward '>=' 1" in script.read_text()
    script.write_text(script.read_text().replace("'>=' 1", threshold))
    states = [KNOWN_GOOD, wrong("none", "/app/score", "0"), wrong("half", "/app/score", "0.5")]
    found = against(made, runner, states, pass_if="reward>=1")
    assert found.differs
    finding = next(finding for finding in check_against_source(found) if finding.code == "SC921")
    assert (finding.path, finding.fix) == (
        f"cases/{NAME}/tests/test.sh",
        "look here first: changed since it was converted",
    )


def test_a_second_comparison_starts_no_container(tmp_path: Path, runner: DockerRunner) -> None:
    made, cache = converted(tmp_path), SourceCache(tmp_path / "kept")
    first = against(made, runner, ALL, cache=cache)

    class Closed:
        name, version = "harbor", open_judge("harbor", runner).version

        def prepare(self, task: object, case: object, states: list[Carried]) -> Closed:
            assert states == []
            return self

        def run(self, carried: Carried) -> SourceRun:
            raise AssertionError(f"{carried.state.name} was run again")

        def __enter__(self) -> Closed:
            return self

        def __exit__(self, *_: object) -> None:
            pass

    assert against(made, runner, ALL, cache=cache, judge=Closed()) == first  # type: ignore[arg-type]
    (made.source / NAME / "tests/want").write_text("1 2 4\n")
    changed = against(made, runner, ALL, cache=cache)
    assert standings(changed)["oracle"] == "differs"


def test_a_source_without_its_task_or_its_image_is_not_compared(tmp_path: Path, runner: DockerRunner) -> None:
    made = converted(tmp_path, {"environment/Dockerfile": IMAGE + "RUN false\n"})
    broken = against(made, runner, [KNOWN_GOOD])
    assert not broken.is_compared
    (made.source / NAME).rename(made.source / "elsewhere")
    gone = against(made, runner, [KNOWN_GOOD])
    assert gone.reason == "the source has no such task any more"
    assert [finding.code for finding in check_against_source(gone)] == ["SC922"]


# What Harbor gives a verifier: each script writes 1 when it finds what Harbor would show it.


def toml(*lines: str) -> dict[str, str | None]:
    return {"task.toml": "\n".join(lines)}


def image(*lines: str) -> dict[str, str | None]:
    return {"environment/Dockerfile": IMAGE + "\n".join(lines)}


def solve(*lines: str) -> dict[str, str | None]:
    return {"solution/solve.sh": "\n".join(("#!/bin/bash", *lines))}


LOG_FOLDERS = "/logs/agent /logs/verifier /logs/artifacts"
NOTHING_ELSE = '[ -z "$S$DEBIAN_FRONTEND$TEST_DIR$MARGIN_AGENT_CWD$AGENT_SERVER_ROOT" ]'
SOLUTION_ENV = toml("[solution.env]", 'S = "1"')
PASSES_ON = "ENTRYPOINT " + json.dumps(["sh", "-c", 'touch /started; exec "$@"', "-"])
STALE = solve("echo '{\"reward\": 0}' >/logs/verifier/reward.json")

FACTS = {
    "working directory of the image": ("[ $PWD = /app ]", {}),
    "stated working directory": ("[ $PWD = /srv ]", toml("[environment]", 'workdir = "/srv"')),
    "the image's user": ('[ "$(id -u)" = 0 ]', {}),
    "stated user": ('[ "$(id -un)" = nobody ]', toml("[verifier]", 'user = "nobody"')),
    "verifier's variables": ('[ "$A$B" = 1x ]', toml("[verifier.env]", 'A = "1"', 'B = "${NOWHERE:-x}"')),
    "a part is no template": ("[ \"$A\" = 'a-${B}' ]", toml("[verifier.env]", 'A = "a-${B}"')),
    "the container's variables": ('[ "$A" = 1 ]', toml("[environment.env]", 'A = "1"')),
    "no other variables": (NOTHING_ELSE, SOLUTION_ENV),
    "the solution's variables": (
        '[ "$(cat /app/seen)" = "1 noninteractive /app" ]',
        SOLUTION_ENV | solve("echo $S $DEBIAN_FRONTEND $PWD >seen"),
    ),
    "how the solution ends does not matter": ("[ -e /app/late ]", solve("touch late", "exit 3")),
    "solution beside its files": (
        "[ -e /app/helped ]",
        solve("bash /solution/more.sh") | {"solution/more.sh": "touch helped\n"},
    ),
    "log folders": (f'[ "$(stat -c %a {LOG_FOLDERS} | sort -u)" = 777 ]', {}),
    "stale rewards are gone": ("[ ! -e /logs/verifier/reward.json ]", STALE),
    "tests are merged": (
        "[ -e /tests/baked ] && [ -e /tests/want ]",
        image("RUN mkdir /tests && touch /tests/baked"),
    ),
    "left out by .harborignore": ("[ ! -e /tests/notes ]", {".harborignore": "tests/notes\n"}),
    "only test.sh is made executable": ("[ ! -x /tests/check.sh ] && [ -x /tests/test.sh ]", {}),
    "entrypoint is kept": ("[ -e /started ]", image(PASSES_ON)),
    "hooks run first": ("[ -e /hooked ]", toml("[[verifier.collect]]", 'command = "touch /hooked; exit 1"')),
    "ignored by docker": (
        "[ ! -e /app/draft ] && [ -e /app/plan ]",
        image("COPY . .") | {f"environment/{name}": "draft\n" for name in (".dockerignore", "draft", "plan")},
    ),
    "output goes to the log": ('[ "$(readlink /proc/$$/fd/2)" = /logs/verifier/test-stdout.txt ]', {}),
}


def judged(root: Path, runner: DockerRunner, script: str, files: Mapping[str, str | None], state: State) -> SourceRun:
    """The source's run of one invented task whose verifier is ``script``."""
    make_task(root / NAME, {**TASK, **files, "tests/test.sh": script})
    (ref,) = HARBOR.inventory(root).tasks
    case = Case(root, "no-such-case", 0)
    with open_judge("harbor", runner).prepare(HARBOR.load(ref), case, [Carried(state)]) as prepared:
        return prepared.run(Carried(state))


@pytest.mark.parametrize(("fact", "files"), FACTS.values(), ids=FACTS)
def test_what_harbor_shows_a_verifier(
    tmp_path: Path, runner: DockerRunner, fact: str, files: dict[str, str | None]
) -> None:
    script = f"#!/bin/bash\nif {fact}; then echo 1; else env >&2; echo 0; fi >/logs/verifier/reward.txt\n"
    run = judged(tmp_path, runner, script, {"tests/check.sh": "x", **files}, KNOWN_GOOD)
    assert str(run.booking) == "reward 1", run


TXT, JSON = "/logs/verifier/reward.txt", "/logs/verifier/reward.json"
NONE = "nothing: neither reward.json nor reward.txt was written"


@pytest.mark.parametrize(
    ("script", "booked", "exit_code"),
    [
        (f"#!/bin/bash\necho 1 >{TXT}\nexit 9\n", "reward 1", 9),  # its status is ignored
        (f"#!/bin/bash\necho '{{\"a\": 1}}' >{JSON}\necho 0 >{TXT}\n", "a 1", 0),
        (f"#!/bin/bash\nset -e\nfalse\necho 1 >{TXT}\n", NONE, 1),
        ("#!/no/such/shell\n", NONE, 127),
        (f"echo 1 >{TXT}\n", "reward 1", 0),  # without an interpreter line
        (f"#!/bin/bash\nln -s /etc/hostname {TXT}\n", NONE, 0),
    ],
)
def test_what_harbor_books(tmp_path: Path, runner: DockerRunner, script: str, booked: str, exit_code: int) -> None:
    run = judged(tmp_path, runner, script, {}, UNTOUCHED)
    assert (str(run.booking), run.exit_code) == (booked, exit_code)


@pytest.mark.parametrize(
    ("files", "detail"),
    [
        (toml("[verifier.env]", 'JUDGE = "${JUDGE_NAME}"'), "JUDGE takes the host's JUDGE_NAME, which is not set"),
        (image("HEALTHCHECK --interval=1s --retries=1 CMD false"), "the image's HEALTHCHECK does not hold"),
        (image('ENTRYPOINT ["false"]'), "is not running"),
        (toml("[agent]", "timeout_sec = 1.0") | solve("sleep 60"), "solution/solve.sh ran out of its 1 s"),
    ],
)
def test_what_keeps_a_source_from_being_run_is_said(
    tmp_path: Path, runner: DockerRunner, files: dict[str, str | None], detail: str
) -> None:
    run = judged(tmp_path, runner, DIRECT, files, KNOWN_GOOD)
    assert run.booking is None
    assert detail in run.detail


def test_a_host_variable_that_the_run_was_given_is_used(tmp_path: Path) -> None:
    given = open_runner("docker", Setup("given", env=(("JUDGE_NAME", "tide"),)))
    assert isinstance(given, DockerRunner)
    script = f'#!/bin/bash\n[ "$JUDGE" = tide ] && echo 1 >{TXT}\n'
    files = {"task.toml": '[verifier.env]\nJUDGE = "${JUDGE_NAME}"\n'}
    run = judged(tmp_path, given, script, files, UNTOUCHED)
    given.close()
    assert str(run.booking) == "reward 1", run


def test_images_are_shared_where_the_files_are_the_same(tmp_path: Path, runner: DockerRunner) -> None:
    made = converted(tmp_path)
    (pair,) = comparisons(made.suite, made.rows, made.source)
    assert isinstance(pair, Comparison) and pair.task is not None
    judge = open_judge("harbor", runner)
    with judge.prepare(pair.task, pair.case, []) as prepared, runner.image(pair.case) as own:
        prepared.run(Carried(UNTOUCHED))
        assert prepared._image == own  # type: ignore[attr-defined]
