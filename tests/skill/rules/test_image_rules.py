"""The image, the working directories, the prompt and the oracle: near misses first, then the hit."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.suites import (
    CASE,
    CASE_TOML,
    DOCKERFILE,
    PROMPT,
    SOLVE_SH,
    Edit,
    chmod,
    fifo,
    folder,
    lines,
    move,
    put,
    remove,
    swap,
    write_suite,
)

HEX = "0123456789abcdef" * 4


def image(reference: str) -> Edit:
    return swap(CASE_TOML, "agent_cwd", f'image = "{reference}"\nagent_cwd')


def dockerfile(text: str) -> Edit:
    return put(DOCKERFILE, text)


IMAGES: list[tuple[str, list[Edit], list[int]]] = [
    ("SC401", [remove(f"{CASE}/env"), image(f"repo@sha256:{HEX}")], []),
    ("SC401", [dockerfile("")], []),
    ("SC401", [remove(f"{CASE}/env")], [0]),
    ("SC401", [move(DOCKERFILE, f"{CASE}/env/dockerfile")], [0]),
    ("SC401", [folder(DOCKERFILE)], [0]),
    ("SC401", [remove(f"{CASE}/env"), image("  ")], [0]),
    ("SC402", [image(f" repo:1.0@sha256:{HEX} ")], []),
    ("SC402", [image("repo:1.0")], [4]),
    ("SC402", [image(f"repo@sha256:{HEX.upper()}")], [4]),
    ("SC402", [image(f"repo@sha512:{HEX}")], [4]),
    ("SC402", [image(HEX)], [4]),
    ("SC402", [image(f"@sha256:{HEX}")], [4]),
    ("SC402", [image(f"a@b@sha256:{HEX}")], [4]),
    ("SC402", [image(f"re po@sha256:{HEX}")], [4]),
    ("SC403", [image(f"repo@sha256:{HEX}")], []),
    ("SC403", [image(f"sha256:{HEX}")], [4]),
    ("SC404", [image(f"repo@sha256:{HEX}"), remove(DOCKERFILE)], []),
    ("SC404", [image(f"repo@sha256:{HEX}")], [4]),
    ("SC405", [image(f"ghcr.io/localhost/x@sha256:{HEX}")], []),
    ("SC405", [image(f"localhost:5000/x@sha256:{HEX}")], [4]),
    ("SC405", [dockerfile("# base\nFROM 127.0.0.1:5000/x\n")], [2]),
    ("SC406", [dockerfile("ARG V=1\nFROM x:$V\n")], []),
    ("SC406", [dockerfile("")], [0]),
    ("SC406", [dockerfile("FROM x\n<<<<<<< HEAD\nRUN a\n=======\n")], [1]),
    ("SC407", [dockerfile("FROM x\nRUN echo --mount\n")], []),
    ("SC407", [dockerfile("FROM x\nRUN --mount=type=cache,target=/c a\n")], [0]),
    ("SC408", [dockerfile("FROM x\nCOPY a/ /a/\nCOPY *.txt /b/\n"), put(f"{CASE}/env/a/.keep", "")], []),
    ("SC408", [dockerfile("FROM x AS b\nFROM y\nCOPY --from=b /nowhere /a\n")], []),
    ("SC408", [dockerfile("FROM x\nCOPY a/ /a/\n"), folder(f"{CASE}/env/a")], [2]),
    ("SC409", [dockerfile("FROM x\nCOPY . /app\n"), put(f"{CASE}/env/tests/test_own.py", "")], []),
    ("SC410", [dockerfile("FROM alpine:3.20\nRUN apk add --no-cache bash\n")], []),
    ("SC410", [dockerfile("FROM my-alpine-like\n")], []),
    ("SC410", [dockerfile("FROM node:20-alpine\n")], [1]),
    ("SC409", [dockerfile("FROM x\nCOPY . /app\n"), put(f"{CASE}/env/solution/solve.sh", "")], [0]),
]  # fmt: skip

FOLDERS: list[tuple[str, list[Edit], list[int]]] = [
    ("SC451", [swap(CASE_TOML, 'agent_cwd = "/app"', "agent_cwd = 5")], []),
    ("SC451", [swap(CASE_TOML, '"/app"', '" "')], [4]),
    ("SC451", [swap(CASE_TOML, 'agent_cwd = "/app"', "")], [0]),
    ("SC452", [swap(CASE_TOML, "test_cwd", "TEST_CWD")], []),
    ("SC452", [swap(CASE_TOML, 'test_cwd = "/"', 'test_cwd = ""')], [5]),
    ("SC453", [swap(CASE_TOML, 'test_cwd = "/"', 'test_cwd = " /x "')], []),
    ("SC453", [swap(CASE_TOML, 'test_cwd = "/"', 'test_cwd = "app"')], [5]),
    ("SC454", [swap(CASE_TOML, '"/app"', '"./app"')], [4]),
    ("SC455", [swap(CASE_TOML, 'test_cwd = "/"', 'test_cwd = "/a/b"')], []),
    ("SC455", [swap(CASE_TOML, 'test_cwd = "/"', 'test_cwd = "/a/../b"')], [5]),
    ("SC455", [swap(CASE_TOML, 'test_cwd = "/"', 'test_cwd = "//"')], [5]),
    ("SC456", [dockerfile("FROM x\nCOPY . /app\n"), put(f"{CASE}/env/tests/t.py", "")], []),
    ("SC456", [swap(CASE_TOML, 'test_cwd = "/"', 'test_cwd = "/app"'), dockerfile("FROM x\nCOPY . /app\n")], []),
    (
        "SC456",
        [
            swap(CASE_TOML, 'test_cwd = "/"', 'test_cwd = "/app"'),
            dockerfile("FROM x\nWORKDIR /app\nCOPY . .\n"),
            put(f"{CASE}/env/tests/t.py", ""),
        ],
        [5],
    ),
    ("SC456", [dockerfile("FROM x\nCOPY data /tests/data\n"), put(f"{CASE}/env/data/t.py", "")], [5]),
    ("SC457", [dockerfile("FROM x\nUSER app\nUSER root\n")], []),
    ("SC457", [dockerfile("FROM x\nUSER 0:0\n")], []),
    ("SC457", [dockerfile("FROM x\nUSER root\nUSER app\n")], [3]),
    ("SC458", [dockerfile("FROM x\nWORKDIR /\nWORKDIR app\n")], []),
    ("SC458", [dockerfile("FROM x\nWORKDIR /srv\n")], [4]),
]  # fmt: skip

PROMPTS: list[tuple[str, list[Edit], list[int]]] = [
    ("SC501", [put(PROMPT, "x")], []),
    ("SC501", [remove(PROMPT)], [0]),
    ("SC501", [fifo(PROMPT)], [0]),
    ("SC501", [folder(PROMPT)], [0]),
    ("SC502", [put(PROMPT, "\ufeff")], []),
    ("SC502", [put(PROMPT, "\x1c")], []),
    ("SC502", [put(PROMPT, "")], [0]),
    ("SC502", [put(PROMPT, " \u00a0\u3000\n")], [0]),
    ("SC503", [put(PROMPT, "a\ufeffb")], []),
    ("SC503", [put(PROMPT, "\ufeffa")], [1]),
    ("SC504", [put(PROMPT, "gr\u00fc\u00dfe")], []),
    ("SC504", [put(PROMPT, b"a\nb\xff")], [2]),
    ("SC505", [put(PROMPT, "a\tb\r\n")], []),
    ("SC505", [put(PROMPT, "a\n\x1b[31m")], [2]),
    ("SC506", [put(PROMPT, "see /app/tests and /tests-old")], []),
    ("SC506", [put(PROMPT, "a\nsee /tests/x.py")], [2]),
    ("SC507", [put(PROMPT, "a canary sings")], []),
    ("SC507", [put(PROMPT, "<!-- canary GUID 123 -->")], [1]),
    ("SC508", [put(PROMPT, "write {name} into $HOME")], []),
    ("SC508", [put(PROMPT, "do\n{{ task.text }}")], [2]),
]

ORACLES: list[tuple[str, list[Edit], list[int]]] = [
    ("SC701", [remove(f"{CASE}/oracle")], []),
    ("SC701", [remove(f"{CASE}/oracle"), put(f"{CASE}/oracle", "")], [0]),
    ("SC702", [put(f"{CASE}/oracle/more.txt", "")], []),
    ("SC702", [move(SOLVE_SH, f"{CASE}/oracle/solution.sh")], [0]),
    ("SC702", [folder(SOLVE_SH)], [0]),
    ("SC703", [chmod(SOLVE_SH, 0o755)], []),
    ("SC703", [chmod(SOLVE_SH, 0o644)], [0]),
    ("SC704", [swap(SOLVE_SH, "echo hello", "# as /solution/x\nls /app/solution/")], []),
    ("SC704", [swap(SOLVE_SH, "echo hello", "ln -s \"$MARGIN_ORACLE_DIR\" /solution; sh /solution/x")], []),
    ("SC704", [swap(SOLVE_SH, "echo hello", "sh /solution/x; echo hello")], [3]),
    ("SC704", [swap(SOLVE_SH, "echo hello", "sh /oracle/x; echo hello")], []),
    ("SC705", [], []),
    ("SC705", [remove(f"{CASE}/oracle")], [0]),
    ("SC706", [swap(SOLVE_SH, "hello >", "hello\\r >")], []),
    ("SC706", [swap(SOLVE_SH, "\n", "\r\n")], [1]),
    ("SC707", [swap(SOLVE_SH, 'cd "$MARGIN_AGENT_CWD" || exit 1\n', ""), swap(CASE_TOML, '"/app"', '"/"')], []),
    ("SC707", [swap(SOLVE_SH, 'cd "$MARGIN_AGENT_CWD" || exit 1\n', "")], [1]),
    ("SC708", [swap(SOLVE_SH, "echo hello", "ls /app/tests; echo hello")], []),
    ("SC708", [swap(SOLVE_SH, "echo hello", "cat /tests/x; echo hello")], [3]),
    ("SC709", [put(SOLVE_SH, ":\n", 0o755)], []),
    ("SC709", [put(SOLVE_SH, "#!/bin/sh\n# later\n", 0o755)], [0]),
]  # fmt: skip


@pytest.mark.parametrize(("code", "edits", "expected"), [*IMAGES, *FOLDERS, *PROMPTS, *ORACLES])
def test_rule_fires_where_it_should(tmp_path: Path, code: str, edits: list[Edit], expected: list[int]) -> None:
    assert lines(write_suite(tmp_path, *edits), code) == expected
