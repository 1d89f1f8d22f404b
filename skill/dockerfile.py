"""What a Dockerfile says about the image it builds, without building it.

Syntax is read by e2b-dockerfile-utils (BuildKit's parser); stages, ENV and ARG are evaluated in
``dockerfile_stages`` and the tools that RUN lines bring in ``dockerfile_tools``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from e2b_dockerfile_utils import (
    DockerfileAst,
    DockerfileInstruction,
    DockerfileSyntaxError,
    parse_dockerfile_ast,
)

from skill.dockerfile_stages import evaluate
from skill.dockerfile_state import Copy, Stage

MAX_SIZE: Final = 2_097_152
CONFLICT: Final = re.compile(r"^(?:<{7} |={7}$|>{7} )", re.MULTILINE)
PLACEHOLDER: Final = re.compile(r"\{\{[^{}\n]*\}\}|(?<!\$)\{[A-Za-z_][\w.-]*\}|<[A-Z][A-Z0-9_-]+>")
SYNTAX_DIRECTIVE: Final = re.compile(r"\A(?:#[^\n]*\n)*?#\s*syntax\s*=", re.IGNORECASE)
BUILDKIT_FLAGS: Final = {
    "RUN": ("--mount", "--network", "--security", "--device"),
    "COPY": ("--chmod", "--link", "--parents", "--exclude"),
    "ADD": ("--chmod", "--link", "--checksum", "--keep-git-dir", "--exclude", "--unpack"),
}


@dataclass(frozen=True)
class Dockerfile:
    """Facts of the final stage; None stands for "the file does not tell"."""

    base: str | None  # the external image at the bottom of the final stage's chain
    workdir: str | None  # None: inherited from the base image, or a variable that only the base knows
    user: str | None  # None: no USER line; with the group when the line has one
    below: str | None = ""  # while workdir is None: where it is as seen from the base image's; None: unknown
    env: Mapping[str, str] = field(default_factory=dict)  # a reference to an unknown variable stays as written
    entrypoint: tuple[str, ...] | None = None
    cmd: tuple[str, ...] | None = None
    healthcheck: bool = False
    installed: frozenset[str] = frozenset()  # bare names of packages and of the tools they bring
    copies: tuple[Copy, ...] = ()  # from the build context, every stage that the final one needs or not
    unresolved: tuple[str, ...] = ()  # variables in FROM, WORKDIR or USER that the file does not define
    needs_buildkit: tuple[str, ...] = ()  # reasons, each with its line
    problems: tuple[str, ...] = ()  # why the file cannot be built as it stands

    @property
    def runs_as_root(self) -> bool:
        """Whether the image's user is root as far as the file tells (no USER line counts as root)."""
        return is_root(self.user)


def is_root(user: str | None) -> bool:
    """Whether a USER value (``name``, ``uid``, ``name:group``) means root; None does."""
    return user is None or user.partition(":")[0] in ("", "root", "0")


@lru_cache(maxsize=4096)
def parse(data: bytes) -> Dockerfile:
    """The facts of a Dockerfile; never raises, what cannot be read is in ``problems``.

    Byte order mark and carriage returns are stripped first, as the daemon does. Equal bytes give one object.
    """
    if len(data) > MAX_SIZE:
        return _broken(f"is larger than {MAX_SIZE} bytes")
    text = data.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")
    if CONFLICT.search(text):
        return _broken("holds merge conflict markers")
    try:
        ast = parse_dockerfile_ast(text)
        stage = evaluate(ast)
    except DockerfileSyntaxError as error:
        return _broken(str(error).removeprefix("Dockerfile "))
    except (ValueError, RecursionError) as error:
        return _broken(f"parse error: {error}")
    if stage is None:
        return _broken("has no FROM line")
    return _facts(stage, tuple(_buildkit(text, ast)), tuple(_placeholders(ast)))


def _broken(problem: str) -> Dockerfile:
    return Dockerfile(base=None, workdir=None, user=None, problems=(problem,))


def _facts(stage: Stage, needs_buildkit: tuple[str, ...], problems: tuple[str, ...]) -> Dockerfile:
    return Dockerfile(
        base=stage.base,
        workdir=stage.workdir,
        user=stage.user,
        below=stage.below,
        env=MappingProxyType(stage.env),
        entrypoint=stage.entrypoint,
        cmd=stage.cmd,
        healthcheck=stage.healthcheck,
        installed=frozenset(stage.installed),
        copies=tuple(stage.copies),
        unresolved=tuple(sorted(stage.unresolved)),
        needs_buildkit=needs_buildkit,
        problems=problems,
    )


def _placeholders(ast: DockerfileAst) -> list[str]:
    return [
        f"line {line.start_line}: FROM holds the unfilled placeholder {found[0]}"
        for line in ast.instructions
        if line.name == "FROM" and (found := PLACEHOLDER.search(" ".join(line.args)))
    ]


def _buildkit(text: str, ast: DockerfileAst) -> list[str]:
    reasons = ["# syntax= directive"] if SYNTAX_DIRECTIVE.match(text) else []
    for line in ast.instructions:
        reasons.extend(f"line {line.start_line}: {what}" for what in _line_needs(line))
    return reasons


def _line_needs(line: DockerfileInstruction) -> list[str]:
    needs = [f"{line.name} with a here-document"] if line.heredocs else []
    known = BUILDKIT_FLAGS.get(line.name, ())
    needs += [f"{line.name} {name}" for flag in line.flags if (name := flag.partition("=")[0]) in known]
    return needs
