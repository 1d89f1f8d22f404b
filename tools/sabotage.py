"""Ways of breaking a verifier's own footing while the candidate is right: a sound verifier answers infra (2).

Every kind is a State, or says why it tells nothing about this case; nothing of the case itself is changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from skill import bash
from skill.case import Case
from skill.contract import INFRA, SOLVE_SCRIPT, TEST_SCRIPT
from skill.evidence import SABOTAGE, Unproved
from skill.verifier.tools import needed
from tools.runners.base import Box, Edit, State

OWN: Final = ".verdict/"  # the generated part of a converted verifier
LIBRARY: Final = ".verdict/lib.sh"
SOURCE_SCRIPT: Final = "source-test.sh"

# a container is brought into a state and its script started with these: without them nothing is run at all
CARRIERS: Final = frozenset(("sh", "bash", "dash", "busybox", "env", "mkdir", "rm"))
_TEST_FILE = re.compile(r"(^|/)(tests?[_.-][^/]*|[^/]*[_.-](test|tests|spec)\.\w+|[^/]*Tests?\.\w+)$")
_INSTALLS = re.compile(r"\b(?:curl|wget|apt-get|apt|apk|pip3?|uvx?|npm|npx|yarn|pnpm|cargo|gem|mvn|gradle|go|git)\b")
_FOLDERS = re.compile(r"(?:\$HOME|\$\{HOME\}|~|/[\w.+-]+)(?:/[\w.+-]+)*/bin\b")
# the tools that tests are run with come first, then languages, then builders, then anything else it calls
_ORDER: Final = (
    *("pytest", "uvx", "uv", "bats", "ctest", "rewardkit", "npx", "npm", "cargo", "go", "mvn", "gradle"),
    *("node", "bun", "deno", "python3", "python", "ruby", "php", "perl", "java", "dotnet", "Rscript"),
    *("tsc", "rustc", "javac", "kotlinc", "gcc", "g++", "cc", "c++", "clang", "clang++", "make", "cmake"),
)

_HIDE = """
folders=$PATH:$1; shift
for tool; do
  hidden=
  IFS=:
  for folder in $folders; do
    [ -x "$folder/$tool" ] && [ ! -d "$folder/$tool" ] && rm -f -- "$folder/$tool" && hidden=yes
  done
  [ -z "$hidden" ] || { printf %s "$tool"; exit 0; }
done
exit 1
"""


@dataclass(frozen=True)
class HideTool:
    """Take away the first of ``tools`` that is in the container, on PATH and in ``folders``."""

    tools: tuple[str, ...]
    folders: tuple[str, ...]

    def __call__(self, box: Box) -> str:
        """Which tool is gone."""
        status, tool = box.shell(_HIDE, ":".join(self.folders), *self.tools)
        return f"{tool.strip()} is gone" if status == 0 and tool.strip() else ""


@dataclass(frozen=True)
class CutNetwork:
    """Leave the container its loopback only."""

    def __call__(self, box: Box) -> str:
        """That the network is gone."""
        box.cut_network()
        return "the network is gone"


def sabotages(case: Case) -> Iterator[State | Unproved]:
    """Every kind of sabotage, as a state of ``case`` or with the reason why it does not apply."""
    solved = case.read(SOLVE_SCRIPT) is not None
    yield from _assets(case, solved)
    yield _library(case, solved)
    yield _runner(case, solved)
    yield _network(case, solved)


def _assets(case: Case, solved: bool) -> Iterator[State | Unproved]:
    """The most important staged file, missing and garbled."""
    path = important_asset(case)
    removed, garbled = SABOTAGE + "asset-removed", SABOTAGE + "asset-garbled"
    if path is None:
        yield from (Unproved(name, "tests/ holds no file that test.sh depends on") for name in (removed, garbled))
        return
    data = case.read(f"tests/{path}") or b""
    yield State(removed, INFRA, solved, (Edit(path, None),))
    yield State(garbled, INFRA, solved, (Edit(path, garble(data)),))


def _library(case: Case, solved: bool) -> State | Unproved:
    """The generated verifier's own library, missing."""
    name = SABOTAGE + "library-removed"
    if case.tests.find(LIBRARY) is None:
        return Unproved(name, f"the verifier has no tests/{LIBRARY}")
    return State(name, INFRA, solved, (Edit(LIBRARY, None),))


def _runner(case: Case, solved: bool) -> State | Unproved:
    """The tool that the verifier runs the tests with, gone from the container."""
    name, tools = SABOTAGE + "runner-missing", runner_tools(case)
    if not tools:
        return Unproved(name, "the verifier calls no tool that it counts on the image for")
    absent = f"none of its tools is in the image: {', '.join(tools)}"
    return State(name, INFRA, solved, meddling=HideTool(tools, tool_folders(case)), reason_when_absent=absent)


def _network(case: Case, solved: bool) -> State | Unproved:
    """No network while the verifier runs."""
    name = SABOTAGE + "network-cut"
    if not _INSTALLS.search(_code(verifier_text(case))):
        return Unproved(name, "the verifier uses no network")
    return State(name, INFRA, solved, meddling=CutNetwork(), excuse="the verifier passes without the network")


def important_asset(case: Case) -> str | None:
    """The staged file that matters most but test.sh: named by the verifier, a test file, first by path."""
    return next(iter(ranked_assets(case)), None)


def ranked_assets(case: Case, own: bool = False) -> list[str]:
    """The staged files that the verifier depends on, the most important first; with its ``own`` part at the end."""
    text = verifier_text(case)
    listed = (case.read(f"tests/{OWN}manifest.sha256") or b"").decode("utf-8", "replace")

    def counts(path: str) -> bool:
        name = PurePosixPath(path).name
        return path.startswith(OWN) or name in text or name in listed

    def rank(path: str) -> tuple[bool, bool, bool, str]:
        return (path.startswith(OWN), path == SOURCE_SCRIPT, not _TEST_FILE.search(path), path)

    paths = [file.path for file in case.tests.files if file.path != "test.sh"]
    return sorted((path for path in paths if counts(path) and (own or not path.startswith(OWN))), key=rank)


def garble(data: bytes) -> bytes:
    """Bytes of the same length that are no text, no archive and no program any more."""
    return bytes(byte ^ 0xA5 for byte in data) or b"\xff\x00\xfe"


def runner_tools(case: Case) -> tuple[str, ...]:
    """The tools that the verifier calls and does not install itself, the likeliest runner first; no CARRIERS."""
    text = verifier_text(case)
    prompt = case.prompt.data.decode("utf-8", "replace")
    script = bash.parse(text.encode())
    called = (tool for tool in needed(script, (script.root,), prompt) if tool not in CARRIERS)
    found = [tool for tool in called if not _installed_by(text, tool)]
    return tuple(sorted(found, key=lambda tool: (_ORDER.index(tool) if tool in _ORDER else len(_ORDER), tool)))


def tool_folders(case: Case) -> tuple[str, ...]:
    """Folders beside PATH in which the verifier looks for tools."""
    return tuple(sorted({_in_roots_home(found) for found in _FOLDERS.findall(verifier_text(case))}))


def _installed_by(text: str, tool: str) -> bool:
    """Whether the verifier gets ``tool`` itself, so that its absence beforehand means nothing."""
    if tool in ("uv", "uvx") and re.search(
        r"uv/(?:[\w./-]*/)?(?:uv-installer|install)\.sh|install[^\n;&|]*\buv\b", text
    ):
        return True
    return re.search(rf"\binstall\b[^\n;&|]*(?<![\w-]){re.escape(tool)}(?![\w-])", _code(text)) is not None


def verifier_text(case: Case) -> str:
    """The scripts that make up the verifier: test.sh and, where that runs it, the source's own."""
    own = (case.read(TEST_SCRIPT) or b"").decode("utf-8", "replace")
    if SOURCE_SCRIPT not in _code(own):
        return own  # kept beside it, but its tools are nobody's footing
    return "\n".join((own, (case.read(f"tests/{SOURCE_SCRIPT}") or b"").decode("utf-8", "replace")))


def _code(text: str) -> str:
    """``text`` without whole-line comments."""
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))


def _in_roots_home(folder: str) -> str:
    """A folder with HOME resolved as it is for root."""
    return re.sub(r"^(?:\$HOME|\$\{HOME\}|~)", "/root", folder)
