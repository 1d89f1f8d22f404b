"""What a person chose for one conversion: the flags and the answers file, merged and checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent.errors import UsageError
from skill.pins import DEFAULT_PLATFORM
from skill.toml import TomlError, load

IMAGES = ("keep", "dockerfile", "publish")


# What ``resume`` may be given anew: a stop at a limit goes on with a higher one.
MODEL_FLAGS = (
    "model",
    "provider",
    "effort",
    "max_usd",
    "max_usd_per_case",
    "max_tokens",
    "max_requests",
    "max_minutes",
)


@dataclass(frozen=True)
class Options:
    """One conversion as it was asked for."""

    source: Path
    output: Path | None = None
    recipe: str = ""  # file, folder or shipped name; empty: the dataset's framework is told by its files
    name: str = ""  # of the suite; empty: as the dataset is called
    plan: bool = False
    only: str = ""
    limit: int = 0  # 0: all
    image: str = ""  # "keep", "dockerfile", "publish"; empty: not chosen
    pins: str = ""  # file of image names and their digests
    platform: str = DEFAULT_PLATFORM
    registry: str = ""  # where images are published
    test_cwd: str = "root"
    pass_if: str = ""
    allow: tuple[str, ...] = ()
    answers: Mapping[str, str] = field(default_factory=dict)
    proof: str = "states"
    runner: str = "auto"
    sample: int = 3
    require_proof: bool = False
    jobs: int = 0  # 0: decided by the size of the set
    force: bool = False
    model: str = ""  # "none"; empty: the usual one where there is a key
    provider: str = ""
    effort: str = ""
    max_usd: str = ""
    max_usd_per_case: str = ""
    max_tokens: int = 0
    max_requests: int = 0
    max_minutes: str = ""

    @property
    def answered(self) -> frozenset[str]:
        """The keys of the questions that need not be asked."""
        return frozenset(self.answers) | ({"image"} if self.image else set())


def read_answers(path: Path) -> dict[str, Any]:
    """The answers file: ``key = "choice"`` lines, and ``allow = ["code"]``.

    Raises UsageError when it is none.
    """
    try:
        table = load(path.read_bytes())
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    except TomlError as error:
        place = f"{path}:{error.line}" if error.line else str(path)
        raise UsageError(f"{place}: is no TOML: {error}") from error
    for key, value in table.items():
        listed = isinstance(value, list) and all(isinstance(item, str) for item in value)
        if key == "allow" and not listed:
            raise UsageError(f'{path}: allow must be a list of codes, such as allow = ["user-not-root"]')
        if key != "allow" and not isinstance(value, str):
            raise UsageError(f'{path}: {key} must be a string, such as {key} = "keep"')
    return dict(table)


def merged(flags: Mapping[str, Any], answers: Mapping[str, Any], singles: Mapping[str, str]) -> dict[str, Any]:
    """The flags completed by the answers file; a flag wins over the file."""
    fields = dict(flags)
    texts = ("image", "registry", "pins", "pass_if", "test_cwd")
    known = {*texts, "allow"}
    for key in texts:
        fields[key] = fields.get(key) or answers.get(key, "")
    fields["test_cwd"] = fields["test_cwd"] or "root"
    fields["platform"] = fields.get("platform") or DEFAULT_PLATFORM
    fields["allow"] = tuple(sorted({*fields.get("allow", ()), *answers.get("allow", ())}))
    others = {key: value for key, value in answers.items() if key not in known}
    fields["answers"] = {**others, **singles}
    if fields["image"] not in ("", *IMAGES):
        raise UsageError(f"image: {fields['image']!r} is not a choice ({', '.join(IMAGES)})")
    if not re.fullmatch(r"[a-z0-9]+(?:/[a-z0-9_.]+){1,2}", fields["platform"]):
        raise UsageError(f"platform: {fields['platform']!r} is none, such as linux/amd64")
    if fields["image"] == "publish" and not fields.get("registry"):
        raise UsageError("--image publish needs --registry HOST/PATH: nothing is pushed to a place that nobody named")
    if fields["test_cwd"] not in ("root", "workdir"):
        raise UsageError(f"test_cwd: {fields['test_cwd']!r} is not a choice (root, workdir)")
    return fields
