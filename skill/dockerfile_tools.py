"""Which packages and tools RUN lines, copied binaries and well-known base images bring into an image.

Knowledge, not proof: an image that can be inspected says more. Names are bare, versions are stripped.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from skill.dockerfile_known import APT, BASES, BUILDPACK, ON_BUILDPACK, PROVIDES, SCRIPTS

BREAKS: Final = re.compile(r"&&|\|\||[;|\n()]|\bthen\b|\bdo\b|\belse\b")
INSTALLS: Final = re.compile(r"\b(?:install|add|i)\b|\s-S")
VERSION: Final = re.compile(r"[=<>!~\[;,:]")
NAME: Final = re.compile(r"@?[A-Za-z0-9][\w./+-]*\Z")
SETTING: Final = re.compile(r"[A-Za-z_]\w*=")
VERBS: Final = {
    **dict.fromkeys(("apt-get", "apt", "aptitude", "yum", "dnf", "microdnf", "tdnf", "zypper"), "install"),
    **dict.fromkeys(("pip", "pip3", "uv", "pipx", "conda", "mamba", "micromamba", "gem", "cargo"), "install"),
    **dict.fromkeys(("go", "brew", "npm"), "install"),
    **dict.fromkeys(("apk", "pnpm", "yarn", "bun", "poetry"), "add"),
    "pacman": "-S",
}
SYNONYMS: Final = {"i": "install", "-Sy": "-S", "-Syu": "-S", "-Su": "-S"}
BEFORE: Final = frozenset(
    {"sudo", "env", "exec", "command", "time", "nice", "if", "!", "{", "python", "python3", "-m", "eatmydata"}
)
TAKES_VALUE: Final = frozenset(
    {"-t", "--target-release", "-o", "--option", "--virtual", "-r", "--requirement", "-c", "--constraint"}
    | {"-i", "--index-url", "--extra-index-url", "-f", "--find-links", "--repository", "-X", "--prefix"}
    | {"--target", "--root", "--features", "--git", "--tag", "--branch", "--rev", "-p", "--python"}
    | {"--timeout", "--retries", "-n", "--name"}
)


@lru_cache(maxsize=4096)
def installed_by(script: str) -> frozenset[str]:
    """Names that the install commands in one RUN text bring."""
    if not INSTALLS.search(script) and "://" not in script:
        return frozenset()
    found: set[str] = set()
    for pattern, tools in SCRIPTS:
        if pattern.search(script):
            found.update(tools.split())
    for command in BREAKS.split(script):
        if INSTALLS.search(command):
            found.update(_packages(_words(command)))
    return frozenset(name for package in found for name in _with_tools(package))


def brought_by(image: str) -> frozenset[str]:
    """Names that a well-known base image is known to hold; empty for one that is not known."""
    path, _, last = image.partition("@")[0].rpartition("/")
    name, _, tag = last.partition(":")
    if "t-bench" in path.split("/"):
        return frozenset(f"{APT} tmux asciinema {BASES['python'] if name.startswith('python') else ''}".split())
    tools = BASES.get(name, "")
    if tools and name != "alpine" and "alpine" not in tag:
        tools += f" {APT} {BUILDPACK}" if name in ON_BUILDPACK and "slim" not in tag else " bash"
    return frozenset(tools.split())


def copied_tools(words: Iterable[str]) -> frozenset[str]:
    """Base names of what a COPY --from puts into a bin folder."""
    *sources, target = list(words) or [""]
    if target.rstrip("/").rpartition("/")[2] == "bin":
        return frozenset(source.rpartition("/")[2] for source in sources)
    return frozenset({target.rpartition("/")[2]} - {""}) if "/bin/" in target else frozenset()


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command, comments=True)
    except ValueError:  # a quote that the line breaks of BREAKS took apart
        return command.split()


def _packages(words: list[str]) -> Iterator[str]:
    """The operands of one install command, as bare names."""
    while words and (words[0] in BEFORE or SETTING.match(words[0])):
        words = words[1:]
    verb = VERBS.get(words[0].rpartition("/")[2]) if words else None
    verbs = [SYNONYMS.get(word, word) for word in words]
    if verb is None or verb not in verbs:
        return
    skip = False
    for word in words[verbs.index(verb) + 1 :]:
        if not skip and not word.startswith("-") and (name := _bare(word)):
            yield name
        skip = not skip and word in TAKES_VALUE


def _bare(word: str) -> str:
    if word.startswith((".", "/", "$")) or "://" in word:
        return ""
    scope, at, _ = word.rpartition("@")
    word = scope if at and scope else word
    if "/" in word and not word.startswith("@"):
        word = word.rpartition("/")[2]
    name = VERSION.split(word, maxsplit=1)[0]
    return name if NAME.match(name) else ""


def _with_tools(package: str) -> Iterator[str]:
    yield package
    yield package.lower()
    yield from PROVIDES.get(package, "").split()
    if package.startswith("openjdk-"):
        yield from PROVIDES["openjdk"].split()
    elif re.fullmatch(r"python3\.\d+", package):
        yield "python3"
