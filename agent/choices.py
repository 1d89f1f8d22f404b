"""What the options of a conversion come to: the choices of its units, its names, the command that goes on."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from agent import unit
from agent.dataset import Dataset
from agent.images import Images
from agent.options import Options
from agent.plan import Tally, again, flag_of
from agent.pool import default_jobs
from agent.recipes import recipe_place
from agent.run_folder import run_path
from agent.version import tool_version
from skill.draft import Choices


def setting_of(options: Options, dataset: Dataset, staging: Path | None, images: Images) -> unit.Setting:
    """What all units of the run share."""
    choices = Choices(
        image=options.image or None,
        test_cwd=options.test_cwd,
        pass_if=options.pass_if or None,
        allow=frozenset(options.allow),
        answers=dict(options.answers),
        platform=options.platform,
        pins=images.pins,
        images=images.facts,
    )
    salt = f"{tool_version()}\0{sorted(choices_table(options).items())}\0{images.salt}"
    return unit.Setting(dataset.source, choices, options.answered, staging, salt)


def suite_name(options: Options, dataset: Dataset) -> str:
    """What the suite is called, before it is made file-safe."""
    return options.name or dataset.inventory.name


def choices_table(options: Options) -> dict[str, Any]:
    """The choices that shape the output, as the report names them."""
    return {
        "image": options.image,
        "platform": options.platform,
        "registry": options.registry,
        "test_cwd": options.test_cwd,
        "pass_if": options.pass_if,
        "allow": list(options.allow),
        "answers": dict(sorted(options.answers.items())),
    }


def command(options: Options, place: Path) -> dict[str, Any]:
    """The options as the run folder keeps them for ``resume``, with whole paths."""
    table = {**vars(options), "source": str(options.source.resolve()), "output": str(place)}
    table["recipe"] = options.recipe and str(recipe_place(options.recipe).resolve())
    table["pins"] = options.pins and str(Path(options.pins).resolve())
    return {key: list(value) if isinstance(value, tuple) else value for key, value in table.items()}


def jobs(options: Options, dataset: Dataset) -> int:
    """How many processes convert."""
    return options.jobs or default_jobs(len(dataset.selected))


def resume(output: Path) -> str:
    """The command that goes on with a conversion into ``output``."""
    return f"suite-converter resume {shlex.quote(str(run_path(output)))}"


def answering(options: Options, counts: Tally) -> str:
    """The convert command with a place for every answer that is missing."""
    return again(options, [flag_of(question, "CHOICE") for _, question in sorted(counts.questions.items())])
