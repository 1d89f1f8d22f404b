"""Stages of a Dockerfile and what ENV, ARG, WORKDIR, USER, ENTRYPOINT leave behind in each.

The rules were seen in the daemon: a relative WORKDIR joins the one before it; ENV beats ARG; a global ARG is
invisible in a stage until it is declared again; FROM <stage> inherits everything; an ENV line sees the values from
before the line; a final stage without WORKDIR on an external image has a directory that only the image knows.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from e2b_dockerfile_utils import DockerfileAst, DockerfileInstruction, ShellLex

from skill import dockerfile_tools

SCRATCH: Final = "scratch"
DEFAULT_SHELL: Final = ("sh", "-c")


class Copy(NamedTuple):
    """One COPY or ADD from the build context."""

    sources: tuple[str, ...]
    destination: str


@dataclass
class Stage:
    """The state at one point of one stage."""

    base: str | None
    workdir: str | None = None
    user: str | None = None
    env: dict[str, str] = field(default_factory=dict)
    args: dict[str, str] = field(default_factory=dict)
    tainted: dict[str, frozenset[str]] = field(default_factory=dict)  # ENV or ARG name -> unknown names in its value
    entrypoint: tuple[str, ...] | None = None
    cmd: tuple[str, ...] | None = None
    own_cmd: bool = False
    shell: tuple[str, ...] = DEFAULT_SHELL
    healthcheck: bool = False
    installed: set[str] = field(default_factory=set)
    copies: list[Copy] = field(default_factory=list)
    unresolved: set[str] = field(default_factory=set)

    def child(self) -> Stage:
        """A new stage FROM this one: all is inherited but build arguments and the shell's ownership marks."""
        return replace(
            self,
            env=dict(self.env),
            args={},
            tainted={name: why for name, why in self.tainted.items() if name in self.env},
            own_cmd=False,
            installed=set(self.installed),
            copies=list(self.copies),
            unresolved=set(self.unresolved),
        )


class _Variables(Mapping[str, str]):
    """The variables a line sees; remembers which unknown ones were asked for."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.unknown: set[str] = set()

    def __getitem__(self, name: str) -> str:
        stage = self.stage
        value = stage.env.get(name, stage.args.get(name))
        self.unknown |= stage.tainted.get(name, frozenset())
        if value is not None:
            return value
        if stage.base == SCRATCH:
            return ""
        self.unknown.add(name)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter({**self.stage.args, **self.stage.env})

    def __len__(self) -> int:
        return len({**self.stage.args, **self.stage.env})


def evaluate(ast: DockerfileAst) -> Stage | None:
    """The final stage, or None when the file has no FROM line."""
    builder = _Builder(ast.escape_token)
    for line in ast.instructions:
        builder.step(line)
    return builder.stage


class _Builder:
    """Walks the instructions once, keeping the named stages."""

    def __init__(self, escape: str) -> None:
        self.escape = escape
        self.stage: Stage | None = None
        self.globals = Stage(base=None)
        self.named: dict[str, Stage] = {}

    def step(self, line: DockerfileInstruction) -> None:
        if line.name == "FROM":
            self.start(line)
        elif self.stage is None:
            if line.name == "ARG":
                self.arg(line, self.globals)
        elif handler := getattr(self, f"do_{line.name.lower()}", None):
            handler(line, self.stage)

    def start(self, line: DockerfileInstruction) -> None:
        wanted, unknown = self.expand(line.args[0] if line.args else "", self.globals)
        parent = self.named.get(wanted.lower())
        self.stage = parent.child() if parent else _external(wanted, unknown)
        if len(line.args) >= 3 and line.args[1].lower() == "as":
            self.named[line.args[2].lower()] = self.stage

    def expand(self, word: str, stage: Stage) -> tuple[str, frozenset[str]]:
        if "$" not in word and "\\" not in word and '"' not in word and "'" not in word and self.escape not in word:
            return word, frozenset()
        seen = _Variables(stage)
        text = ShellLex(self.escape, env=seen).process_word(word)
        return text, frozenset(seen.unknown)

    def arg(self, line: DockerfileInstruction, stage: Stage) -> None:
        for word in line.args:
            name, has_default, default = word.partition("=")
            if has_default:
                self.assign(stage.args, name, default, stage)
            elif name in self.globals.args and stage is not self.globals:
                stage.args[name] = self.globals.args[name]
            else:
                stage.args.pop(name, None)

    def assign(self, table: dict[str, str], name: str, word: str, stage: Stage) -> None:
        table[name], unknown = self.expand(word, stage)
        if unknown:
            stage.tainted[name] = unknown
        else:
            stage.tainted.pop(name, None)

    def do_arg(self, line: DockerfileInstruction, stage: Stage) -> None:
        self.arg(line, stage)

    def do_env(self, line: DockerfileInstruction, stage: Stage) -> None:
        before = replace(stage, env=dict(stage.env), args=dict(stage.args), tainted=dict(stage.tainted))
        for name, word in zip(line.args[::3], line.args[1::3], strict=False):
            name, _ = self.expand(name, before)
            stage.env[name], unknown = self.expand(word, before)
            stage.tainted.pop(name, None)
            if unknown:
                stage.tainted[name] = unknown

    def do_workdir(self, line: DockerfileInstruction, stage: Stage) -> None:
        path, unknown = self.expand(" ".join(line.args), stage)
        stage.unresolved |= unknown
        if unknown or not path:
            stage.workdir = None
        elif path.startswith("/"):
            stage.workdir = _clean(path)
        elif stage.workdir is not None:
            stage.workdir = _clean(posixpath.join(stage.workdir, path))

    def do_user(self, line: DockerfileInstruction, stage: Stage) -> None:
        stage.user, unknown = self.expand(" ".join(line.args), stage)
        stage.unresolved |= unknown

    def do_shell(self, line: DockerfileInstruction, stage: Stage) -> None:
        stage.shell = tuple(line.args)

    def do_cmd(self, line: DockerfileInstruction, stage: Stage) -> None:
        stage.cmd = _command(line, stage.shell)
        stage.own_cmd = True

    def do_entrypoint(self, line: DockerfileInstruction, stage: Stage) -> None:
        stage.entrypoint = _command(line, stage.shell)
        if not stage.own_cmd:
            stage.cmd = None

    def do_healthcheck(self, line: DockerfileInstruction, stage: Stage) -> None:
        stage.healthcheck = line.args[:1] != ["NONE"]

    def do_run(self, line: DockerfileInstruction, stage: Stage) -> None:
        text = " ".join(line.args) + "\n" + "\n".join(part.content for part in line.heredocs)
        stage.installed |= dockerfile_tools.installed_by(text)

    def do_copy(self, line: DockerfileInstruction, stage: Stage) -> None:
        words = [self.expand(word, stage)[0] for word in line.args if not word.startswith("<<")]
        if any(flag.startswith("--from=") for flag in line.flags):
            stage.installed |= dockerfile_tools.copied_tools(words)
        elif len(words) >= 2:
            stage.copies.append(Copy(tuple(words[:-1]), words[-1]))

    do_add = do_copy


def _external(image: str, unknown: frozenset[str]) -> Stage:
    stage = Stage(base=None if unknown or not image else image, unresolved=set(unknown))
    if image == SCRATCH:
        stage.workdir = "/"
    stage.installed = set(dockerfile_tools.brought_by(image))
    return stage


def _clean(path: str) -> str:
    return "/" + posixpath.normpath(path).strip("/")


def _command(line: DockerfileInstruction, shell: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(line.args) if line.json else (*shell, *line.args)
