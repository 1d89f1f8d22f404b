"""Nothing that a dataset can hold makes a reader raise, hang, or say something unprintable."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skill.dockerfile import parse
from skill.sources.compose import read_compose
from skill.sources.harbor.compose import HARBOR_COMPOSE
from skill.sources.harbor.config import read_config
from skill.sources.harbor.fields import FIELDS
from skill.sources.prompt import describe
from skill.toml import dump
from tests.support.harbor_tasks import codes, load, make_task

DOCKER_WORDS = ["FROM x", "WORKDIR ", "ENV A=", "ARG B", "RUN <<E", "E", "\\", "$", "${", "}", '"', "'", "[", "\n"]
COMPOSE_WORDS = ["services:", "  main:", "    ", "build", ": ", "[", "{", "&a ", "*a", "- ", "${X", "}", "\n", "!!"]
KEYS = sorted({key for fields in FIELDS.values() for key in fields})
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
    max_leaves=8,
)


def _without_none(value: object) -> object:
    if isinstance(value, dict):
        return {key: _without_none(item) for key, item in value.items() if item is not None}
    return [_without_none(item) for item in value if item is not None] if isinstance(value, list) else value


@given(st.lists(st.sampled_from(DOCKER_WORDS) | st.text(max_size=5), max_size=20).map("".join))
def test_any_dockerfile_gives_facts(text: str) -> None:
    facts = parse(text.encode("utf-8", "surrogatepass"))
    assert facts.workdir is None or facts.workdir.startswith("/")


@given(st.lists(st.sampled_from(COMPOSE_WORDS) | st.text(max_size=5), max_size=20).map("".join))
def test_any_compose_file_is_folded_or_refused(text: str) -> None:
    compose = read_compose(text.encode("utf-8", "surrogatepass"), {}, HARBOR_COMPOSE)
    assert compose.refusals or any(finding.code == "S107" for finding in compose.findings)


@given(st.binary(max_size=60))
def test_any_bytes_are_a_configuration_or_refused(data: bytes) -> None:
    config = read_config(data)
    assert config.refusals or config.tables


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=4))
def test_any_values_of_any_types_are_read(table: dict[str, object]) -> None:
    read_config(dump(_without_none(table)).encode("utf-8", "surrogatepass"))


@given(st.binary(max_size=200))
def test_any_prompt_gives_one_short_printable_line(data: bytes) -> None:
    line = describe(data)
    assert len(line) <= 100 and line.isprintable() and line == line.strip()


BOMBS = {
    "doubling": "FROM x\nENV A=xx\n" + "ENV A=$A$A\n" * 60 + "WORKDIR /$A\n",
    "repeating": "FROM x\nENV A=" + "a" * 200_000 + "\nWORKDIR /" + "$A" * 20_000 + "\n",
    "matching": "FROM x\nENV A=" + "a" * 5_000 + "\nWORKDIR /${A//" + "a*" * 12 + "b/x}\n",
    "nesting": "FROM x\nCMD " + "[" * 100_000 + "\n",
    "huge": "FROM x\n" + "#" * 3_000_000,
}


@pytest.mark.parametrize("text", BOMBS.values(), ids=BOMBS)
def test_a_dockerfile_made_to_take_all_time_or_memory_is_a_problem(text: str) -> None:
    started = time.process_time()
    assert len(parse(text.encode()).problems) == 1
    assert time.process_time() - started < 2


LAUGHS = "x: &a0 [y]\n" + "".join(f"x{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 30))
COMPOSE_BOMBS = {
    "many aliases": LAUGHS + "services: {main: {command: *a29}}\n",
    "few aliases": "x: &a [y]\nx: &b [*a, *a]\nservices: {main: {command: *b, volumes: *b, environment: {A: *b}}}\n",
    "references": "services:\n  main:\n    environment:\n      A: '" + "${A-" * 300_000 + "'\n",
}


@pytest.mark.parametrize("text", COMPOSE_BOMBS.values(), ids=COMPOSE_BOMBS)
def test_a_compose_file_made_to_take_all_time_or_memory_is_refused(text: str) -> None:
    started = time.process_time()
    assert all(len(refusal.sentence) < 300 for refusal in read_compose(text.encode(), {}, HARBOR_COMPOSE).refusals)
    assert read_compose(text.encode(), {}, HARBOR_COMPOSE).refusals
    assert time.process_time() - started < 2


TOML_BOMBS = {
    "long key": "a" + ".a" * 100_000 + " = 1\n",
    "long header": "[" + "a." * 100_000 + "a]\n",
    "long inline key": "a = {" + "a." * 100_000 + "a = 1}\n",
    "nesting": "a = " + "[" * 100_000,
    "braces": "a = " + "{" * 300_000,
}


@pytest.mark.parametrize("text", TOML_BOMBS.values(), ids=TOML_BOMBS)
def test_a_configuration_made_to_take_all_time_or_memory_is_refused(text: str) -> None:
    started = time.process_time()
    assert {refusal.code for refusal in read_config(text.encode()).refusals} == {"bad-toml"}
    assert time.process_time() - started < 2


def test_a_configuration_of_megabytes_is_not_even_parsed(tmp_path: Path) -> None:
    assert codes(load(make_task(tmp_path, toml="#" * 1_048_577))) == {"bad-toml"}


@pytest.mark.parametrize(
    "prompt",
    ["<!--" * 500_000, "canary" * 300_000, "<a " * 500_000, "\n" * 2_000_000, "# " * 1_000_000, "---\n" * 500_000],
    ids=["comments", "canaries", "tags", "lines", "marks", "front matter"],
)
def test_a_prompt_made_to_be_slow_is_not(tmp_path: Path, prompt: str) -> None:
    root = make_task(tmp_path, {"instruction.md": prompt + "Sort."})
    started = time.process_time()
    load(root)
    assert time.process_time() - started < 2
