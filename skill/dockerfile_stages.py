"""What FROM, ENV, ARG, WORKDIR, USER, ENTRYPOINT leave behind in the stages of a Dockerfile.

The rules were seen in the daemon: a relative WORKDIR joins the one before it; ENV beats ARG; a global ARG is
invisible in a stage until it is declared again; FROM <stage> inherits everything; an ENV line sees the values
from before the line; without WORKDIR on an external image the directory is one that only the image knows.
"""

from __future__ import annotations

import posixpath
import re
from typing import Final

from e2b_dockerfile_utils import DockerfileAst, DockerfileInstruction, ShellLex

from skill import dockerfile_tools
from skill.dockerfile_state import SCRATCH, Copy, Stage, Variables

QUOTING: Final = frozenset("$\\\"'`")
LONGEST: Final = 8_192  # of a word with variables, and of what becomes of it: values can double line by line
HEAVY: Final = re.compile(r"\$\{\w+[/#%][^}*?]*(?:[*?][^}*?]*){3}")  # patterns whose matching may never end


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
                self.do_arg(line, self.globals)
        elif handler := getattr(self, f"do_{line.name.lower()}", None):
            handler(line, self.stage)

    def start(self, line: DockerfileInstruction) -> None:
        wanted, unknown = self.expand(line.args[0] if line.args else "", self.globals)
        parent = self.named.get(wanted.lower())
        self.stage = parent.child() if parent else _external(wanted, unknown)
        if len(line.args) >= 3 and line.args[1].lower() == "as":
            self.named[line.args[2].lower()] = self.stage

    def expand(self, word: str, stage: Stage) -> tuple[str, frozenset[str]]:
        """``word`` without quotes and with its variables filled in, and the names that nothing defines.

        Raises ValueError for one whose expansion could take unbounded time or space.
        """
        if QUOTING.isdisjoint(word):
            return word, frozenset()
        if "$" in word and (len(word) > LONGEST or HEAVY.search(word)):
            raise ValueError("a word with variables is too long or too intricate to be filled in")
        seen = Variables(stage)
        text = ShellLex(self.escape, env=seen).process_word(word)
        if "$" in word and len(text) > LONGEST:
            raise ValueError("the value of a variable grows beyond measure")
        return text, frozenset(seen.unknown)

    def do_arg(self, line: DockerfileInstruction, stage: Stage) -> None:
        for word in line.args:
            name, has_default, default = word.partition("=")
            if has_default:
                stage.set(stage.args, name, *self.expand(default, stage))
            elif name in self.globals.args and stage is not self.globals:
                stage.set(stage.args, name, self.globals.args[name], self.globals.tainted.get(name, frozenset()))
            else:
                stage.args.pop(name, None)

    def do_env(self, line: DockerfileInstruction, stage: Stage) -> None:
        pairs = zip(line.args[::3], line.args[1::3], strict=False)
        for name, (value, unknown) in [(self.expand(key, stage)[0], self.expand(word, stage)) for key, word in pairs]:
            stage.set(stage.env, name, value, unknown)

    def do_workdir(self, line: DockerfileInstruction, stage: Stage) -> None:
        path, unknown = self.expand(" ".join(line.args), stage)
        stage.unresolved |= unknown
        if unknown or not path:
            stage.workdir = stage.below = None
        elif path.startswith("/") or stage.workdir is not None:
            stage.workdir = _clean(posixpath.join(stage.workdir or "/", path))
        elif stage.below is not None:
            stage.below = posixpath.join(stage.below, path)

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
        stage.healthcheck = [word.upper() for word in line.args[:1]] != ["NONE"]

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
