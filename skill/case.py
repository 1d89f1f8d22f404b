"""One case of a Margin suite on disk: everything a rule may ask for, read once and only when asked.

A Case is meant to be judged and dropped, so that a large suite never lies in memory. Links are never followed
out of the suite; those that stay inside are, where Margin reads through links (contract rows M1 and M18).
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from skill.contract import CASE_FILE, CASES_DIR, DOCKERFILE, PROMPT_FILE, TEST_SCRIPT
from skill.packing import Folder, Kind, list_names, read_folder
from skill.settings import CASE_KEYS, GO_SPACE, Settings, settings
from skill.textfile import MAX_TEXT, Text, leaves, read_text

if TYPE_CHECKING:
    from skill.dockerfile import Dockerfile

SMALL: Final = 1 << 18  # files up to this size are kept while the case is judged


@dataclass(frozen=True)
class Case:
    """One entry of the suite's list and the folder it names."""

    suite_root: Path
    entry: str  # as written in suite.toml
    line: int  # of the entry in suite.toml

    @cached_property
    def name(self) -> str:
        """The entry as Margin takes it: trimmed."""
        return self.entry.strip(GO_SPACE)

    @cached_property
    def path(self) -> str:
        """The folder relative to the suite, posix; starts with ``..`` when the entry points out of it."""
        return posixpath.normpath(f"{CASES_DIR}/{self.name}")

    @cached_property
    def root(self) -> Path:
        """The folder on this machine."""
        return self.suite_root / self.path

    @cached_property
    def names(self) -> Mapping[str, Kind]:
        """What lies directly in the folder; empty when it cannot be listed."""
        if self.is_outside:
            return {}
        return list_names(self.root) or {}

    @cached_property
    def is_outside(self) -> bool:
        """Whether the folder, links resolved, lies outside the suite."""
        return self.path.split("/")[0] == ".." or leaves(self.root, self.suite_root)

    @cached_property
    def is_folder(self) -> bool:
        """Whether there is a folder where the entry points."""
        try:
            return not self.is_outside and self.root.is_dir()
        except ValueError:
            return False

    @cached_property
    def text(self) -> Text:
        """case.toml."""
        return read_text(self.root / CASE_FILE, self.suite_root)

    @cached_property
    def config(self) -> Settings | None:
        """case.toml decoded; None when the file could not be read or is no TOML."""
        return None if self.decoded is None or self.decoded.error else self.decoded

    @cached_property
    def decoded(self) -> Settings | None:
        """case.toml with what decoding it came to; None when the file could not be read."""
        return settings(self.text.data, CASE_KEYS) if self.text.is_there else None

    @cached_property
    def prompt(self) -> Text:
        """prompt.md."""
        return read_text(self.root / PROMPT_FILE, self.suite_root)

    @cached_property
    def tests(self) -> Folder:
        """Everything below tests/."""
        return self._folder("tests")

    @cached_property
    def env(self) -> Folder:
        """Everything below env/."""
        return self._folder("env")

    @cached_property
    def oracle(self) -> Folder:
        """Everything below oracle/."""
        return self._folder("oracle")

    def _folder(self, name: str) -> Folder:
        return read_folder(self.root / name) if name in self.names else Folder(self.root / name, Kind.ABSENT)

    @cached_property
    def script(self) -> bytes | None:
        """tests/test.sh, None when it is not there as a regular file."""
        return self.read(TEST_SCRIPT)

    @cached_property
    def dockerfile(self) -> Dockerfile | None:
        """The facts of env/Dockerfile; None when it is no file, or not built because an image is named."""
        from skill.dockerfile import parse  # its parser is loaded only when a Dockerfile is looked at

        data = None if self.image else self.read(DOCKERFILE)
        return None if data is None else parse(data)

    def read(self, path: str) -> bytes | None:
        """The bytes of a regular file below tests/, env/ or oracle/; None for anything else, a link too."""
        if path in self._small_files:
            return self._small_files[path]
        name, _, inner = path.partition("/")
        entry = {"tests": self.tests, "env": self.env, "oracle": self.oracle}[name].find(inner)
        data = None
        if entry is not None and entry.kind is Kind.FILE and entry.size <= MAX_TEXT:
            try:
                with open(f"{self.root}/{path}", "rb") as stream:  # noqa: PTH123  (a third faster, called 20 times a case)
                    data = stream.read()
            except OSError:
                data = None
        if data is None or len(data) <= SMALL:
            self._small_files[path] = data
        return data

    @cached_property
    def _small_files(self) -> dict[str, bytes | None]:
        return {}

    @cached_property
    def image(self) -> str:
        """The image that case.toml names, trimmed; empty means that env/Dockerfile is built."""
        return self.config.text("image") if self.config else ""

    @cached_property
    def test_cwd(self) -> str:
        """Where Margin runs the verifier."""
        return self.config.text("test_cwd") if self.config else ""

    @cached_property
    def agent_cwd(self) -> str:
        """Where Margin starts the agent."""
        return self.config.text("agent_cwd") if self.config else ""
