"""Every key of task.toml: what becomes of it, and what Harbor would not accept."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill.sources.base import EnvValue, SourceTask
from skill.sources.harbor.fields import FIELDS, Act
from skill.sources.notes import NOTES
from tests.support.harbor_tasks import codes, load, make_task, notes, sentence

PINNED = "registry.example/birds@sha256:" + "a" * 64

# table, key, a value that Harbor accepts, what becomes of it: a metadata key, "refuse CODE", "note CODE",
# the name of a field of the source task, or "" for a key on which nothing depends
GOOD = [
    ("", "version", '"1.0"', ""),
    ("", "schema_version", '"1.4"', ""),
    ("", "schema_version", '"9.1"', "note S002"),
    ("", "source", '"field work"', "harbor_source"),
    ("", "multi_step_reward_strategy", '"mean"', "harbor_multi_step_reward_strategy"),
    ("", "artifacts", '["/app/out", {source = "/app/log"}]', "harbor_artifacts"),
    ("", "steps", "[]", ""),
    ("", "steps", '[{name = "one"}, {name = "two"}]', "refuse multi-step"),
    ("task", "name", '"coast/reef"', "harbor_task_name"),
    ("task", "version", '"2"', "harbor_task_version"),
    ("task", "description", '"Birds."', "harbor_task_description"),
    ("task", "authors", '[{name = "Ann", email = "a@example.org"}]', "harbor_task_authors"),
    ("task", "authors", '[{name = "Ann"}]', "author_name"),
    ("task", "keywords", '["birds"]', "harbor_task_keywords"),
    ("task", "keywords", '["birds"]', "tags"),
    ("verifier", "timeout_sec", "12.5", "timeout_sec"),
    ("verifier", "env", '{A = "1"}', "verifier_env"),
    ("verifier", "user", '"root"', "harbor_verifier_user"),
    ("verifier", "user", "0", "harbor_verifier_user"),
    ("verifier", "user", '"judge"', "refuse phase-user"),
    ("verifier", "environment_mode", '"shared"', "harbor_verifier_environment_mode"),
    ("verifier", "environment_mode", '"separate"', "refuse separate-verifier"),
    ("verifier", "environment", '{docker_image = "x"}', "refuse separate-verifier"),
    ("verifier", "collect", '[{command = "sync"}]', "pre_verify"),
    ("verifier", "collect", '[{command = "sync", service = "db"}]', "refuse several-services"),
    ("verifier", "network_mode", '"no-network"', "note S004"),
    ("verifier", "allowed_hosts", '["example.org"]', "harbor_verifier_allowed_hosts"),
    ("agent", "timeout_sec", "600", "harbor_agent_timeout_sec"),
    ("agent", "user", "1000", "refuse phase-user"),
    ("agent", "user", '"root"', "harbor_agent_user"),
    ("agent", "network_mode", '"allowlist"', "note S004"),
    ("agent", "allowed_hosts", "[]", "harbor_agent_allowed_hosts"),
    ("environment", "build_timeout_sec", "900.0", "harbor_build_timeout_sec"),
    ("environment", "docker_image", f'"{PINNED}"', "image"),
    ("environment", "os", '"Linux"', ""),
    ("environment", "os", '"Windows"', "refuse windows"),
    ("environment", "cpus", "2", "harbor_cpus"),
    ("environment", "memory_mb", "2048", "harbor_memory_mb"),
    ("environment", "storage_mb", "10240", "harbor_storage_mb"),
    ("environment", "memory", '"2G"', "harbor_memory"),
    ("environment", "storage", '"512M"', "harbor_storage"),
    ("environment", "gpus", "0", "harbor_gpus"),
    ("environment", "gpus", "1", "refuse gpu-only"),
    ("environment", "gpu_types", '["H100"]', "note S011"),
    ("environment", "tpu", '{type = "v5e", topology = "2x4"}', "refuse gpu-only"),
    ("environment", "allow_internet", "true", "harbor_allow_internet"),
    ("environment", "allow_internet", "false", "note S004"),
    ("environment", "network_mode", '"public"', "harbor_network_mode"),
    ("environment", "network_mode", '"no-network"', "note S004"),
    ("environment", "allowed_hosts", '["10.0.0.0/8"]', "harbor_allowed_hosts"),
    ("environment", "mcp_servers", "[]", "harbor_mcp_servers"),
    ("environment", "mcp_servers", '[{name = "m", url = "http://m"}]', "refuse mcp-sidecar"),
    ("environment", "env", '{A = "1"}', "environment_env"),
    ("environment", "skills_dir", '"/skills"', "note S006"),
    ("environment", "healthcheck", '{command = "true"}', "note S005"),
    ("environment", "workdir", '"/srv"', "workdir"),
    ("solution", "env", '{A = "1"}', "solution_env"),
]


def read(tmp_path: Path, toml: str) -> SourceTask:
    return load(make_task(tmp_path / "reef", toml=toml))


def with_field(table: str, key: str, value: str) -> str:
    return f"[{table}]\n{key} = {value}\n" if table else f"{key} = {value}\n"


@pytest.mark.parametrize(("table", "key", "value", "becomes"), GOOD)
def test_what_becomes_of_a_field(tmp_path: Path, table: str, key: str, value: str, becomes: str) -> None:
    task = read(tmp_path, with_field(table, key, value))
    what, _, code = becomes.partition(" ")
    assert codes(task) == ({code} if what == "refuse" else set())
    assert not notes(task) - {"S003"} - ({code} if what == "note" else set()) - {"S103", "S010"}
    if what == "note":
        assert code in notes(task)
    elif what and what != "refuse":
        assert task.metadata.get(what) or what in task.metadata or getattr(task, what)


def test_the_table_above_knows_every_key() -> None:
    tables = {("", key) for key in (*FIELDS, "metadata")}
    keys = {(table, key) for table, fields in FIELDS.items() for key in fields}
    assert keys - tables == {(table, key) for table, key, _, _ in GOOD}


@pytest.mark.parametrize(("act", "word"), [(Act.REFUSED, "refuse"), (Act.WARNED, "note")])
def test_a_field_is_listed_as_refused_or_warned_about_if_and_only_if_some_value_is(act: Act, word: str) -> None:
    listed = {(table, key) for table, fields in FIELDS.items() for key in fields if fields[key].act is act}
    seen = {(table, key) for table, key, _, becomes in GOOD if becomes.startswith(word)}
    assert listed == seen - {("", "schema_version"), ("verifier", "collect")}


KEPT = [(table, key, value) for table, key, value, _ in GOOD if FIELDS[table][key].keep_as]


@pytest.mark.parametrize(("table", "key", "value"), KEPT)
def test_a_kept_field_is_in_the_metadata_even_where_it_is_refused(
    tmp_path: Path, table: str, key: str, value: str
) -> None:
    assert FIELDS[table][key].keep_as in read(tmp_path, with_field(table, key, value)).metadata


def test_a_field_that_is_not_kept_is_used_or_dropped_for_a_reason() -> None:
    lost = {key for fields in FIELDS.values() for key, known in fields.items() if known.act is Act.DROPPED}
    assert lost == {"version", "schema_version"}


BAD = [
    ("", "version", "1.0"),
    ("", "artifacts", '["/a", {destination = "b"}]'),
    ("", "steps", "[1]"),
    ("", "verifier", '"pytest"'),
    ("verifier", "timeout_sec", '"soon"'),
    ("verifier", "env", "{A = 1}"),
    ("verifier", "environment_mode", '"own"'),
    ("verifier", "collect", '[{service = "main"}]'),
    ("agent", "user", "true"),
    ("environment", "os", '"beos"'),
    ("environment", "cpus", "[2]"),
    ("environment", "memory_mb", "2048.5"),
    ("environment", "memory", '"2GB"'),
    ("environment", "memory", '"2Gi"'),
    ("environment", "network_mode", '"none"'),
    ("environment", "docker_image", "7"),
    ("environment", "mcp_servers", '[{url = "http://m"}]'),
    ("environment", "healthcheck", "{retries = 3}"),
    ("environment", "workdir", '"app"'),
]


@pytest.mark.parametrize(("table", "key", "value"), BAD)
def test_what_harbor_rejects_is_refused_by_name(tmp_path: Path, table: str, key: str, value: str) -> None:
    task = read(tmp_path, with_field(table, key, value))
    assert codes(task) == {"bad-field"}
    assert (f"{table}.{key}" if table else key) in sentence(task, "bad-field")


@pytest.mark.parametrize(
    ("table", "key", "value"),
    [
        ("verifier", "timeout_sec", '"600"'),
        ("environment", "memory_mb", '"2048"'),
        ("environment", "memory", "2"),
        ("environment", "allow_internet", '"yes"'),
    ],
)
def test_what_harbor_reads_in_spite_of_its_type_is_read(tmp_path: Path, table: str, key: str, value: str) -> None:
    assert codes(read(tmp_path, with_field(table, key, value))) == set()


def test_a_size_in_both_spellings_must_agree(tmp_path: Path) -> None:
    assert not codes(read(tmp_path / "1", '[environment]\nmemory = "2G"\nmemory_mb = 2048\n'))
    assert codes(read(tmp_path / "2", '[environment]\nmemory = "2G"\nmemory_mb = 1024\n')) == {"bad-field"}


def test_a_shared_verifier_with_an_environment_is_what_harbor_rejects(tmp_path: Path) -> None:
    task = read(tmp_path, '[verifier]\nenvironment_mode = "shared"\nenvironment = {}\n')
    assert codes(task) == {"bad-field"}


@pytest.mark.parametrize("value", ["0", "0.0", "-1", "nan", "inf", "-inf", "9223372037", "true", '"-5"'])
def test_a_timeout_that_no_verifier_can_use_is_refused(tmp_path: Path, value: str) -> None:
    task = read(tmp_path, f"[verifier]\ntimeout_sec = {value}\n")
    assert codes(task) == {"bad-timeout"} and task.timeout_sec is None


@pytest.mark.parametrize(("value", "seconds"), [("0.25", 0.25), ("600", 600.0), ('"90.5"', 90.5)])
def test_a_timeout_is_kept_as_stated(tmp_path: Path, value: str, seconds: float) -> None:
    task = read(tmp_path, f"[verifier]\ntimeout_sec = {value}\n")
    assert task.timeout_sec == seconds
    assert notes(task) == ({"S013"} if value.startswith('"') else set())


def test_no_timeout_is_none_and_noted(tmp_path: Path) -> None:
    task = read(tmp_path, "")
    assert task.timeout_sec is None and notes(task) == {"S003"}


def test_an_unknown_key_is_named_wherever_it_stands(tmp_path: Path) -> None:
    task = read(tmp_path, '[environment]\nimage = "x"\n[resources]\ncpus = 1\n')
    assert [finding.message.rpartition(": ")[2] for finding in task.findings if finding.code == "S001"] == [
        "resources",
        "environment.image",
    ]


def test_metadata_keeps_its_types_and_its_own_keys(tmp_path: Path) -> None:
    toml = "[metadata]\nwhen = 2024-05-01\nscores = [1, 2.5]\n[metadata.deep.er]\nyes = true\n"
    metadata = read(tmp_path, toml).metadata
    assert str(metadata["when"]) == "2024-05-01"
    assert (metadata["scores"], metadata["deep"]) == ([1, 2.5], {"er": {"yes": True}})


def test_the_metadata_names_author_and_tags_first(tmp_path: Path) -> None:
    toml = '[metadata]\ntags = ["own"]\n[task]\nkeywords = ["other"]\nauthors = [{name = "Ann"}]\n'
    metadata = read(tmp_path, toml).metadata
    assert (metadata["tags"], metadata["author_name"]) == (["own"], "Ann")


def test_metadata_that_looks_like_a_harbor_field_is_kept_beside_it(tmp_path: Path) -> None:
    task = read(tmp_path, "[metadata]\nharbor_cpus = 8\n[environment]\ncpus = 2\n")
    assert (task.metadata["harbor_cpus"], task.metadata["harbor_field_environment_cpus"]) == (8, 2)
    assert "S012" in notes(task)


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("plain", EnvValue(literal="plain")),
        ("", EnvValue(literal="")),
        ("a-${NAME}", EnvValue(literal="a-${NAME}")),
        ("${NAME} ", EnvValue(literal="${NAME} ")),
        ("$NAME", EnvValue(literal="$NAME")),
        ("${NAME}", EnvValue(variable="NAME")),
        ("${NAME:-}", EnvValue(variable="NAME", default="")),
        ("${NAME:-a b}", EnvValue(variable="NAME", default="a b")),
    ],
)
def test_environment_values(tmp_path: Path, text: str, meaning: EnvValue) -> None:
    assert read(tmp_path, f'[solution]\nenv = {{X = "{text}"}}\n').solution_env == {"X": meaning}


def test_a_host_variable_of_a_script_is_noted_and_one_of_the_container_refused(tmp_path: Path) -> None:
    script = read(tmp_path / "1", '[verifier.env]\nJUDGE_API_KEY = "${JUDGE_API_KEY}"\n')
    assert not codes(script) and {"S008", "S009"} <= notes(script)
    root = make_task(tmp_path / "2", {"tests/test.sh": "echo $REGION"}, toml='[environment.env]\nREGION = "${R}"\n')
    assert [(refusal.code, refusal.allowable) for refusal in load(root).refusals] == [("host-variable", True)]


def test_a_host_variable_that_no_file_names_or_that_has_a_default_is_not_refused(tmp_path: Path) -> None:
    unused = read(tmp_path / "1", '[environment.env]\nREGION = "${REGION}"\n')
    assert not codes(unused) and "S014" in notes(unused) and unused.environment_env == {}
    files = {"tests/test.sh": "echo $REGION"}
    root = make_task(tmp_path / "2", files, toml='[environment.env]\nREGION = "${REGION:-north}"\n')
    assert not codes(load(root)) and "S014" not in notes(load(root))


@pytest.mark.parametrize(
    ("toml", "code"),
    [
        ("[verifier\n", "bad-toml"),
        ("a = 1\na = 2\n", "bad-toml"),
        ("\ufeff[verifier]\n", "bad-toml"),
        ("a = " + "[" * 2000 + "\n", "bad-toml"),
        ("[verifier]\ntimeout_sec = {verifier_timeout}\n", "template"),
        ("[verifier]\ntimeout_sec = {{ timeout }}\n", "template"),
        ('[task]\nname = "coast/{{ name }}"\n', "template"),
        ('[task]\nname = "__TASK_NAME__"\n', "template"),
        ('[environment]\ndocker_image = "{image}"\n', "template"),
    ],
)
def test_a_file_that_is_no_configuration(tmp_path: Path, toml: str, code: str) -> None:
    assert codes(read(tmp_path, toml)) == {code}


def test_the_line_of_a_broken_file_is_named(tmp_path: Path) -> None:
    assert "line 3" in sentence(read(tmp_path, "[verifier]\n\nx = \n"), "bad-toml")


def test_defects_of_one_kind_are_one_refusal(tmp_path: Path) -> None:
    task = read(tmp_path, '[agent]\nuser = true\n[environment]\nos = "beos"\n')
    (refusal,) = task.refusals
    assert "agent.user" in refusal.sentence and "environment.os" in refusal.sentence


@pytest.mark.parametrize(
    ("key", "value"),
    [("name", '"reef"'), ("name", '"coast/..reef"'), ("version", '""'), ("authors", '[{email = "a@example.org"}]')],
)
def test_an_identity_that_harbor_rejects_decides_nothing_and_is_kept(tmp_path: Path, key: str, value: str) -> None:
    task = read(tmp_path, with_field("task", key, value))
    assert not task.refusals and "S015" in notes(task)
    assert f"harbor_task_{key}" in task.metadata


def test_every_note_is_a_sentence_with_a_code_of_its_family() -> None:
    assert all(sentence.endswith(".") and code[0] == "S" for code, (_, sentence) in NOTES.items())
    assert list(NOTES) == sorted(NOTES)
