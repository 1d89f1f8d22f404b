"""One Harbor task, read whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

from skill.contract import MAX_TIMEOUT_SECONDS
from skill.errors import SourceError
from skill.finding import Finding
from skill.sources.base import Refusal, SourceFile, SourceTask, TaskRef
from skill.sources.harbor.compose import Compose, read_compose
from skill.sources.harbor.config import Config, read_config
from skill.sources.harbor.demands import demand_findings, refused_demands
from skill.sources.harbor.env import env_findings, env_table, environment_refusals
from skill.sources.harbor.fields import as_number
from skill.sources.harbor.files import Part, read_part, single_file
from skill.sources.harbor.ignore import apply_ignore
from skill.sources.harbor.image import plan_image
from skill.sources.harbor.notes import note
from skill.sources.harbor.prompt import describe, prompt_findings

COMPOSE: Final = "docker-compose.yaml"
KNOWN: Final = frozenset({"task.toml", "instruction.md", "environment", "tests", "solution", "trajectory.json",
                          ".harborignore", ".gitignore"})  # fmt: skip


def read_task(ref: TaskRef) -> SourceTask:
    """The task at ``ref``; its defects are refusals. Raises SourceError when the folder is no longer there."""
    root = os.path.realpath(ref.root)
    try:
        names = frozenset(os.listdir(root))
    except OSError as error:
        raise SourceError(ref.root, f"cannot be listed: {error.strerror}", "scan the dataset again") from error
    config, config_refusals = _config(root)
    tests, solution, environment = (read_part(root, name) for name in ("tests", "solution", "environment"))
    apply_ignore(root, names, tests, solution)
    prompt, text, prompt_refusals = _prompt(root, config)
    compose = _compose(environment, config)
    stated = config.text("environment", "workdir")
    workdir = stated or compose.workdir
    plan = plan_image(config.text("environment", "docker_image") or compose.image, environment, workdir)
    env = {**compose.env, **env_table(config.get("environment", "env"))}
    timeout, timeout_refusals = _timeout(config)
    verifier_env, solution_env = (env_table(config.get(table, "env")) for table in ("verifier", "solution"))
    return SourceTask(
        ref=ref,
        framework="harbor",
        prompt=prompt,
        description=describe(text, config.text("task", "description") or ""),
        metadata=config.metadata,
        image=plan.image,
        dockerfile=plan.dockerfile,
        generated_dockerfile=plan.generated,
        environment=tuple(environment.files),
        empty_dirs=tuple(environment.empty_dirs),
        tests=tuple(tests.files),
        solution=tuple(solution.files),
        workdir=workdir,
        timeout_sec=timeout,
        verifier_env=verifier_env,
        solution_env=solution_env,
        environment_env=env,
        pre_verify=tuple(_collect(config)),
        refusals=(
            *config_refusals,
            *config.refusals,
            *refused_demands(config, names),
            *prompt_refusals,
            *_verifier(config, tests, names),
            *(refusal for part in (tests, solution, environment) for refusal in part.refusals),
            *compose.refusals,
            *plan.refusals,
            *environment_refusals(env),
            *timeout_refusals,
            *_workdir(workdir),
        ),
        questions=tuple(plan.questions),
        findings=(
            *config.findings,
            *demand_findings(config),
            *env_findings(verifier_env, "verifier.env"),
            *env_findings(solution_env, "solution.env"),
            *prompt_findings(text),
            *compose.findings,
            *plan.findings,
            *(finding for part in (tests, solution, environment) for finding in part.findings),
            *_file_findings(names, tests, solution, environment),
            *([note("S003", "task.toml")] if timeout is None and not timeout_refusals else []),
        ),
    )


def _config(root: str) -> tuple[Config, list[Refusal]]:
    file, refusal = single_file(root, "task.toml")
    if file is None:
        return Config(), [refusal or Refusal("bad-toml", "task.toml is not there")]
    try:
        return read_config(file.host.read_bytes()), []
    except OSError as error:
        return Config(), [Refusal("unreadable", f"task.toml cannot be read: {error.strerror}")]


def _prompt(root: str, config: Config) -> tuple[SourceFile | None, bytes, list[Refusal]]:
    file, refusal = single_file(root, "instruction.md")
    if file is None:
        if config.get("", "steps") and refusal is None:
            return None, b"", []
        return None, b"", [refusal or Refusal("no-prompt", "there is no instruction.md")]
    try:
        data = file.host.read_bytes()
    except OSError as error:
        return file, b"", [Refusal("unreadable", f"instruction.md cannot be read: {error.strerror}")]
    if not data.decode("utf-8", "replace").strip():
        return file, data, [Refusal("empty-prompt", "instruction.md has no text, and Margin takes no empty prompt")]
    return file, data, []


def _compose(environment: Part, config: Config) -> Compose:
    file = environment.find(COMPOSE)
    if file is None:
        return Compose()
    try:
        return read_compose(file.host.read_bytes(), env_table(config.get("environment", "env")))
    except OSError as error:
        reason = f"environment/{COMPOSE} cannot be read: {error.strerror}"
        return Compose(refusals=[Refusal("unreadable", reason)])


def _timeout(config: Config) -> tuple[float | None, list[Refusal]]:
    value = config.get("verifier", "timeout_sec")
    if value is None:
        return None, []
    seconds = as_number(value)
    if seconds is None or isinstance(value, bool) or not 0 < seconds <= MAX_TIMEOUT_SECONDS:
        return None, [Refusal("bad-timeout", f"verifier.timeout_sec = {value!r:.40} gives no verifier any time it can use")]
    return seconds, []


def _collect(config: Config) -> Iterator[str]:
    collect = config.get("verifier", "collect")
    for item in collect if isinstance(collect, list) else ():
        if isinstance(item, dict) and isinstance(command := item.get("command"), str):
            yield command


def _workdir(workdir: str | None) -> Iterator[Refusal]:
    if workdir is not None and not workdir.startswith("/"):
        yield Refusal("bad-field", f"the working directory {workdir!r:.60} is not absolute; Docker refuses it")


def _verifier(config: Config, tests: Part, names: frozenset[str]) -> Iterator[Refusal]:
    if tests.find("test.sh") or any("test.sh" in refusal.sentence for refusal in tests.refusals):
        return
    unknown = [finding.message for finding in config.findings if finding.code == "S001"]
    if tests.find("test.bat"):
        yield Refusal("windows", "tests/ has a test.bat and no test.sh")
    elif config.get("", "steps"):
        return
    elif any(message.endswith(("[verifier] command", "verification")) for message in unknown):
        yield Refusal("lookalike", "tests/test.sh is not there; the command in task.toml is nothing that Harbor runs")
    elif "test.sh" in names:
        yield Refusal("lookalike", "test.sh lies at the top of the task, where Harbor does not look; it wants tests/test.sh")
    else:
        held = ", ".join(file.path for file in tests.files[:3])
        yield Refusal("no-verifier", "tests/test.sh is not there" + (f" (tests/ holds {held})" if held else ""))


def _file_findings(names: frozenset[str], tests: Part, solution: Part, environment: Part) -> Iterator[Finding]:
    extra = sorted(names - KNOWN)
    if extra:
        yield note("S303", ".", ", ".join(ascii(name)[1:-1] for name in extra[:8]))
    if solution.files and not solution.find("solve.sh"):
        yield note("S306", "solution/")
    for name in ("Dockerfile", COMPOSE):
        if tests.find(name):
            yield note("S307", f"tests/{name}")
    for name in ("docker-compose.yml", "compose.yaml", "compose.yml"):
        if environment.find(name):
            yield note("S110", f"environment/{name}")
    for folder in environment.empty_dirs:
        yield note("S302", f"environment/{folder}")
