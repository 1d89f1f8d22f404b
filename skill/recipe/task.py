"""A record as a source task: what the recipe says about it, as if a framework had said it.

The verifier is a plain script that is judged by the status of one command, so that the rules for such scripts, with
all their hardening and gates, hold for it as for any other.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from skill.recipe.errors import BadRecord
from skill.recipe.recipe import DATA, FileRule, PartRules, Recipe
from skill.recipe.schema import is_inside
from skill.recipe.tables import Record, field_of, value_at
from skill.recipe.template import filled, filled_with_words
from skill.sources.base import Refusal, SourceFile, SourceTask, TaskRef
from skill.sources.files import Part, read_part, task_entries
from skill.sources.image import plan_image
from skill.sources.notes import merged
from skill.sources.prompt import describe
from skill.toml import TomlValue

TAKEN: Final = {"environment": ("Dockerfile",), "tests": ("test.sh",), "solution": ("solve.sh",)}
TELLING: Final = 20  # letters from which a hidden value that is found in what the agent sees is no accident
SCRIPT: Final = """#!/bin/bash
{run}
if [ $? -eq 0 ]; then
  echo 1 > /logs/verifier/reward.txt
else
  echo 0 > /logs/verifier/reward.txt
fi
"""


def refused(ref: TaskRef, refusal: Refusal) -> SourceTask:
    """The source task of a record that cannot be one."""
    return SourceTask(
        ref=ref, framework="recipe", prompt=None, description="", metadata={}, image=None, dockerfile=None,
        environment=(), empty_dirs=(), tests=(), solution=(), workdir=None, timeout_sec=None,
        refusals=(refusal,),
    )  # fmt: skip


def task_of(recipe: Recipe, ref: TaskRef, record: Record, folder: Path) -> SourceTask:
    """The source task of ``record``; ``folder`` is where files of its own are. Raises BadRecord."""
    prompt = _file("prompt.md", filled(recipe.prompt, record).encode("utf-8", "surrogatepass"), ref)
    environment = _part(recipe, recipe.environment, "environment", record, ref, folder)
    if recipe.dockerfile:
        text = filled_with_words(recipe.files[recipe.dockerfile].decode(), record)
        environment.files.insert(0, _file("Dockerfile", text.encode(), ref))
    image = filled_with_words(recipe.image, record) if recipe.image else None
    plan = plan_image(image, None, environment, recipe.agent_cwd)
    tests = _part(recipe, recipe.verifier, "tests", record, ref, folder)
    script = recipe.files[recipe.script] if recipe.script else SCRIPT.format(run=recipe.run).encode()
    tests.files.append(_file("test.sh", script, ref, 0o755))
    solution = _part(recipe, recipe.oracle, "solution", record, ref, folder)
    if recipe.solve:
        solution.files.append(_file("solve.sh", recipe.files[recipe.solve], ref, 0o755))
    parts = (environment, plan, tests, solution)
    return SourceTask(
        ref=ref,
        framework="recipe",
        prompt=prompt,
        description=describe(prompt.read(), recipe.description),
        metadata=_metadata(recipe, record, ref),
        image=plan.image,
        dockerfile=plan.dockerfile,
        generated_dockerfile=plan.generated,
        environment=tuple(environment.files),
        empty_dirs=tuple(environment.empty_dirs),
        tests=tuple(tests.files),
        solution=tuple(solution.files),
        workdir=recipe.agent_cwd,
        timeout_sec=_timeout(recipe, record),
        refusals=merged([*(refusal for part in parts for refusal in part.refusals), *_against(recipe, record, prompt)]),
        findings=tuple(finding for part in parts for finding in part.findings),
    )


def _against(recipe: Recipe, record: Record, prompt: SourceFile) -> Iterator[Refusal]:
    """Fields that nobody spoke of, and hidden values that the prompt gives away."""
    if not prompt.read().strip():
        yield Refusal("empty-prompt", "the prompt has no text, and Margin takes no empty prompt")
    known = {name.split(".")[0] for name in recipe.used | recipe.unused} | recipe.used | recipe.unused
    own = set(recipe.rows.read) | {"_folder", "_key"}
    if extra := sorted(record.keys() - known - own):
        named = ", ".join(repr(name)[:40] for name in extra[:5])
        yield Refusal("unlisted-field", f"the record has fields that the recipe neither uses nor lists: {named}", True)
    text = prompt.read().decode("utf-8", "replace")
    for name in sorted(recipe.hidden):
        value = value_at(record, name)
        if isinstance(value, str) and len(value.strip()) >= TELLING and value.strip() in text:
            yield Refusal("answer-in-prompt", f"the prompt holds the whole value of the hidden field {name!r}", True)


def _part(recipe: Recipe, rules: PartRules, name: str, record: Record, ref: TaskRef, folder: Path) -> Part:
    part = Part(name=name, task=str(folder), exists=True)
    for rule in rules.files:
        _take(recipe, part, _placed(rule, record), record, ref, folder)
    if rules.data:
        table = {field: field_of(record, field) for field in rules.data}
        part.files.append(_file(DATA, _json(table), ref))
    paths = [file.path for file in part.files]
    if twice := sorted(path for path in set(paths) if paths.count(path) > 1 or path in TAKEN[name]):
        raise BadRecord(f"makes {name}/{twice[0]} a second time")
    return part


def _placed(rule: FileRule, record: Record) -> FileRule:
    path = filled(rule.path, record) if "{{" in rule.path else rule.path
    if not is_inside(path):
        raise BadRecord(f"{path!r:.60} is no path below the case")
    return replace(rule, path=path)


def _take(recipe: Recipe, part: Part, rule: FileRule, record: Record, ref: TaskRef, folder: Path) -> None:
    if rule.field:
        value = field_of(record, rule.field)
        data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else _json(value)
        part.files.append(_file(rule.path, data, ref))
    elif rule.copy:
        mode = 0o755 if rule.path.endswith(".sh") else 0o644
        part.files.append(_file(rule.path, recipe.files[rule.copy], ref, mode))
    else:
        _copy(part, rule, filled(rule.source, record), folder)


def _copy(part: Part, rule: FileRule, path: str, folder: Path) -> None:
    """Take a file or a whole folder of the source, as a framework's own would be taken."""
    parent, _, name = path.rpartition("/")
    if not is_inside(path):
        raise BadRecord(f"{path!r:.60} leads out of the source")
    place = folder / parent if parent else folder
    if not (place / name).resolve().is_relative_to(folder):
        raise BadRecord(f"{path!r:.60} leads out of the source")
    try:
        entries = task_entries(str(place))
    except OSError as error:
        raise BadRecord(f"{path} cannot be read: {error.strerror}") from error
    entry = entries.get(name)
    if entry is None:
        raise BadRecord(f"there is no {path}")
    if entry.is_dir():
        found = read_part(str(folder), entries, name)
        part.refusals += found.refusals
        part.findings += found.findings
        part.files += [_moved(file, f"{rule.path}/{file.path}") for file in found.files]
        part.empty_dirs += [f"{rule.path}/{below}" for below in found.empty_dirs]
        return
    status = entry.stat()
    host = Path(entry.path).resolve()
    part.files.append(SourceFile(rule.path, host, status.st_size, status.st_mode & 0o777))


def _moved(file: SourceFile, path: str) -> SourceFile:
    return SourceFile(path, file.host, file.size, file.mode, file.link, file.data)


def _file(path: str, data: bytes, ref: TaskRef, mode: int = 0o644) -> SourceFile:
    return SourceFile(path, ref.root, len(data), mode, data=data)


def _json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=True, indent=1, allow_nan=False, default=str) + "\n").encode()


def _timeout(recipe: Recipe, record: Record) -> float | None:
    if isinstance(recipe.timeout, int):
        return float(recipe.timeout) or None
    value = field_of(record, recipe.timeout)
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        seconds = math.nan
    if not (0 < seconds < 1e6) or isinstance(value, bool):
        raise BadRecord(f"{recipe.timeout} = {value!r:.40} is no number of seconds")
    return seconds


def _metadata(recipe: Recipe, record: Record, ref: TaskRef) -> dict[str, TomlValue]:
    kept: dict[str, TomlValue] = {name: _toml(field_of(record, name), name) for name in recipe.metadata}
    return {"source_record": ref.id, **kept, **recipe.constants}


def _toml(value: Any, name: str) -> TomlValue:
    """The value as TOML has it; what TOML cannot say, such as null, is refused."""
    if isinstance(value, bool | float) or (isinstance(value, int) and -(2**63) <= value < 2**63):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_toml(item, name) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _toml(item, name) for key, item in value.items()}
    raise BadRecord(f"{name} = {value!r:.40} has no place in metadata")
