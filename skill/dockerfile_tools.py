"""Which packages and tools RUN lines, copied binaries and well-known base images bring into an image.

Knowledge, not proof: an image that can be inspected says more. Names are bare, versions are stripped.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

BREAKS: Final = re.compile(r"&&|\|\||[;|\n()]|\bthen\b|\bdo\b|\belse\b")
VERSION: Final = re.compile(r"[=<>!~\[;,]")
MANAGERS: Final = {
    "apt-get": "install", "apt": "install", "aptitude": "install", "apk": "add", "yum": "install",
    "dnf": "install", "microdnf": "install", "tdnf": "install", "zypper": "install", "pacman": "-S",
    "pip": "install", "pip3": "install", "pipx": "install", "conda": "install", "mamba": "install",
    "micromamba": "install", "npm": "install", "pnpm": "add", "yarn": "add", "bun": "add", "gem": "install",
    "cargo": "install", "go": "install", "brew": "install", "poetry": "add",
}  # fmt: skip
PREFIXES: Final = frozenset({"sudo", "env", "exec", "command", "time", "nice", "if", "!", "{", "python", "python3", "-m",
                             "uv", "tool", "corepack", "eatmydata", "retry"})  # fmt: skip
TAKES_VALUE: Final = frozenset({"-t", "--target-release", "-o", "--option", "--virtual", "-r", "--requirement", "-c",
                                "--constraint", "-i", "--index-url", "--extra-index-url", "-f", "--find-links",
                                "--repository", "-X", "--prefix", "--target", "--root", "--features", "--git", "--tag",
                                "--branch", "--rev", "-p", "--python", "--timeout", "--retries", "-n", "--name"})  # fmt: skip
ALIASES: Final = {"i": "install", "global": "add"}

PROVIDES: Final[dict[str, tuple[str, ...]]] = {
    "python3-pip": ("pip", "pip3", "python3"), "python3-venv": ("python3",), "python3-dev": ("python3",),
    "python3-full": ("python3",), "python3-pytest": ("pytest", "python3"), "python3-numpy": ("numpy", "python3"),
    "py3-pip": ("pip", "pip3", "python3"), "py3-pytest": ("pytest", "python3"), "python-is-python3": ("python", "python3"),
    "nodejs": ("node",), "golang": ("go",), "golang-go": ("go",), "rustc": ("rustc",), "build-base": ("gcc", "g++", "make"),
    "build-essential": ("gcc", "g++", "make"), "default-jdk": ("java", "javac"), "default-jre": ("java",),
    "default-jdk-headless": ("java", "javac"), "maven": ("mvn", "java"), "ripgrep": ("rg",), "procps": ("ps", "pkill"),
    "netcat-openbsd": ("nc",), "netcat-traditional": ("nc",), "netcat": ("nc",), "dnsutils": ("dig",),
    "postgresql-client": ("psql",), "postgresql": ("psql",), "iproute2": ("ip", "ss"), "imagemagick": ("convert",),
    "openssh-client": ("ssh", "scp"), "openssh-server": ("sshd",), "xxd": ("xxd",), "fd-find": ("fdfind",),
    "g++": ("g++", "gcc"), "redis-server": ("redis-server", "redis-cli"), "redis-tools": ("redis-cli",),
    "default-mysql-client": ("mysql",), "mysql-client": ("mysql",), "texlive-latex-base": ("pdflatex",),
    "r-base": ("R", "Rscript"), "ruby-full": ("ruby", "gem"), "php-cli": ("php",), "typescript": ("tsc",),
    "poppler-utils": ("pdftotext",), "openjdk": ("java", "javac"), "bats-core": ("bats",), "uv": ("uv", "uvx"),
    "coreutils": ("timeout", "sha256sum", "stat"), "util-linux": ("flock", "setsid"), "ghc": ("ghc",),
}  # fmt: skip
SCRIPTS: Final = (
    (re.compile(r"astral\.sh/uv"), ("uv", "uvx")),
    (re.compile(r"sh\.rustup\.rs"), ("cargo", "rustc", "rustup")),
    (re.compile(r"bun\.sh/install"), ("bun",)),
    (re.compile(r"deno\.land/.*install"), ("deno",)),
    (re.compile(r"(?:go\.dev|golang\.org|storage\.googleapis\.com/golang)\S*go[0-9.]+\S*linux"), ("go",)),
    (re.compile(r"nodejs\.org/dist|nvm install"), ("node", "npm", "npx")),
)

APT: Final = ("bash", "apt-get", "coreutils", "timeout", "sha256sum", "perl")
BUILDPACK: Final = (*APT, "gcc", "g++", "make", "git", "curl", "wget", "python3", "patch", "unzip")
PYTHON: Final = ("python3", "python", "pip", "pip3")
BASES: Final[dict[str, tuple[str, ...]]] = {
    "python": PYTHON, "node": ("node", "npm", "npx", "yarn"), "golang": ("go",), "rust": ("cargo", "rustc", "gcc"),
    "gcc": ("gcc", "g++", "make"), "ubuntu": APT, "debian": APT, "buildpack-deps": BUILDPACK, "ruby": ("ruby", "gem", "bundle"),
    "eclipse-temurin": ("java", "javac"), "openjdk": ("java", "javac"), "amazoncorretto": ("java", "javac"),
    "maven": ("mvn", "java", "javac"), "gradle": ("gradle", "java", "javac"), "php": ("php",), "perl": ("perl",),
    "bun": ("bun",), "deno": ("deno",), "alpine": ("apk",), "busybox": (), "julia": ("julia",), "haskell": ("ghc", "cabal"),
    "swift": ("swift",), "elixir": ("elixir", "mix"), "erlang": ("erl",), "postgres": ("psql", "postgres"),
    "mysql": ("mysql",), "redis": ("redis-server", "redis-cli"), "uv": ("uv", "uvx", *PYTHON), "fedora": ("bash", "dnf"),
    "rockylinux": ("bash", "dnf"), "almalinux": ("bash", "dnf"), "centos": ("bash", "yum"),
    "miniconda3": (*PYTHON, "conda", "bash"), "pytorch": (*PYTHON, "torch", "bash"), "r-base": ("R", "Rscript"),
    "sdk": ("dotnet",), "dart": ("dart",), "mono": ("mono",), "playwright": ("node", "npm", "playwright"),
}  # fmt: skip
ON_BUILDPACK: Final = frozenset({"python", "node", "golang", "rust", "gcc", "ruby"})


@lru_cache(maxsize=4096)
def installed_by(script: str) -> frozenset[str]:
    """Names that the install commands in one RUN text bring."""
    found: set[str] = set()
    for pattern, tools in SCRIPTS:
        if pattern.search(script):
            found.update(tools)
    for command in BREAKS.split(script):
        if "install" in command or "add" in command or " -S" in command or " i " in command:
            found.update(_packages(_words(command)))
    return frozenset(_with_tools(found))


def brought_by(image: str) -> frozenset[str]:
    """Names that a well-known base image is known to hold; empty for one that is not known."""
    repository, _, tag = image.partition("@")[0].rpartition(":") if ":" in image.rpartition("/")[2] else (image, "", "")
    name = repository.rpartition("/")[2]
    tools = set(BASES.get(name, ()))
    if tools and name not in ("alpine", "busybox", "scratch") and "alpine" not in tag:
        tools.update(BUILDPACK if name in ON_BUILDPACK and "slim" not in tag else APT[:1])
    if "/t-bench/" in image:
        tools.update((*APT, "tmux", "asciinema"), PYTHON if "python" in image else ())
    return frozenset(tools)


def copied_tools(words: Iterable[str]) -> frozenset[str]:
    """Base names of what a COPY --from puts into a bin folder."""
    *sources, target = list(words) or [""]
    if target.rstrip("/").rpartition("/")[2] == "bin":
        return frozenset(source.rpartition("/")[2] for source in sources)
    return frozenset({target.rpartition("/")[2]}) if "/bin/" in target else frozenset()


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command, comments=True)
    except ValueError:
        return command.split()


def _packages(words: list[str]) -> Iterable[str]:
    words = [word for word in words if word not in PREFIXES and not re.match(r"[A-Z_]+=", word)]
    if not words or (verb := MANAGERS.get(words[0].rpartition("/")[2])) is None:
        return []
    rest = [ALIASES.get(word, word) if at < 3 else word for at, word in enumerate(words[1:])]
    if not any(word.startswith(verb) if verb == "-S" else word == verb for word in rest):
        return []
    at = next(i for i, word in enumerate(rest) if (word.startswith(verb) if verb == "-S" else word == verb))
    return filter(None, (_bare(word) for word in _operands(rest[at + 1 :])))


def _operands(words: list[str]) -> Iterable[str]:
    skip = False
    for word in words:
        if not skip and not word.startswith("-"):
            yield word
        skip = not skip and word in TAKES_VALUE


def _bare(word: str) -> str:
    if word.startswith((".", "/", "$", "http:", "https:", "git+", ">", "<", "2>", "&")):
        return ""
    scope, at, rest = word.rpartition("@")
    word = scope if at and scope else word
    if "/" in word and not word.startswith("@"):
        word = word.rpartition("/")[2]
    return VERSION.split(word, maxsplit=1)[0].partition(":")[0].strip("\"'")


def _with_tools(packages: set[str]) -> Iterable[str]:
    for package in packages:
        yield package
        yield from PROVIDES.get(package, ())
        if package.startswith("openjdk"):
            yield from PROVIDES["openjdk"]
        elif re.fullmatch(r"python3\.\d+", package):
            yield "python3"
