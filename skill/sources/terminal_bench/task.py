"""One Terminal-Bench task, read whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Final

from skill.sources.base import Launch, Origin, SourceFile, SourceTask, TaskRef
from skill.sources.compose import read_compose
from skill.sources.dialect import COMPOSE, OTHER_NAMES, Compose
from skill.sources.files import Entries, Part, listed_task, read_bytes, single_file
from skill.sources.image import ImagePlan, plan_image
from skill.sources.notes import Remarks, merged
from skill.sources.prompt import Prompt, describe, look_at
from skill.sources.terminal_bench.compose import TERMINAL_BENCH_COMPOSE
from skill.sources.terminal_bench.config import PATH, Config, read_config
from skill.sources.terminal_bench.context import Context, read_context
from skill.sources.terminal_bench.solution import KEYSTROKES, read_solution
from skill.sources.terminal_bench.verifier import ENTRY, SCRIPT, read_tests
from skill.sources.weight import weigh
from skill.verifier.base import Asset
from skill.verifier.split import understood
from skill.verifier.summary import never_passes

MAX_YAML: Final = 4_194_304
SOLUTION: Final = "/oracle/solution.sh"
KNOWN: Final = frozenset({PATH, SCRIPT, "tests", "solution.sh", KEYSTROKES, COMPOSE, *OTHER_NAMES})


@dataclass
class _Reading:
    """The parts of a task, each with what it has to say."""

    config: Config
    prompt: Prompt
    tests: Part
    solution: Part
    compose: Compose
    environment: Part
    image: ImagePlan
    rest: Remarks = field(default_factory=Remarks)

    def remarks(self) -> Iterator[Remarks]:
        return (getattr(self, part.name) for part in fields(self))


def read_task(ref: TaskRef) -> SourceTask:
    """The task at ``ref``; its defects are refusals. Raises SourceError when the folder cannot be listed."""
    task = _read(ref)
    return SourceTask(
        ref=ref,
        framework="terminal-bench",
        prompt=task.prompt.file,
        description=describe(task.prompt.data),
        metadata=task.config.metadata,
        image=task.image.image,
        dockerfile=task.image.dockerfile,
        generated_dockerfile=task.image.generated,
        environment=tuple(task.environment.files),
        empty_dirs=tuple(task.environment.empty_dirs),
        tests=tuple(task.tests.files),
        solution=tuple(task.solution.files),
        workdir=task.image.workdir,
        timeout_sec=task.config.test_seconds,
        environment_env=task.compose.env,
        agent_timeout_sec=task.config.agent_seconds,
        launch=Launch(with_bash=True, solution=SOLUTION, parser=task.config.parser),
        refusals=merged(refusal for part in task.remarks() for refusal in part.refusals),
        findings=tuple(finding for part in task.remarks() for finding in part.findings),
    )


def read_origin(ref: TaskRef) -> Origin:
    """Where the container of the task at ``ref`` comes from; raises SourceError as `read_task` does."""
    root, entries = listed_task(ref)
    compose, _ = _compose(root, entries)
    context = read_context(root, entries, compose)
    image = _image(compose, context)
    return Origin(image.image, image.dockerfile, context.part.find("Dockerfile") is not None, image.workdir)


def _read(ref: TaskRef) -> _Reading:
    root, entries = listed_task(ref)
    config, file = _config(root, entries)
    compose, has_compose = _compose(root, entries)
    context = read_context(root, entries, compose)
    image = _image(compose, context)
    tests, solution = read_tests(root, entries), read_solution(root, entries)
    for part in (context.part, tests, solution):
        weigh(part)
    task = _Reading(config, _prompt(config, file), tests, solution, compose, context.part, image)
    _context_remarks(task.rest, context)
    if config.parser == "pytest" and not tests.refusals:
        _passes(task.rest, tests)
    if not has_compose and not task.compose.refusals:
        _no_compose(task.rest, entries)
    if extra := sorted(_extra(entries, task)):
        task.rest.note("S303", ".", ", ".join(ascii(name)[1:-1] for name in extra[:8]))
    return task


def _config(root: str, entries: Entries) -> tuple[Config, SourceFile | None]:
    file, part = single_file(root, entries, PATH)
    if file is not None and file.size > MAX_YAML:
        part.refuse("bad-yaml", f"{PATH} holds {file.size} bytes, which no configuration does")
    if file is None and not part.refusals:
        part.refuse("bad-yaml", f"{PATH} is not there")
    data = read_bytes(file, part) if file and not part.refusals else None
    return (read_config(data) if data is not None else Config(part.refusals)), file


def _prompt(config: Config, file: SourceFile | None) -> Prompt:
    """The text of the instruction as a file of its own; it is refused where it is blank."""
    prompt = Prompt()
    if config.prompt is None or file is None:
        return prompt
    prompt.data = config.prompt.encode("utf-8", "surrogatepass")
    prompt.file = SourceFile(PATH, file.host, len(prompt.data), 0o644, data=prompt.data, by="instruction")
    look_at(prompt, prompt.data, PATH)
    return prompt


def _compose(root: str, entries: Entries) -> tuple[Compose, bool]:
    file, part = single_file(root, entries, COMPOSE)
    data = read_bytes(file, part) if file else None
    if data is None:
        return Compose(part.refusals, part.findings, TERMINAL_BENCH_COMPOSE, "client"), file is not None
    return read_compose(data, {}, TERMINAL_BENCH_COMPOSE), True


def _passes(remarks: Remarks, tests: Part) -> None:
    """Refuse tests that the harness can never count as passed."""
    held = {file.path: read_bytes(file, tests) or b"" for file in tests.files}
    script, _ = understood(held.pop(ENTRY, b""))
    if not script.broken and never_passes(script, tuple(Asset(path, data, 0o644) for path, data in held.items())):
        said = f"{SCRIPT} has pytest name only tests that fail (no -rA), and the harness solves nothing without a name"
        remarks.refuse("never-passes", said, allowable=True)


def _no_compose(remarks: Remarks, entries: Entries) -> None:
    remarks.note("S615", ".")
    for name in OTHER_NAMES:
        if name in entries:
            remarks.note("S110", name)


def _image(compose: Compose, context: Context) -> ImagePlan:
    own = context.part.find("Dockerfile")
    place = own.origin if own else "Dockerfile"
    plan = ImagePlan(path=place, folder=compose.context or "the task's folder", named_in=COMPOSE)
    return plan_image(None, compose.image, context.part, compose.workdir, plan)


def _context_remarks(remarks: Remarks, context: Context) -> None:
    own = context.part.find("Dockerfile")
    place = own.origin if own else "Dockerfile"
    if context.left_out:
        remarks.note("S612", place, ", ".join(context.left_out))
    if solutions := sorted(context.named & {"solution.sh", KEYSTROKES}):
        remarks.note("S109", place, ", ".join(solutions))
    if tests := sorted(context.named & {"tests", SCRIPT}):
        remarks.note("S613", place, ", ".join(tests))


def _extra(entries: Entries, task: _Reading) -> Iterator[str]:
    """Names at the top of the task that nothing of it is made of."""
    used = {(file.origin or file.path).partition("/")[0] for file in task.environment.files}
    return (name for name in entries if name not in KNOWN and name not in used)
