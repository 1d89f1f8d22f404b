"""lib.sh run for real: its functions one by one, then whole verifiers as rewrite() makes them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from skill.sources.base import EnvValue
from skill.verifier.base import Rewrite
from skill.verifier.rewrite import rewrite
from skill.verifier.template import library
from tests.support.box import Box, Verdict, why_no_box
from tests.support.verifiers import verifier

BASH = shutil.which("bash") or "bash"
PYTHON = shutil.which("python3", path="/usr/local/bin:/usr/bin:/bin") or "python3"
TXT, JSON = "/logs/verifier/reward.txt", "/logs/verifier/reward.json"
TAIL = f"if [ $? -eq 0 ]; then echo 1 > {TXT}; else echo 0 > {TXT}; fi\n"


def sourced(tmp_path: Path, commands: str, **environment: str) -> Verdict:
    """What ``commands`` do in a shell that has read the library."""
    (tmp_path / "lib.sh").write_bytes(library())
    (tmp_path / "private").mkdir(exist_ok=True)
    text = f". {tmp_path}/lib.sh\nPRIVATE={tmp_path}/private LIMIT=60 RESERVE=3\n{commands}\n"
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin"} | environment
    done = subprocess.run([BASH, "-c", text], capture_output=True, text=True, env=env, cwd=tmp_path)
    return Verdict(done.returncode, done.stdout + done.stderr)


NUMBERS = [
    *[
        (text, False)
        for text in ("", "x", "1x", "1 2", "0x10", "nan", "inf", "1_0", "--1", "1e", ".", "e5", "1,0", "1\n0")
    ],
    *[(text, True) for text in ("0", "1", "-1", "+1", "1.0", "1.", ".5", "0.25", "1e2", "1E-2", "007")],
]


@pytest.mark.parametrize(("text", "expected"), NUMBERS)
def test_number(text: str, expected: bool, tmp_path: Path) -> None:
    assert (sourced(tmp_path, 'number "$TEXT"', TEXT=text).status == 0) == expected


COMPARED = [
    ("1", "==", "1", True),
    ("1.0", "==", "1", True),
    ("1e0", "==", "1", True),
    ("+1", "==", "1", True),
    ("010", "==", "10", True),
    ("0.9999", "==", "1", False),
    ("1.000000001", "==", "1", False),
    ("-0", "==", "0", True),
    ("-1", "==", "1", False),
    ("0.5", ">=", "0.5", True),
    ("0.5", ">=", "0.50001", False),
    (".75", ">", "0.5", True),
    ("0.5", ">", "0.5", False),
    ("-0.5", ">=", "0", False),
    ("100", ">=", "99.5", True),
    ("18446744074.709551616", "==", "1", False),  # what 64 bits would make of it
    ("1e300", "==", "1", False),
    ("1e300", ">=", "1", True),
]


@pytest.mark.parametrize(("left", "operator", "right", "expected"), COMPARED)
def test_compare(left: str, operator: str, right: str, expected: bool, tmp_path: Path) -> None:
    found = sourced(tmp_path, f"compare {left} '{operator}' {right}; builtin exit $?")
    assert (found.status, found.output) == (0 if expected else 1, "")


FLAT = [
    ("", None),
    ("1", None),
    ("[1]", None),
    ("{", None),
    ('{"reward": }', None),
    ('{"reward": "1"}', None),
    ('{"reward": null}', None),
    ('{"reward": [1, 2]}', None),
    ('{"reward": {"a": 1}}', None),
    ('{"a,b": 1}', None),
    ("{reward: 1}", None),
    ('{"reward": 1', None),
    ('{"reward": 1}; exit 0', None),
    ("{}", {}),
    ('{"reward": 1}', {"reward": "1"}),
    (' {\n "reward" : 0.5\n}\n', {"reward": "0.5"}),
    ('{"reward": true}', {"reward": "1"}),
    ('{"reward": false}', {"reward": "0"}),
    ('{"a": 1, "b": -2e3}', {"a": "1", "b": "-2e3"}),
    ('{"$(touch x)": 1}', {"$(touch x)": "1"}),
]


@pytest.mark.parametrize(("text", "expected"), FLAT)
def test_flat_json(text: str, expected: dict[str, str] | None, tmp_path: Path) -> None:
    show = 'for key in "${!REWARD[@]}"; do printf "%s\\n%s\\n" "$key" "${REWARD[$key]}"; done'
    found = sourced(tmp_path, f'declare -A REWARD=(); flat_json "$TEXT" || builtin exit 9\n{show}', TEXT=text)
    assert not (tmp_path / "x").exists()
    if expected is None:
        assert found.status == 9
        return
    lines = found.output.splitlines()
    assert dict(zip(lines[::2], lines[1::2], strict=True)) == expected
    assert set(json.loads(text)) == set(expected)


SUITE = (
    '<?xml version="1.0"?><testsuites name="pytest tests">'
    '<testsuite name="pytest" {}><testcase name="a > b"/></testsuite></testsuites>'
)
REPORTS = [
    (None, "0 0"),
    ("", "0 0"),
    ("no xml", "0 0"),
    ('<testsuites tests="3"/>', "0 0"),
    (SUITE.format('errors="0" failures="0" skipped="0" tests="3"'), "3 0"),
    (SUITE.format('errors="0" failures="0" skipped="3" tests="3"'), "0 0"),
    (SUITE.format('errors="1" failures="2" skipped="1" tests="9"'), "8 3"),
    (SUITE.format('errors="x" tests="3"'), "3 0"),
    (SUITE.format('mytests="7" tests="3"'), "3 0"),
]


@pytest.mark.parametrize(("report", "expected"), REPORTS)
def test_read_report(report: str | None, expected: str, tmp_path: Path) -> None:
    if report is not None:
        (tmp_path / "r.xml").write_text(report)
    assert sourced(tmp_path, f'read_report {tmp_path}/r.xml; printf "%s" "$RAN $BROKE"').output == expected


def test_a_report_that_is_a_link_is_none(tmp_path: Path) -> None:
    (tmp_path / "real.xml").write_text(SUITE.format('tests="3"'))
    (tmp_path / "r.xml").symlink_to("real.xml")
    assert sourced(tmp_path, f'read_report {tmp_path}/r.xml; printf "%s" "$RAN $BROKE"').output == "0 0"


GOOD, BROKEN, EMPTY = SUITE.format('tests="3"'), SUITE.format('failures="1" tests="3"'), SUITE.format('tests="0"')
PYTEST = [
    # status, report, verdict
    *[(0, report, 1) for report in (None, BROKEN, EMPTY)],
    (0, GOOD, 0),
    *[(status, report, 1) for status in (1, 2, 124, 137, 139, 255) for report in (None, GOOD, BROKEN)],
    *[(status, report, 2) for status in (3, 4, 5, 126, 127) for report in (None, GOOD, BROKEN)],
]


@pytest.mark.parametrize(("status", "report", "verdict"), PYTEST)
def test_judge_pytest(status: int, report: str | None, verdict: int, tmp_path: Path) -> None:
    if report is not None:
        (tmp_path / "r.xml").write_text(report)
    found = sourced(tmp_path, f"STATUS={status}; judge_pytest {tmp_path}/r.xml; builtin exit 77")
    assert (found.status, found.name) == (verdict, ("PASS", "FAIL", "INFRA")[verdict])
    assert found.reason


@pytest.mark.parametrize(
    ("status", "verdict"), [(0, 0), (1, 1), (2, 1), (5, 1), (124, 1), (126, 1), (127, 1), (137, 1)]
)
def test_judge_status(status: int, verdict: int, tmp_path: Path) -> None:
    assert sourced(tmp_path, f"STATUS={status}; judge_status; builtin exit 77").status == verdict


ENDINGS = [
    ("pass yes", 0, "PASS"),
    ("fail no", 1, "FAIL"),
    ("infra broken", 2, "INFRA"),
    ("trap on_exit EXIT; true", 2, "INFRA"),
    ("trap on_exit EXIT; builtin exit 0", 2, "INFRA"),
    ("trap on_exit EXIT; set -u; : $NOT_SET", 2, "INFRA"),
    ("trap on_exit EXIT; : $((08))", 2, "INFRA"),
    ("trap on_exit EXIT; pass yes", 0, "PASS"),
]


@pytest.mark.parametrize(("commands", "status", "name"), ENDINGS)
def test_every_way_out_has_one_verdict(commands: str, status: int, name: str, tmp_path: Path) -> None:
    found = sourced(tmp_path, commands)
    assert (found.status, found.name) == (status, name)


ENVIRONMENT = [
    ("GREETING=$'two\\nlines'; PATH=/opt/bin:$PATH", "two\nlines", "/opt/bin:"),
    ("GREETING=hi; LIMIT=1; STATUS=0; DECIDED=1; TESTS=/app; IFS=x", "hi", "/usr"),
    ("GREETING=hi; pass() { builtin exit 0; }; fail() { builtin exit 0; }; export -f pass fail", "hi", "/usr"),
]


@pytest.mark.parametrize(("commands", "greeting", "path"), ENVIRONMENT)
def test_a_bootstrap_changes_nothing_but_its_environment(
    commands: str, greeting: str, path: str, tmp_path: Path
) -> None:
    show = 'printf "%s|" "$GREETING" "$PATH" "$LIMIT$STATUS$DECIDED$TESTS" "$IFS"; type -t pass; fail no'
    text = f"(set -a\n{commands}\nkeep_environment\n)\ntake_environment $?\n{show}"
    found = sourced(tmp_path, text)
    said = found.output.split("|")
    assert (said[0], said[1].startswith(path), said[2], said[3]) == (greeting, True, "60", " \t\n")
    assert (found.status, found.name) == (1, "FAIL")


STOPPED = [
    ("builtin exit 0", "INFRA", "the bootstrap ended early"),
    ("trap - EXIT; builtin exit 0", "INFRA", "the bootstrap ended early"),
    ("DECIDED=1; builtin exit 0", "INFRA", "the bootstrap ended early"),
    ("false || infra 'no network'", "INFRA", "no network"),
]


@pytest.mark.parametrize(("commands", "name", "reason"), STOPPED)
def test_a_bootstrap_that_stops_is_infra(commands: str, name: str, reason: str, tmp_path: Path) -> None:
    text = f"trap on_exit EXIT\n(set -a\n{commands}\nkeep_environment\n)\ntake_environment $?\npass yes"
    found = sourced(tmp_path, text)
    assert (found.status, found.name) == (2, name)
    assert found.reason.startswith(reason)


# --- whole verifiers, in a root folder of their own


@pytest.fixture
def box(tmp_path: Path) -> Box:
    if reason := why_no_box():
        pytest.skip(f"no root folder of its own: {reason}")
    made = Box(tmp_path / "root")
    made.put("app", {"answer.py": "def total(numbers):\n    return sum(numbers)\n"})
    return made


def staged(box: Box, script: str, assets: dict[str, str] | None = None, **changes: Any) -> Rewrite:
    """The verifier of ``script``, as it would be staged at /tests."""
    made = rewrite(verifier(script, assets, **{"timeout_seconds": 30, **changes}))
    assert isinstance(made, Rewrite), made
    box.put("tests", {**(assets or {}), **made.files})
    return made


IMPORT = "import sys\nsys.path.insert(0, '/app')\nfrom answer import total\n"
CHECK = {"check.py": f"{IMPORT}assert total([2, 3]) == 5\n"}
TEST = {"test_total.py": f"{IMPORT}\n\ndef test_total():\n    assert total([2, 3]) == 5\n"}
BY_STATUS = f"python3 /tests/check.py\n{TAIL}"
BY_PYTEST = f"cd /app\npytest -p no:cacheprovider /tests/test_total.py\n{TAIL}"
WRONG = "def total(numbers):\n    return 0\n"

CANDIDATES = [
    ("right", None, 0, 0),
    ("wrong", WRONG, 1, 1),
    ("absent", "", 1, 1),
    ("does not parse", "def total(:\n", 1, 1),
    ("leaves with 0 on import", "import os\nos._exit(0)\n", 1, 1),
    ("kills itself", "import os\nos.kill(os.getpid(), 9)\n", 1, 1),
]


@pytest.mark.parametrize(("name", "answer", "by_status", "by_pytest"), CANDIDATES, ids=[row[0] for row in CANDIDATES])
def test_a_candidate_that(name: str, answer: str | None, by_status: int, by_pytest: int, box: Box) -> None:
    for script, assets, expected in ((BY_STATUS, CHECK, by_status), (BY_PYTEST, TEST, by_pytest)):
        if answer is not None:
            box.put("app", {"answer.py": answer})
        staged(box, script, assets)
        found = box.verify()
        assert (found.status, found.name) == (expected, "PASS" if expected == 0 else "FAIL"), found.output
        shutil.rmtree(box.root / "tests")
        for place in (box.root).iterdir():
            if place.name not in ("app", "logs"):
                place.unlink() if place.is_symlink() else place.rmdir()


def test_a_candidate_that_hangs_fails_inside_of_the_limit(box: Box) -> None:
    box.put("app", {"answer.py": "import time\ntime.sleep(60)\n"})
    staged(box, BY_STATUS, CHECK, timeout_seconds=4)
    found = box.verify()
    assert (found.status, found.reason) == (1, "the candidate ran out of time")


def test_a_reward_of_a_run_that_was_cut_short_does_not_count(box: Box) -> None:
    staged(box, f"[ -d /app ] && echo 1 > {TXT} || echo 0 > {TXT}\nsleep 60\n", timeout_seconds=4)
    found = box.verify()
    assert (found.status, found.reason) == (1, "the candidate ran out of time")


SABOTAGE = [
    (".verdict/lib.sh", None),
    (".verdict/lib.sh", "exit 0\n"),
    (".verdict/manifest.sha256", None),
    (".verdict/manifest.sha256", ""),
    (".verdict/manifest.sha256", "garbage\n"),
    ("check.py", None),
    ("check.py", "pass\n"),
    ("source-test.sh", None),
    ("source-test.sh", "exit 0\n"),
]


@pytest.mark.parametrize(("path", "text"), SABOTAGE)
def test_a_suite_that_is_not_whole_is_infra(path: str, text: str | None, box: Box) -> None:
    staged(box, BY_STATUS, CHECK)
    (box.root / "tests" / path).unlink()
    if text is not None:
        box.put("tests", {path: text})
    found = box.verify()
    assert (found.status, found.name) == (2, "INFRA")
    assert path.split("/")[-1] in found.reason or "a file of tests/ is missing or changed" in found.reason


HARNESS = [
    (f"jq -e . /app/a.json\n{TAIL}", {"PATH": "/tests/bin"}, "tool missing"),
    (f"/app/bin/pytest -q\n{TAIL}", {}, "the test runner does not pass a test that is known to pass"),
    (f"pytest --no-such-plugin-option -p no_such_plugin\n{TAIL}", {}, "the test runner does not pass"),
]


@pytest.mark.parametrize(("script", "environment", "reason"), HARNESS)
def test_a_harness_that_does_not_work_is_infra(script: str, environment: dict[str, str], reason: str, box: Box) -> None:
    staged(box, script)
    tools = ("bash", "sha256sum", "timeout", "mktemp", "rm", "mkdir", "dirname", "env")
    box.put("tests/bin", {tool: f'#!/bin/sh\nexec {shutil.which(tool)} "$@"\n' for tool in tools if environment})
    found = box.verify(**environment)
    assert (found.status, found.name) == (2, "INFRA"), found.output
    assert found.reason.startswith(reason)


def test_a_working_folder_that_is_gone_is_the_candidates_failure(box: Box) -> None:
    staged(box, BY_STATUS, CHECK, cwd="/app/work")
    found = box.verify()
    assert (found.status, found.reason) == (1, "the working directory is gone: /app/work")


REWARDS = [
    ("echo 1 > {TXT}", 0),
    ("printf ' 1.0\\n\\n' > {TXT}", 0),
    ("echo 0 > {TXT}", 1),
    ("echo 0.5 > {TXT}", 2),
    ("echo -1 > {TXT}", 2),
    ("echo pass > {TXT}", 2),
    ("true > {TXT}", 2),
    ("true", 2),
    ("ln -s /etc/hostname {TXT}", 1),
    ("mkfifo {TXT}", 1),
    ("echo '{{\"reward\": 1}}' > {JSON}", 0),
    ("echo '{{\"score\": 1.0}}' > {JSON}", 0),
    ("echo '{{\"reward\": 0}}' > {JSON}; echo 1 > {TXT}", 1),
    ("echo '{{\"reward\": 1}}' > {JSON}; echo 0 > {TXT}", 0),
    ('echo \'{{"a": 1, "b": 1}}\' > {JSON}', 2),
    ("echo '{{}}' > {JSON}; echo 1 > {TXT}", 2),
    ("echo garbage > {JSON}; echo 1 > {TXT}", 2),
    ("echo 1 > {TXT}; exit 3", 0),  # Harbor does not look at the status
]


@pytest.mark.parametrize(("writes", "verdict"), REWARDS)
def test_rewards_by_the_rules_of_their_framework(writes: str, verdict: int, box: Box) -> None:
    box.put("app", {"writes.sh": writes.format(TXT=TXT, JSON=JSON) + "\n"})
    staged(box, "bash /tests/grade.sh\n", {"grade.sh": f"# writes {TXT}\n. /app/writes.sh\n"})
    found = box.verify()
    assert (found.status, found.name) == (verdict, ("PASS", "FAIL", "INFRA")[verdict]), found.output


THRESHOLDS = [
    ("reward>=0.75", "0.75", 0),
    ("reward>=0.75", "0.7", 1),
    ("reward>0.5", "0.5", 1),
    ("reward==1", "1", 0),
]


@pytest.mark.parametrize(("pass_if", "score", "verdict"), THRESHOLDS)
def test_thresholds(pass_if: str, score: str, verdict: int, box: Box) -> None:
    staged(box, f"SCORE=$(cat /app/score)\necho $SCORE > {TXT}\n", pass_if=pass_if)
    box.put("app", {"score": score})
    assert box.verify().status == verdict


@pytest.mark.parametrize(("score", "verdict"), [("half", 2), ("full", 0)])
def test_a_reward_without_the_key_that_was_asked_for_is_infra(score: str, verdict: int, box: Box) -> None:
    jsons = TXT.replace(".txt", ".json")
    staged(
        box,
        f"""if grep -q full /app/score; then echo '{{"other": 1}}'; else echo '{{"reward": 1}}'; fi > {jsons}\n""",
        pass_if="other>=1",
    )
    box.put("app", {"score": score})
    assert box.verify().status == verdict


POISON = [
    "exit 0",
    "builtin exit 0",
    "trap - EXIT; exit 0",
    "trap 'builtin exit 0' EXIT",
    "DECIDED=1; exit 0",
    "pass() { builtin exit 0; }; fail() { builtin exit 0; }; infra() { builtin exit 0; }",
    "judge_status() { pass forged; }",
    "candidate() { STATUS=0; }",
    "timeout() { return 0; }; export -f timeout",
    "alias fail=pass; shopt -s expand_aliases",
    "STATUS=0; readonly STATUS",
]


@pytest.mark.parametrize("poison", POISON)
def test_a_settings_file_of_the_candidate_forges_no_verdict(poison: str, box: Box) -> None:
    box.put("app", {"answer.py": WRONG, ".local/bin/env": poison + "\n"})
    staged(box, f"source $HOME/.local/bin/env\n{BY_STATUS}", CHECK)
    assert box.verify().status in (1, 2)


def test_a_settings_file_brings_its_path(box: Box) -> None:
    box.put("app", {".local/bin/env": 'PATH="/app/tools:$PATH"\n', "tools/tides": "#!/bin/sh\nexit 0\n"})
    staged(box, f"source $HOME/.local/bin/env\ntides --check\n{TAIL}")
    assert box.verify().status == 0


def test_a_bootstrap_that_fails_is_infra(box: Box) -> None:
    staged(box, f"pip install --no-index no-such-thing-at-all\n{BY_STATUS}", CHECK)
    found = box.verify()
    assert (found.status, found.reason[:36]) == (2, "bootstrap failed in source line 2: p")


def test_a_folder_entered_by_the_bootstrap_is_entered_once(box: Box) -> None:
    box.put("app", {"deep/data": "", ".local/bin/env": "true\n"})
    staged(
        box,
        f"set -e\ncd deep\nsource $HOME/.local/bin/env\ntest -e data\npython3 /tests/check.py\necho 1 > {TXT}\n",
        CHECK,
    )
    assert box.verify().status == 0


VARIABLES = [
    ({"MODE": EnvValue(literal="it's")}, {}, "it's", 0),
    ({"MODE": EnvValue(literal="a\nb")}, {}, "a\nb", 0),
    ({"MODE": EnvValue(variable="MODE", default="d'd")}, {}, "d'd", 0),
    ({"MODE": EnvValue(variable="MODE", default="d")}, {"MODE": "given"}, "given", 0),
    ({"MODE": EnvValue(variable="MODE")}, {"MODE": "given"}, "given", 0),
    ({"MODE": EnvValue(variable="MODE")}, {}, "", 2),
]


@pytest.mark.parametrize(("env", "environment", "value", "verdict"), VARIABLES)
def test_variables_of_the_source(
    env: dict[str, EnvValue], environment: dict[str, str], value: str, verdict: int, box: Box
) -> None:
    check = {"check.py": f"import os\nassert os.environ['MODE'] == {value!r}\n"}
    staged(box, BY_STATUS, check, env=env)
    assert box.verify(**environment).status == verdict


def test_what_the_source_runs_before_its_verifier_is_best_effort(box: Box) -> None:
    check = {"check.py": "from pathlib import Path\nassert Path('/app/seen').exists()\n"}
    staged(box, BY_STATUS, check, pre_verify=("false", ")", "touch seen # done"))
    assert box.verify().status == 0


def test_a_runner_named_from_the_working_folder_is_found(box: Box) -> None:
    box.put("app", {".venv/bin/pytest": '#!/bin/sh\nexec pytest "$@"\n'})
    staged(box, f"cd /app\n.venv/bin/pytest -p no:cacheprovider /tests/test_total.py\n{TAIL}", TEST)
    found = box.verify()
    assert (found.status, found.name) == (0, "PASS"), found.output


def test_a_script_that_ends_before_its_tests_fails(box: Box) -> None:
    staged(box, f"set -e\n/app/build\npytest /tests/test_total.py\necho 1 > {TXT}\n", TEST)
    found = box.verify()
    assert (found.status, found.reason) == (1, "the script ended before its tests (status 127)")


def shim(folder: Path, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "grep").write_text(f"#!/bin/sh\n{text}\n")
    (folder / "grep").chmod(0o755)
    return folder


TRUE, SOUND = "exit 0", 'exec /bin/grep "$@"'
IN_FRONT = [  # what stands in each folder of PATH, and what `need grep` makes of it
    ([SOUND, TRUE], 0, ""),
    ([TRUE, SOUND], 1, "which stands before"),
    ([TRUE, TRUE, SOUND], 1, "which stands before"),
    ([TRUE], 2, "tool broken: grep"),
    ([TRUE, TRUE], 2, "tool broken: grep"),
    ([], 2, "tool missing: grep"),
]


@pytest.mark.parametrize(("stands", "status", "reason"), IN_FRONT)
def test_a_tool_that_only_stands_before_a_sound_one_was_put_there(
    stands: list[str], status: int, reason: str, tmp_path: Path
) -> None:
    folders = [shim(tmp_path / f"bin{number}", text) for number, text in enumerate(stands)]
    own = tmp_path / "own"
    own.mkdir()
    for tool in ("timeout", "rm", "sh"):
        (own / tool).symlink_to(shutil.which(tool) or tool)
    found = sourced(tmp_path, "need grep; builtin exit 0", PATH=":".join(map(str, [*folders, own])))
    assert (found.status, reason in found.output) == (status, True)


def test_a_false_time_limit_beside_it_does_not_clear_a_false_tool(tmp_path: Path) -> None:
    front, behind = shim(tmp_path / "front", TRUE), shim(tmp_path / "behind", SOUND)
    shutil.copy(front / "grep", front / "timeout")
    path = f"{front}:{behind}:/usr/bin:/bin"
    assert sourced(tmp_path, "own_tools; need grep", PATH=path).status == 1


FALSE_PYTHON = [  # what stands in the place of python3, and what `need python3` makes of it
    (f'exec {PYTHON} "$@"', 0, ""),
    ('case "$*" in *pytest*) exit 0 ;; esac\n' + f'exec {PYTHON} "$@"', 1, "was tampered with"),
    (f'case "$*" in *-I*) exec {PYTHON} "$@" ;; esac', 1, "was tampered with"),
    (f'case "$*" in *pytest*) ;; *-I*) exec {PYTHON} "$@" ;; esac', 1, "was tampered with"),
    ("exit 0", 2, "tool broken: python3"),
    ("exit 7", 2, "tool broken: python3"),
]


@pytest.mark.parametrize(("text", "status", "reason"), FALSE_PYTHON)
def test_an_interpreter_that_only_works_now_and_then_was_tampered_with(
    text: str, status: int, reason: str, tmp_path: Path
) -> None:
    shim(tmp_path / "bin", text).joinpath("grep").rename(tmp_path / "bin/python3")
    for tool in ("timeout", "rm", "sh"):
        (tmp_path / "bin" / tool).symlink_to(shutil.which(tool) or tool)
    found = sourced(tmp_path, "need python3; builtin exit 0", PATH=str(tmp_path / "bin"))
    assert (found.status, reason in found.output) == (status, True)


@pytest.mark.parametrize(
    ("module", "status", "reason"),
    [
        (None, 0, ""),
        ("notes.py", 0, ""),
        ("json.py", 1, "files in the folders of PYTHONPATH"),  # hides the standard library's
    ],
)
def test_a_module_of_the_candidate_that_keeps_pytest_from_working(
    module: str | None, status: int, reason: str, tmp_path: Path
) -> None:
    (tmp_path / "work").mkdir()
    if module:
        (tmp_path / "work" / module).write_text("import os\nos._exit(0)\n")
    commands = f"mkdir -p $PRIVATE/check; runner_works {sys.executable} -m pytest; builtin exit 0"
    found = sourced(tmp_path, commands, PYTHONPATH=str(tmp_path / "work"), TESTS=str(tmp_path))
    assert (found.status, reason in found.output) == (status, True)
    if status:
        broken = f"mkdir -p $PRIVATE/check; runner_works {sys.executable} -m no_such_runner"
        assert sourced(tmp_path, broken, PYTHONPATH=str(tmp_path / "work"), TESTS=str(tmp_path)).status == 2
