"""One Harbor task, read whole."""

from __future__ import annotations

from itertools import chain
from typing import Final

from skill.errors import SourceError
from skill.sources.base import SourceTask, TaskRef
from skill.sources.harbor.compose import COMPOSE, OTHER_NAMES, Compose, read_compose
from skill.sources.harbor.config import Config, read_config
from skill.sources.harbor.demands import judge_demands, timeout
from skill.sources.harbor.env import env_table, judge_env
from skill.sources.harbor.files import Entries, Part, read_bytes, read_part, single_file, task_entries
from skill.sources.harbor.ignore import apply_ignore
from skill.sources.harbor.image import plan_image
from skill.sources.harbor.notes import Remarks, merged
from skill.sources.harbor.prompt import Prompt, describe, read_prompt

MAX_TOML: Final = 1_048_576
KNOWN: Final = frozenset(
    {"task.toml", "instruction.md", "environment", "tests", "solution", "trajectory.json", ".harborignore"}
)


def read_task(ref: TaskRef) -> SourceTask:
    """The task at ``ref``; its defects are refusals. Raises SourceError when the folder cannot be listed."""
    root = str(ref.root.resolve())
    try:
        entries = task_entries(root)
    except OSError as error:
        raise SourceError(ref.root, f"cannot be listed: {error.strerror}", "scan the dataset again") from error
    config = _config(root, entries)
    tests, solution, environment = (read_part(root, entries, name) for name in ("tests", "solution", "environment"))
    apply_ignore(root, entries, tests, solution)
    prompt = Prompt() if config.get("", "steps") else read_prompt(root, entries)
    compose = _compose(environment, config)
    workdir = config.text("environment", "workdir") or compose.workdir
    image = plan_image(config.text("environment", "docker_image"), compose.image, environment, workdir)
    env = {**compose.env, **env_table(config.get("environment", "env"))}
    verifier_env, solution_env = (env_table(config.get(table, "env")) for table in ("verifier", "solution"))
    demands = judge_demands(config, entries, tests)
    seconds = timeout(config, demands)
    said: list[Remarks] = [
        config, demands, prompt, tests, solution, environment, compose, image,
        judge_env(env, verifier_env, solution_env), _leftovers(entries, config, tests, solution, environment),
    ]  # fmt: skip
    return SourceTask(
        ref=ref,
        framework="harbor",
        prompt=prompt.file,
        description=describe(prompt.data, config.text("task", "description") or ""),
        metadata=config.metadata,
        image=image.image,
        dockerfile=image.dockerfile,
        generated_dockerfile=image.generated,
        environment=tuple(environment.files),
        empty_dirs=tuple(environment.empty_dirs),
        tests=tuple(tests.files),
        solution=tuple(solution.files),
        workdir=workdir,
        timeout_sec=seconds,
        verifier_env=verifier_env,
        solution_env=solution_env,
        environment_env=env,
        pre_verify=tuple(str(hook["command"]) for hook in config.rows("verifier", "collect")),
        refusals=merged(chain.from_iterable(part.refusals for part in said)),
        questions=tuple(image.questions),
        findings=tuple(chain.from_iterable(part.findings for part in said)),
    )


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
    return Compose() if data is None else read_compose(data, env_table(config.get("environment", "env")))


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
