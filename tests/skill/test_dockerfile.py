"""Facts of a Dockerfile: twenty-five working directories, then everything else that a case depends on."""

from __future__ import annotations

import posixpath
import subprocess

import pytest

from skill.dockerfile import is_root, parse

# id, text, the WorkingDir of the image that the daemon builds from it
ON_SCRATCH = [
    ("none", "FROM scratch\n", "/"),
    ("absolute", "FROM scratch\nWORKDIR /app\n", "/app"),
    ("the last one counts", "FROM scratch\nWORKDIR /a\nWORKDIR /b\n", "/b"),
    ("relative joins", "FROM scratch\nWORKDIR /a\nWORKDIR b\nWORKDIR ../c\n", "/a/c"),
    ("relative from the start", "FROM scratch\nWORKDIR app\n", "/app"),
    ("trailing slash and dots", "FROM scratch\nWORKDIR /a//b/./c/\n", "/a/b/c"),
    ("lower case", "from scratch\nworkdir /low\n", "/low"),
    ("quoted with a blank", 'FROM scratch\nWORKDIR "/my app"\n', "/my app"),
    ("unquoted with a blank", "FROM scratch\nWORKDIR /my app\n", "/my app"),
    ("continued line", "FROM scratch\nWORKDIR \\\n  /long\n", "/long"),
    ("comment inside a continuation", "FROM scratch\nENV A=1 \\\n# WORKDIR /no\n  B=2\nWORKDIR /$B\n", "/2"),
    ("commented out", "FROM scratch\nWORKDIR /a\n# WORKDIR /b\n", "/a"),
    ("variable", "FROM scratch\nENV HOME=/h\nWORKDIR $HOME/x\n", "/h/x"),
    ("default of a variable", "FROM scratch\nENV E=\nWORKDIR ${E:-/d}/x\n", "/d/x"),
    ("alternative of a variable", "FROM scratch\nENV E=1\nWORKDIR ${E:+/alt}\n", "/alt"),
    ("argument", "FROM scratch\nARG D=/arg\nWORKDIR $D\n", "/arg"),
    ("ENV beats ARG", "FROM scratch\nENV D=/env\nARG D=/arg\nWORKDIR $D\n", "/env"),
    ("global ARG is invisible", "ARG D=/g\nFROM scratch\nWORKDIR /x$D\n", "/x"),
    ("global ARG declared again", "ARG D=/g\nFROM scratch\nARG D\nWORKDIR $D\n", "/g"),
    ("one ENV line sees old values", "FROM scratch\nENV A=/old\nENV A=/new B=$A\nWORKDIR $B\n", "/old"),
    ("escaped dollar", "FROM scratch\nWORKDIR /a\\$b\n", "/a$b"),
    ("a stage's directory is inherited", "FROM scratch AS one\nWORKDIR /one\nFROM one\n", "/one"),
    ("another stage's is not", "FROM scratch AS build\nWORKDIR /build\nFROM scratch\n", "/"),
    ("stage named by an argument", "ARG B=one\nFROM scratch AS one\nWORKDIR /one\nFROM ${B}\n", "/one"),
]
ELSEWHERE = [
    ("external base says nothing", "FROM debian:12\n", None),
    ("relative on an external base", "FROM debian:12\nWORKDIR app\n", None),
    ("inside a here-document", "FROM debian:12\nWORKDIR /a\nRUN <<EOF\nWORKDIR /b\nEOF\n", "/a"),
    ("byte order mark and CRLF", "\ufeffFROM debian:12\r\nWORKDIR /win\r\n", "/win"),
    ("builder's directory only", "FROM debian:12 AS b\nWORKDIR /b\nFROM debian:12\nCOPY --from=b /b /\n", None),
]


@pytest.mark.parametrize(("text", "workdir"), [case[1:] for case in ON_SCRATCH + ELSEWHERE])
def test_workdir(text: str, workdir: str | None) -> None:
    assert parse(text.encode()).workdir == workdir


@pytest.mark.docker
def test_the_daemon_agrees_about_every_workdir() -> None:
    for name, text, workdir in ON_SCRATCH:
        assert _built_workdir(text) == workdir, name


def _built_workdir(text: str) -> str:
    text += "\nLABEL suite-converter-test=1\n"  # an image of nothing at all is not kept
    built = subprocess.run(["docker", "build", "-q", "-"], input=text.encode(), capture_output=True, check=True)
    image = built.stdout.decode().strip()
    asked = ["docker", "image", "inspect", "-f", "{{.Config.WorkingDir}}", image]
    found = subprocess.run(asked, capture_output=True, check=True).stdout.decode().rstrip("\n")
    subprocess.run(["docker", "image", "rm", "-f", image], capture_output=True, check=True)
    return posixpath.normpath(found or "/")  # this builder keeps "/a//b/", newer ones clean it


def test_a_variable_of_the_base_image_leaves_the_directory_unknown_and_is_named() -> None:
    facts = parse(b"FROM debian:12\nENV APP=$HOME/app\nWORKDIR $APP\n")
    assert (facts.workdir, facts.unresolved) == (None, ("HOME",))


def test_a_variable_of_the_base_image_that_decides_nothing_is_not_reported() -> None:
    facts = parse(b"FROM debian:12\nENV PATH=/opt/bin:$PATH\nWORKDIR /app\n")
    assert (facts.unresolved, facts.env["PATH"]) == ((), "/opt/bin:$PATH")


@pytest.mark.parametrize(
    ("text", "base"),
    [
        ("FROM debian:12", "debian:12"),
        ("FROM --platform=linux/amd64 debian:12 AS x", "debian:12"),
        ("FROM debian:12 AS one\nFROM alpine AS two\nFROM one", "debian:12"),
        ("ARG TAG=12\nFROM debian:${TAG}", "debian:12"),
        ("ARG TAG\nFROM debian:${TAG}", None),
        ("FROM Debian AS x\nFROM X", "Debian"),
    ],
)
def test_base(text: str, base: str | None) -> None:
    assert parse(text.encode()).base == base


@pytest.mark.parametrize(
    ("text", "user", "root"),
    [
        ("FROM x", None, True),
        ("FROM x\nUSER root", "root", True),
        ("FROM x\nUSER 0:0", "0:0", True),
        ("FROM x\nUSER app\nUSER root", "root", True),
        ("FROM x AS b\nUSER app\nFROM x", None, True),
        ("FROM x\nUSER app", "app", False),
        ("FROM x\nARG U=1000\nUSER ${U}:users", "1000:users", False),
        ("FROM x AS b\nUSER app\nFROM b", "app", False),
    ],
)
def test_user(text: str, user: str | None, root: bool) -> None:
    facts = parse(text.encode())
    assert (facts.user, facts.runs_as_root) == (user, root)


def test_no_user_is_root_and_a_name_is_not() -> None:
    assert is_root(None) and is_root("0") and not is_root("rootless")


@pytest.mark.parametrize(
    ("text", "entrypoint", "cmd"),
    [
        ("FROM x", None, None),
        ('FROM x\nCMD ["a", "b"]', None, ("a", "b")),
        ("FROM x\nCMD run it", None, ("sh", "-c", "run it")),
        ('FROM x\nSHELL ["bash", "-c"]\nENTRYPOINT serve', ("bash", "-c", "serve"), None),
        ('FROM x\nENTRYPOINT []\nCMD ["a"]', (), ("a",)),
        ('FROM x AS b\nCMD ["a"]\nFROM b\nENTRYPOINT ["e"]', ("e",), None),
        ('FROM x\nCMD ["a"]\nENTRYPOINT ["e"]', ("e",), ("a",)),
    ],
)
def test_entrypoint_and_command(text: str, entrypoint: tuple[str, ...] | None, cmd: tuple[str, ...] | None) -> None:
    facts = parse(text.encode())
    assert (facts.entrypoint, facts.cmd) == (entrypoint, cmd)


def test_healthcheck_none_takes_an_inherited_one_back() -> None:
    assert not parse(b"FROM x AS a\nHEALTHCHECK CMD true\nFROM a\nHEALTHCHECK NONE").healthcheck
    assert parse(b"FROM x\nHEALTHCHECK --interval=5s \\\n  CMD curl localhost").healthcheck


@pytest.mark.parametrize(
    ("run", "absent", "present"),
    [
        ("echo apt-get install curl", {"curl"}, set()),
        ("apt-get remove -y curl", {"curl"}, set()),
        ("pip install -r requirements.txt", {"requirements.txt"}, set()),
        ("apt-get install -y -t stable curl", {"stable"}, {"curl"}),
        ("apt-get update && apt-get install -y --no-install-recommends jq=1.6-2 git", set(), {"jq", "git"}),
        ("DEBIAN_FRONTEND=noninteractive apt install -y python3-pip", set(), {"pip3", "python3"}),
        ("apk add --no-cache --virtual .deps bash gcc~=12", {".deps"}, {"bash", "gcc"}),
        ("pip install 'pytest==8.4' uvicorn[standard] PyYAML", set(), {"pytest", "uvicorn", "pyyaml"}),
        ("python3 -m pip install numpy", set(), {"numpy"}),
        ("uv pip install --system pandas>=2", set(), {"pandas"}),
        ("npm install -g typescript@5 @biomejs/biome@1.9", set(), {"typescript", "tsc", "@biomejs/biome"}),
        ("go install golang.org/x/tools/gopls@latest", set(), {"gopls"}),
        ("curl -LsSf https://astral.sh/uv/install.sh | sh", set(), {"uv", "uvx"}),
        ("if true; then apt-get install -y ripgrep; fi", set(), {"ripgrep", "rg"}),
        ("<<EOF\napt-get install -y make\nEOF", set(), {"make"}),
    ],
)
def test_installed_by_run(run: str, absent: set[str], present: set[str]) -> None:
    installed = parse(f"FROM scratch\nRUN {run}\n".encode()).installed
    assert present <= installed
    assert not absent & installed


@pytest.mark.parametrize(
    ("base", "absent", "present"),
    [
        ("nobody/knows:1", {"bash"}, set()),
        ("python:3.12-slim", {"gcc"}, {"python3", "pip", "bash"}),
        ("docker.io/library/python:3.12", set(), {"python3", "gcc", "git"}),
        ("python:3.12-alpine", {"bash"}, {"python3"}),
        ("node:22@sha256:" + "0" * 64, set(), {"node", "npm"}),
        ("registry:5000/golang", set(), {"go"}),
        ("rust:1-slim", set(), {"cargo", "rustc"}),
        ("gcc:14", set(), {"gcc", "g++", "make"}),
    ],
)
def test_brought_by_the_base(base: str, absent: set[str], present: set[str]) -> None:
    installed = parse(f"FROM {base}\n".encode()).installed
    assert present <= installed
    assert not absent & installed


def test_tools_copied_from_another_image_count_and_those_of_an_unused_stage_do_not() -> None:
    text = b"FROM debian AS a\nRUN apt-get install -y gcc\nFROM alpine\nCOPY --from=uv /uv /uvx /usr/bin/\n"
    installed = parse(text).installed
    assert {"uv", "uvx"} <= installed and "gcc" not in installed


def test_copies_from_the_context_only() -> None:
    text = b'FROM x\nCOPY a b /d/\nADD ["c d", "/e"]\nCOPY --from=y /z /z\nCOPY <<EOF /f\ntext\nEOF\n'
    assert parse(text).copies == ((("a", "b"), "/d/"), (("c d",), "/e"))


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        ("FROM x\nCOPY --chown=1 a /a\n", ()),
        ("FROM x\n# syntax=not a directive here\n", ()),
        ("# syntax=docker/dockerfile:1\nFROM x\n", ("# syntax= directive",)),
        ("FROM x\nRUN --mount=type=cache,target=/c true\n", ("line 2: RUN --mount",)),
        ("FROM x\nCOPY --chmod=755 --link a /a\n", ("line 2: COPY --chmod", "line 2: COPY --link")),
        ("FROM x\nRUN <<EOF\ntrue\nEOF\n", ("line 2: RUN with a here-document",)),
    ],
)
def test_needs_buildkit(text: str, reasons: tuple[str, ...]) -> None:
    assert parse(text.encode()).needs_buildkit == reasons


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no FROM"),
        ("# only a comment\n", "no FROM"),
        ("FROM {base_image}\n", "placeholder {base_image}"),
        ("FROM {{ image }}\n", "placeholder {{ image }}"),
        ("```dockerfile\nFROM x\n```\n", "unknown instruction"),
        ("FROM x\n<<<<<<< HEAD\nRUN a\n=======\nRUN b\n>>>>>>> other\n", "conflict markers"),
        ("FROM x\nRUN <<EOF\nnever closed\n", "unterminated heredoc"),
        ("FROM x\nENV broken\n", "two arguments"),
        ("FROM x\nWORKDIR ${A\n", "missing '}'"),
        ("\x00\xff\x00", "unknown instruction"),
        ("FROM x\nWORKDIR " + "${A:-" * 5000 + "\n", "parse error"),
    ],
)
def test_what_cannot_be_built_is_a_problem_and_never_an_exception(text: str, said: str) -> None:
    problems = parse(text.encode("latin-1")).problems
    assert len(problems) == 1 and said in problems[0]


def test_a_variable_in_from_is_no_placeholder() -> None:
    assert parse(b"ARG B=x\nFROM ${B}\n").problems == ()


def test_a_file_of_any_bytes_is_read() -> None:
    assert parse(b"FROM x\nLABEL a=\xff\nWORKDIR /\xc3\xa9\n").workdir == "/é"
