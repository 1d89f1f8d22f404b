"""One Harbor task, read whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Final

from skill.sources.base import Origin, SourceTask, TaskRef
from skill.sources.compose import read_compose
from skill.sources.dialect import COMPOSE, OTHER_NAMES, Compose
from skill.sources.files import Entries, Part, listed_task, read_bytes, read_part, single_file
from skill.sources.harbor.compose import HARBOR_COMPOSE
from skill.sources.harbor.config import Config, read_config
from skill.sources.harbor.demands import Demands, judge_demands
from skill.sources.harbor.env import Environments, env_table, read_env
from skill.sources.harbor.ignore import apply_ignore
from skill.sources.harbor.kinds import as_number
from skill.sources.harbor.prompt import read_prompt
from skill.sources.image import ImagePlan, plan_image
from skill.sources.notes import Remarks, merged
from skill.sources.prompt import Prompt, describe
from skill.sources.weight import weigh

MAX_TOML: Final = 1_048_576
PARTS: Final = ("tests", "solution", "environment")
KNOWN: Final = frozenset(
    {"task.toml", "instruction.md", "environment", "tests", "solution", "trajectory.json", ".harborignore"}
)


@dataclass(frozen=True)
class _Reading:
    """The parts of a task, each with what it has to say."""

    config: Config
    prompt: Prompt
    tests: Part
    solution: Part
    environment: Part
    compose: Compose
    image: ImagePlan
    env: Environments
    demands: Demands
    leftovers: Remarks

    def remarks(self) -> Iterator[Remarks]:
        return (getattr(self, part.name) for part in fields(self))


def read_task(ref: TaskRef) -> SourceTask:
    """The task at ``ref``; its defects are refusals. Raises SourceError when the folder cannot be listed."""
    task = _read(ref)
    return SourceTask(
        ref=ref,
        framework="harbor",
        prompt=task.prompt.file,
        description=describe(task.prompt.data, task.config.text("task", "description") or ""),
        metadata=task.config.metadata,
        image=task.image.image,
        dockerfile=task.image.dockerfile,
        generated_dockerfile=task.image.generated,
        environment=tuple(task.environment.files),
        empty_dirs=tuple(task.environment.empty_dirs),
        tests=tuple(task.tests.files),
        solution=tuple(task.solution.files),
        workdir=task.image.workdir,
        timeout_sec=task.demands.timeout,
        verifier_env=task.env.verifier,
        solution_env=task.env.solution,
        environment_env=task.env.container,
        pre_verify=tuple(str(hook["command"]) for hook in task.config.rows("verifier", "collect")),
        agent_user=_user(task.config, "agent"),
        verifier_user=_user(task.config, "verifier"),
        agent_timeout_sec=as_number(task.config.get("agent", "timeout_sec") or 0) or None,
        refusals=merged(refusal for part in task.remarks() for refusal in part.refusals),
        questions=tuple(task.image.questions),
        findings=tuple(finding for part in task.remarks() for finding in part.findings),
    )


def read_origin(ref: TaskRef) -> Origin:
    """Where the container of the task at ``ref`` comes from; raises SourceError as `read_task` does."""
    root, entries = listed_task(ref)
    config, environment = _config(root, entries), read_part(root, entries, "environment")
    image = _image(config, _compose(environment, config), environment)
    return Origin(image.image, image.dockerfile, environment.find("Dockerfile") is not None, image.workdir)


def _image(config: Config, compose: Compose, environment: Part) -> ImagePlan:
    workdir = config.text("environment", "workdir") or compose.workdir
    return plan_image(config.text("environment", "docker_image"), compose.image, environment, workdir)


def _read(ref: TaskRef) -> _Reading:
    root, entries = listed_task(ref)
    config = _config(root, entries)
    tests, solution, environment = (read_part(root, entries, name) for name in PARTS)
    for part in (tests, solution, environment):
        weigh(part)
    apply_ignore(root, entries, tests, solution)
    prompt = Prompt() if config.get("", "steps") else read_prompt(root, entries)
    compose = _compose(environment, config)
    image = _image(config, compose, environment)
    files = (*environment.files, *tests.files, *solution.files, *([prompt.file] if prompt.file else []))
    env = read_env(config, compose.env, files)
    demands = judge_demands(config, entries, tests)
    leftovers = _leftovers(entries, config, tests, solution, environment)
    return _Reading(config, prompt, tests, solution, environment, compose, image, env, demands, leftovers)


def _user(config: Config, table: str) -> str:
    value = config.get(table, "user")
    return "" if value is None else str(value)


def _config(root: str, entries: Entries) -> Config:
    file, part = single_file(root, entries, "task.toml")
    data = read_bytes(file, part) if file else None
    if file is None and not part.refusals:
        part.refuse("bad-toml", "task.toml is not there")
    if file is not None and file.size > MAX_TOML:
        part.refuse("bad-toml", f"task.toml holds {file.size} bytes, which no configuration does")
    return read_config(data) if data is not None and not part.refusals else Config(part.refusals)


def _compose(environment: Part, config: Config) -> Compose:
    file = environment.find(COMPOSE)
    data = read_bytes(file, environment) if file else None
    known = env_table(config.get("environment", "env"))
    return Compose() if data is None else read_compose(data, known, HARBOR_COMPOSE)


def _leftovers(entries: Entries, config: Config, tests: Part, solution: Part, environment: Part) -> Remarks:
    """What lies in the task folder and plays another part than its name suggests, or none."""
    remarks = Remarks()
    used = KNOWN | {"steps"} if config.get("", "steps") else KNOWN
    if extra := sorted(set(entries) - used):
        remarks.note("S303", ".", ", ".join(ascii(name)[1:-1] for name in extra[:8]))
    if solution.files and not solution.find("solve.sh"):
        remarks.note("S306", "solution/")
    for name in ("Dockerfile", COMPOSE):
        if tests.find(name):
            remarks.note("S307", f"tests/{name}")
    for name in OTHER_NAMES:
        if environment.find(name):
            remarks.note("S110", f"environment/{name}")
    for folder in environment.empty_dirs:
        remarks.note("S302", environment.place(folder))
    return remarks
