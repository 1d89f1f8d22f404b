"""Terminal-Bench's tasks as a source reads them: both generations, layouts, and what keeps one from being converted."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill.errors import SourceError
from skill.sources.base import EnvValue
from skill.sources.terminal_bench import TERMINAL_BENCH
from skill.sources.terminal_bench.config import read_config
from skill.sources.terminal_bench.fields import FIELDS, PARSERS
from skill.sources.terminal_bench.solution import as_script
from skill.toml import dump
from tests.support.harbor_tasks import codes, notes, sentence
from tests.support.terminal_bench import COMPOSE, YAML, load, make_task

BASE = "difficulty: easy\nmax_test_timeout_sec: 90\n"
TWO = "descriptions:\n- key: base\n  description: Sort.\n- key: hard\n  description: Sort well.\n"


def test_a_sound_task(tmp_path: Path) -> None:
    task = load(make_task(tmp_path))
    assert not task.refusals
    assert task.prompt is not None
    assert task.prompt.read() == b"Put the tide table in order.\n"
    assert (task.description, task.timeout_sec, task.agent_timeout_sec) == ("Put the tide table in order.", 90.0, 300.0)
    assert {(file.path, file.origin) for file in task.tests} == {
        ("test.sh", "run-tests.sh"),
        ("test_outputs.py", ""),
    }
    assert [(file.path, file.origin) for file in task.solution] == [("solve.sh", "solution.sh")]
    assert {file.path for file in task.environment} == {"Dockerfile", "tides.txt"}
    assert task.environment_env == {"TEST_DIR": EnvValue(literal="/tests")}
    assert (task.launch.parser, task.launch.with_bash, task.launch.solution) == ("pytest", True, "/oracle/solution.sh")
    assert task.metadata == {
        "difficulty": "easy",
        "tb_parser_name": "pytest",
        "tb_max_agent_timeout_sec": 300.0,
    }


PROMPTS = [
    ("instruction: Sort.\n", "Sort.", set()),
    (f"instruction: Sort it.\n{TWO}", "Sort it.", {"S604"}),  # the word is no key
    (f"instruction: base\n{TWO}", "Sort.", {"S603", "S604"}),
    (f"instruction: hard\n{TWO}", "Sort well.", {"S603", "S604"}),
    (TWO, "Sort.", {"S603", "S604"}),
    ("descriptions:\n- description: Sort.\n", "Sort.", {"S603"}),
    ("descriptions:\n- key: only\n  description: Sort.\n", "Sort.", {"S603"}),
]


@pytest.mark.parametrize(("text", "prompt", "noted"), PROMPTS)
def test_the_prompt_of_either_generation(text: str, prompt: str, noted: set[str], tmp_path: Path) -> None:
    task = load(make_task(tmp_path, yaml=text + BASE))
    assert task.prompt is not None
    assert (task.prompt.read().decode(), codes(task)) == (prompt, set())
    assert notes(task) & {"S603", "S604"} == noted


# task.yaml, the refusal
DEFECTS = [
    ("instruction: Sort.\nmax_test_timeout_sec: 0\n", "bad-timeout"),
    ("instruction: Sort.\nmax_test_timeout_sec: .inf\n", "bad-timeout"),
    ("instruction: Sort.\nmax_test_timeout_sec: soon\n", "bad-field"),
    ("instruction: Sort.\nparser_name: junit\n", "bad-field"),
    ("instruction: [1]\n", "bad-field"),
    ("instruction: '  '\n", "empty-prompt"),
    ("difficulty: easy\nparser_name: pytest\n", "no-prompt"),
    ("descriptions:\n- key: a\n  description: A.\n- key: b\n  description: B.\n", "no-prompt"),
    ("instruction: {{ text }}\n", "template"),
    ("instruction: 'open\n", "bad-yaml"),
    ("- instruction: Sort.\n", "bad-yaml"),
    ("#\n", "bad-yaml"),
    ("a: &a [x]\nb: [" + "*a, " * 30 + "x]\ninstruction: Sort.\n", "bad-yaml"),
]


@pytest.mark.parametrize(("text", "code"), DEFECTS)
def test_a_task_yaml_that_terminal_bench_would_not_take_is_refused(text: str, code: str, tmp_path: Path) -> None:
    assert codes(load(make_task(tmp_path, yaml=text))) == {code}


def test_times_have_the_defaults_of_the_framework(tmp_path: Path) -> None:
    task = load(make_task(tmp_path, yaml="instruction: Sort.\ndifficulty: easy\n"))
    assert (task.timeout_sec, task.agent_timeout_sec) == (60.0, 360.0)
    assert "S602" in notes(task)


def test_no_key_is_dropped_in_silence(tmp_path: Path) -> None:
    odd = "language: awk\nwhen: 2024-05-01\nbig: 99999999999999999999\nnested: {a: [1, null]}\nnothing: null\n"
    task = load(make_task(tmp_path, yaml=YAML + odd))
    assert task.metadata["tb_language"] == "awk"
    assert (task.metadata["tb_when"], task.metadata["tb_big"]) == ("2024-05-01", "99999999999999999999")
    assert task.metadata["tb_nested"] == "{'a': [1, None]}"
    assert [f.message.rpartition(": ")[2] for f in task.findings if f.code == "S601"] == [
        *("language", "when", "big", "nested", "nothing")
    ]


def test_every_parser_of_the_framework_is_known(tmp_path: Path) -> None:
    for name in PARSERS:
        task = load(make_task(tmp_path / name, yaml=YAML.replace("pytest", name)))
        assert (task.launch.parser, codes(task)) == (name, set())
    assert FIELDS["parser_name"].check("pytest")


# instruction; whether tests that want the agent's own shell can do without it
SHELLS = [
    ("Build a module with an export called sort.", True),
    ("Environment variables may be read from .env.", True),
    ("Set LEVEL in the current shell to 3.", False),
    ("Define a shell alias called tide.", False),
]


@pytest.mark.parametrize(("text", "fine"), SHELLS)
def test_tests_in_the_agents_own_shell(text: str, fine: bool, tmp_path: Path) -> None:
    task = load(make_task(tmp_path, yaml=f"instruction: {text}\nrun_tests_in_same_shell: true\n{BASE}"))
    assert codes(task) == (set() if fine else {"same-shell"})
    assert ("S605" in notes(task)) == fine


# files of the task, refusals, notes
FILES: list[tuple[dict[str, str | None], set[str], set[str]]] = [
    ({"tests/helper.sh": "true\n"}, set(), set()),
    ({"README.md": "About.\n"}, set(), {"S303"}),
    ({"tests/run-tests.sh": "pytest -rA\n"}, set(), {"S611"}),
    ({"run-tests.sh": None}, {"no-verifier"}, set()),
    ({"tests/test.sh": "true\n"}, {"reserved-name"}, set()),
    ({"run-tests.sh": "source $TEST_DIR/setup-uv-pytest.sh\n"}, {"missing-test-script"}, set()),
    (
        {"run-tests.sh": "source $TEST_DIR/setup-uv-pytest.sh\n", "tests/setup-uv-pytest.sh": "pytest -rA\n"},
        set(),
        set(),
    ),
    ({"run-tests.sh": "pytest $TEST_DIR -v\n"}, {"never-passes"}, set()),
    ({"run-tests.sh": "bash $TEST_DIR/all.sh\n", "tests/all.sh": "pytest -ra\n"}, {"never-passes"}, set()),
    ({"run-tests.sh": "bash $TEST_DIR/all.sh\n", "tests/all.sh": "pytest -rA\n"}, set(), set()),
    ({"run-tests.sh": "pytest $TEST_DIR -v\n", "tests/pytest.ini": "[pytest]\naddopts = -rA\n"}, set(), set()),
    ({"run-tests.sh": "pytest x.py; echo '== short test summary info =='\n"}, set(), set()),
    ({"docker-compose.yaml": None}, set(), {"S615"}),
    ({"docker-compose.yaml": None, "compose.yaml": COMPOSE}, set(), {"S615", "S110"}),
    ({"Dockerfile": None}, {"no-environment"}, {"S303"}),
    ({"tides.txt": None}, {"missing-context"}, set()),
    ({"Dockerfile": "FROM debian:12\nWORKDIR /app\nUSER nobody\n"}, {"user-not-root"}, {"S303"}),
    ({"Dockerfile": "FROM debian:12\nRUN echo 'PATH=/x' >> ~/.bashrc\nWORKDIR /app\n"}, set(), {"S614", "S303"}),
    ({"Dockerfile": "FROM debian:12\nWORKDIR /app\nCOPY tests /app/tests\n"}, set(), {"S613", "S303"}),
    ({"Dockerfile": "FROM debian:12\nWORKDIR /app\nCOPY solution.sh /x\n"}, set(), {"S109", "S303"}),
    ({"Dockerfile": "FROM debian:12\nWORKDIR /app\nCOPY . .\n"}, set(), {"S612"}),
]


@pytest.mark.parametrize(("files", "refused", "noted"), FILES)
def test_files(files: dict[str, str | None], refused: set[str], noted: set[str], tmp_path: Path) -> None:
    task = load(make_task(tmp_path, files))
    assert codes(task) == refused
    assert notes(task) - {"S107"} == noted


def test_only_what_the_dockerfile_copies_is_built_from(tmp_path: Path) -> None:
    files = {
        "Dockerfile": "FROM debian:12\nWORKDIR /app\nCOPY data/*.csv deep/er/ ./\nCOPY --from=0 /x /y\n",
        "data/a.csv": "1\n",
        "data/b.txt": "2\n",
        "deep/er/c": "3\n",
        "deep/d": "4\n",
        ".dockerignore": "*.md\n",
    }
    task = load(make_task(tmp_path, files))
    assert {file.path for file in task.environment} == {"Dockerfile", ".dockerignore", "data/a.csv", "deep/er/c"}


def test_a_copy_of_everything_takes_nothing_of_the_harness_but_what_the_dockerfile_names(tmp_path: Path) -> None:
    copies = "FROM debian:12\nWORKDIR /app\nCOPY . .\n"
    plain = load(make_task(tmp_path / "plain", {"Dockerfile": copies}))
    named = load(make_task(tmp_path / "named", {"Dockerfile": copies + "RUN chmod +x run-tests.sh\n"}))
    assert {file.path for file in plain.environment} == {"Dockerfile", "tides.txt"}
    assert {file.path for file in named.environment} == {"Dockerfile", "tides.txt", "run-tests.sh"}


def test_compose_may_name_another_context_and_dockerfile(tmp_path: Path) -> None:
    compose = COMPOSE.replace("dockerfile: Dockerfile", "dockerfile: small.Dockerfile\n      context: ./image")
    files = {
        "docker-compose.yaml": compose,
        "image/small.Dockerfile": "FROM debian:12\nWORKDIR /srv\nCOPY base ./\n",
        "image/base": "x\n",
        "image/other": "y\n",
    }
    task = load(make_task(tmp_path, {**files, "Dockerfile": None}))
    assert not task.refusals
    assert {(file.path, file.origin) for file in task.environment} == {
        ("Dockerfile", "image/small.Dockerfile"),
        ("base", "image/base"),
    }
    assert TERMINAL_BENCH.origin(task.ref).dockerfile == task.dockerfile


# what is put into the client's service, the refusal or ""
KEYS = [
    ("working_dir: /srv", ""),
    ("tty: true", ""),
    ("networks: [quay]", ""),
    ("deploy: {resources: {limits: {cpus: '1'}}}", ""),
    ("privileged: true", "services.client.privileged"),
    ("depends_on: [other]", "services.client.depends_on"),
    ("user: nobody", "services.client.user"),
]


@pytest.mark.parametrize(("line", "named"), KEYS)
def test_keys_of_the_client(line: str, named: str, tmp_path: Path) -> None:
    task = load(make_task(tmp_path, {"docker-compose.yaml": f"{COMPOSE}    {line}\n"}))
    assert codes(task) == ({"compose-feature"} if named else set())
    assert not named or named in sentence(task, "compose-feature")
    assert task.workdir == ("/srv" if "working_dir" in line else None)


def test_a_mount_of_the_task_and_a_second_service_are_refused(tmp_path: Path) -> None:
    second = COMPOSE + "  keeper:\n    image: debian:12\n"
    mounted = COMPOSE.replace("    volumes:\n", "    volumes:\n      - ./:/app\n")
    assert "'./:/app'" in sentence(load(make_task(tmp_path / "m", {"docker-compose.yaml": mounted})), "compose-feature")
    assert codes(load(make_task(tmp_path / "second", {"docker-compose.yaml": second}))) == {"several-services"}


# solution.yaml, its lines as a script, or why there is none
KEYSTROKES = [
    ("- command: cd /app\n- command: make\n  block: true\n", ["cd /app", "make"]),
    ("- command: |\n    cat > a <<'X'\n    1\n    X\n", ["cat > a <<'X'", "1", "X"]),
    ("- command: make\n", "command 1 is not waited for (make)"),
    ("- command: make\n  min_timeout_sec: 5\n", "command 1 is not waited for (make)"),
    ("- command: cd /app\n- command: C-c\n", "command 2 is the key C-c"),
    ("- command: y\n  append_enter: false\n", "command 1 is not ended with Enter"),
    ("- command: vim a.txt\n  block: true\n", "command 1 starts a program that reads what is typed (vim)"),
    ("- command: python3\n  block: true\n", "command 1 starts a program that reads what is typed (python3)"),
    ("- command: python3 -c 1\n  block: true\n", ["python3 -c 1"]),
    ("- command: for i in 1 2\n- command: do echo; done\n", "command 1 is no whole command of a shell"),
    ("- command: exit\n", "command 1 ends the shell (exit)"),
    ("- make\n", "command 1 is no text"),
    ("command: make\n", "it is no list of commands"),
    ("- 'open\n", "it cannot be read: while scanning a quoted scalar"),
]


@pytest.mark.parametrize(("text", "expected"), KEYSTROKES)
def test_keystrokes_as_a_script(text: str, expected: list[str] | str) -> None:
    made = as_script(text.encode())
    if isinstance(made, str):
        assert isinstance(expected, str)
        assert made.startswith(expected)
    else:
        assert made.decode().splitlines()[2:] == expected


def test_a_solution_of_keystrokes(tmp_path: Path) -> None:
    good = load(make_task(tmp_path / "good", {"solution.sh": None, "solution.yaml": "- command: touch /app/x\n"}))
    assert [(file.path, file.origin, file.by) for file in good.solution] == [
        ("solve.sh", "solution.yaml", "keystrokes")
    ]
    assert "S608" in notes(good)
    keys = load(make_task(tmp_path / "keys", {"solution.sh": None, "solution.yaml": "- command: C-d\n"}))
    assert (keys.solution, codes(keys)) == ((), set())
    assert "S607" in notes(keys)
    both = load(make_task(tmp_path / "both", {"solution.yaml": "- command: C-d\n"}))
    assert [file.origin for file in both.solution] == ["solution.sh"]


def test_the_inventory(tmp_path: Path) -> None:
    for name in ("tasks/auk", "tasks/tern", "more/deep/gull"):
        make_task(tmp_path / name)
    (tmp_path / "tasks/sealed.zip").write_bytes(b"PK")
    (tmp_path / "ansible").mkdir()
    (tmp_path / "ansible/task.yaml").write_text("- hosts: all\n")
    (tmp_path / "half").mkdir()
    (tmp_path / "half/run-tests.sh").write_text("true\n")
    (tmp_path / ".git").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "tasks")
    found = TERMINAL_BENCH.inventory(tmp_path)
    assert [ref.id for ref in found.tasks] == ["more/deep/gull", "tasks/auk", "tasks/tern"]
    assert {skip.path: skip.reason.split(",")[0].split(";")[0] for skip in found.skipped} == {
        ".git": "version control data",
        "ansible": "its task.yaml is not one of Terminal-Bench: no run-tests.sh beside it",
        "half": "looks like a task (run-tests.sh) but has no task.yaml",
        "link": "a symbolic link to a folder",
        "tasks/sealed.zip": "a zipped task",
    }


def test_marks(tmp_path: Path) -> None:
    assert TERMINAL_BENCH.detect(tmp_path) is None
    (tmp_path / "task.yaml").write_text("kind: Pod\n")
    assert TERMINAL_BENCH.detect(tmp_path) is None
    (tmp_path / "task.yaml").write_text("instruction: Sort.\n")
    assert TERMINAL_BENCH.detect(tmp_path) == "task.yaml in ."


def test_a_folder_that_is_gone_is_the_machines_fault(tmp_path: Path) -> None:
    (ref,) = TERMINAL_BENCH.inventory(make_task(tmp_path / "auk")).tasks
    (tmp_path / "auk").rename(tmp_path / "gone")
    with pytest.raises(SourceError):
        TERMINAL_BENCH.load(ref)


WORDS = (
    *("instruction: ", "descriptions:\n", "- key: base\n  description: ", "parser_name: pytest\n", "tags: [", "]", "{"),
    *(
        "max_test_timeout_sec: ",
        "1e400",
        "run_tests_in_same_shell: ",
        "yes",
        "&a ",
        "*a",
        "\n",
        "x",
        "'",
        "\x00",
        "\ud800",
    ),
    *("!!python/object:os.system ", "2024-01-01", ".nan", "<<: ", "? ", "|\n  text\n"),
)


@given(st.lists(st.sampled_from(WORDS) | st.text(max_size=4), max_size=16).map("".join))
def test_any_task_yaml_is_read_or_refused(text: str) -> None:
    config = read_config(text.encode("utf-8", "surrogatepass"))
    assert config.prompt is not None or config.refusals
    dump({"metadata": config.metadata})


@given(st.lists(st.sampled_from(WORDS) | st.text(max_size=4), max_size=16).map("".join))
def test_any_keystrokes_are_a_script_or_none(text: str) -> None:
    assert as_script(text.encode("utf-8", "surrogatepass"))
