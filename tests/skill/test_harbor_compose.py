"""Compose files: folded when they only restate the main service, refused with the key named otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill.sources.base import EnvValue, SourceTask
from tests.support.harbor_tasks import TOML, codes, load, make_task, notes, sentence

RESTATED = """
services:
  main:
    build:
      context: ${CONTEXT_DIR}
      dockerfile: Dockerfile
    image: ${MAIN_IMAGE_NAME}
    pull_policy: build
    command: ["sh", "-c", "sleep infinity"]
    working_dir: /srv
    environment:
      - PORT=8080
      - LANG=C.UTF-8
    volumes:
      - ${HOST_VERIFIER_LOGS_PATH}:${ENV_VERIFIER_LOGS_PATH}
      - ${HOST_AGENT_LOGS_PATH}:${ENV_AGENT_LOGS_PATH}
    deploy:
      resources:
        limits:
          cpus: ${CPUS}
          memory: ${MEMORY}
    expose: ["8080"]
    tty: true
    stdin_open: true
"""


def read(tmp_path: Path, compose: str, toml: str = TOML, **files: str | None) -> SourceTask:
    return load(make_task(tmp_path / "reef", {"environment/docker-compose.yaml": compose, **files}, toml=toml))


def main(*lines: str) -> str:
    return "services:\n  main:\n    build: .\n" + "".join(f"    {line}\n" for line in lines)


def test_a_file_that_restates_the_main_service_is_folded(tmp_path: Path) -> None:
    task = read(tmp_path, RESTATED)
    assert not task.refusals and "S107" in notes(task)
    assert task.workdir == "/srv"
    assert task.environment_env == {"PORT": EnvValue("8080"), "LANG": EnvValue("C.UTF-8")}
    assert task.image is None and task.dockerfile is not None


def test_the_stated_directory_and_variables_win_over_the_compose_file(tmp_path: Path) -> None:
    task = read(tmp_path, RESTATED, '[environment]\nworkdir = "/own"\nenv = {PORT = "9"}\n')
    assert (task.workdir, task.environment_env["PORT"]) == ("/own", EnvValue("9"))


@pytest.mark.parametrize(
    "line",
    [
        "build: ./",
        "build: {context: .}",
        "command: sleep infinity",
        "command: tail -f /dev/null",
        "command: bash -c 'sleep 86400'",
        "labels: {a: b}",
        "restart: 'no'",
        "environment:",
        "deploy: {resources: {reservations: {memory: 1G}}}",
    ],
)
def test_what_changes_nothing_in_one_container_is_folded(tmp_path: Path, line: str) -> None:
    assert not codes(read(tmp_path, main(line)))


@pytest.mark.parametrize(("line", "key"), [("ports: ['8080:8080']", "ports"), ("platform: linux/amd64", "platform")])
def test_what_has_no_effect_is_noted(tmp_path: Path, line: str, key: str) -> None:
    task = read(tmp_path, main(line))
    assert not codes(task)
    assert any(found.code == "S108" and found.message.endswith(key) for found in task.findings)


@pytest.mark.parametrize(
    ("lines", "key"),
    [
        (["privileged: true"], "services.main.privileged"),
        (["cap_add: [NET_ADMIN]"], "services.main.cap_add"),
        (["devices: [/dev/fuse]"], "services.main.devices"),
        (["shm_size: 1g"], "services.main.shm_size"),
        (["sysctls: {a: 1}"], "services.main.sysctls"),
        (["extra_hosts: ['a:1.2.3.4']"], "services.main.extra_hosts"),
        (["network_mode: none"], "services.main.network_mode"),
        (["networks: [sea]"], "services.main.networks"),
        (["tmpfs: /tmp"], "services.main.tmpfs"),
        (["user: app"], "services.main.user"),
        (["entrypoint: /start"], "services.main.entrypoint"),
        (["secrets: [key]"], "services.main.secrets"),
        (["env_file: .env"], "services.main.env_file"),
        (["depends_on: [db]"], "services.main.depends_on"),
        (["healthcheck: {test: true}"], "services.main.healthcheck"),
        (["command: ./serve"], "services.main.command"),
        (["command: sleep 1 && ./serve"], "services.main.command"),
        (["volumes: ['${CONTEXT_DIR}/../..:/shared']"], "services.main.volumes"),
        (["volumes: [{type: bind, source: /, target: /host}]"], "services.main.volumes"),
        (["working_dir: $HOME"], "services.main.working_dir"),
        (["image: $OTHER"], "services.main.image"),
        (["deploy: {replicas: 2}"], "services.main.deploy"),
        (
            ["deploy: {resources: {reservations: {devices: [{driver: nvidia}]}}}"],
            "services.main.deploy.resources.reservations.devices",
        ),
        (["build: {context: .., args: {A: 1}}"], "services.main.build.args"),
        (["build: {context: ..}"], "services.main.build.context"),
        (["build: {context: ., dockerfile: Other}"], "services.main.build.dockerfile"),
        (["build: {context: ., target: dev}"], "services.main.build.target"),
        (["tty: true", "volumes_from: [x]"], "services.main.volumes_from"),
    ],
)
def test_any_other_key_is_refused_by_name(tmp_path: Path, lines: list[str], key: str) -> None:
    task = read(tmp_path, main(*lines))
    assert [(refusal.code, refusal.allowable) for refusal in task.refusals] == [("compose-feature", True)]
    assert f"{key} " in sentence(task, "compose-feature") and "S107" not in notes(task)


def test_a_key_beside_the_services_is_refused_by_name(tmp_path: Path) -> None:
    task = read(tmp_path, main("tty: true") + "networks: {sea: {}}\nx-mine: {}\nversion: '3'\n")
    assert "networks " in sentence(task, "compose-feature")


def test_other_services_are_named(tmp_path: Path) -> None:
    task = read(tmp_path, "services:\n  main: {build: .}\n  db: {image: postgres}\n  api: {image: x}\n")
    assert "api, db" in sentence(task, "several-services")
    assert not task.refusals[0].allowable


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "services: {}",
        "services: [main]",
        "services:\n  main: text",
        "a: [",
        "x: !!python/object:os.x {}",
        "\x00",
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path: Path, text: str) -> None:
    assert codes(read(tmp_path, text)) == {"bad-compose"}


@pytest.mark.parametrize(
    ("setting", "meaning"),
    [
        ("'plain'", EnvValue("plain")),
        ("5", EnvValue("5")),
        ("true", EnvValue("true")),
        ("'a$$b'", EnvValue("a$b")),
        ("${KNOWN}", EnvValue("sea")),
        ("x-$KNOWN-y", EnvValue("x-sea-y")),
        ("${FALLBACK}", EnvValue("shore")),
        ("${UNKNOWN:-dune}", EnvValue("dune")),
        ("${UNKNOWN}", EnvValue(variable="UNKNOWN")),
        ("", EnvValue(variable="NAME")),
    ],
)
def test_environment_values_are_filled_in_as_compose_does(tmp_path: Path, setting: str, meaning: EnvValue) -> None:
    toml = '[environment.env]\nKNOWN = "sea"\nFALLBACK = "${HOST:-shore}"\n'
    used = {"tests/test.sh": "echo $NAME"}
    task = read(tmp_path, main("environment:", f"  NAME: {setting}"), toml, **used)
    assert task.environment_env["NAME"] == meaning
    assert codes(task) == (set() if meaning.literal is not None else {"host-variable"})


def test_the_migrators_test_dir_is_left_out_because_harbor_leaves_it_empty(tmp_path: Path) -> None:
    task = read(tmp_path, main("environment: ['TEST_DIR=${TEST_DIR}', 'A=1']"))
    assert set(task.environment_env) == {"A"} and "S108" in notes(task)


def test_an_image_that_only_the_compose_file_names_is_the_image(tmp_path: Path) -> None:
    alone = read(tmp_path / "1", "services: {main: {image: 'debian:12'}}", **{"environment/Dockerfile": None})
    assert alone.image == "debian:12" and not alone.refusals
    built = read(tmp_path / "2", "services: {main: {image: 'mine:1'}}")
    assert built.image is None and not built.refusals


def test_a_compose_file_of_another_name_is_not_read(tmp_path: Path) -> None:
    task = load(make_task(tmp_path, {"environment/compose.yaml": "services: {a: {}, b: {}}"}))
    assert not task.refusals and "S110" in notes(task)
