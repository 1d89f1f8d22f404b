"""What may change in a source's tests (near misses first), and what is a loss, kind by kind."""

from __future__ import annotations

import pytest

from skill.loss import Kind
from skill.weakening import losses

PYTHON = '''\
"""Tests of the lantern."""
import json
import pytest

LIMIT = 30
WANTED = json.load(open("/tests/wanted.json"))


@pytest.fixture
def lantern():
    return {"oil": 3}


@pytest.mark.parametrize("wick", [1, 2, 3])
def test_wick(wick, lantern):
    assert wick <= lantern["oil"]


def test_flame():
    text = open("/app/flame.txt").read()
    assert text.strip() == "blue", "wrong flame"
    with pytest.raises(ValueError):
        int(text)


class TestGlass:
    def setup_method(self):
        self.panes = 6

    def test_panes(self):
        assert self.panes == 6


def helper(x):
    return x + 1
'''

NEAR = {
    "nothing changed": ("", ""),
    "a comment": ("LIMIT = 30", "LIMIT = 30  # seconds"),
    "layout": ("    assert wick <= lantern", "    assert (\n        wick\n    ) <= lantern"),
    "other quotes": ('"blue"', "'blue'"),
    "the place of the tests": ('"/tests/wanted.json"', '"/stage/tests/wanted.json"'),
}

HITS = {
    "a test is gone": ("def test_flame():\n", "def flame():\n", Kind.TEST),
    "a test is skipped": ("def test_flame", "@pytest.mark.skip\ndef test_flame", Kind.TEST),
    "a test may fail": ("def test_flame", "@pytest.mark.xfail(strict=False)\ndef test_flame", Kind.TEST),
    "a test class is gone": ("class TestGlass", "class Glass", Kind.TEST),
    "an assertion is gone": ('    assert wick <= lantern["oil"]\n', "    pass\n", Kind.ASSERTION),
    "an assertion says less": ("wick <= lantern", "wick <= 9 or lantern", Kind.ASSERTION),
    "a raise is no longer awaited": ("    with pytest.raises(ValueError):\n", "    if text:\n", Kind.ASSERTION),
    "fewer parameters": ("[1, 2, 3]", "[1, 2]", Kind.PARAMETERS),
    "no parameters": ('@pytest.mark.parametrize("wick", [1, 2, 3])\n', "", Kind.PARAMETERS),
    "another expected value": ('== "blue"', '== "red"', Kind.EXPECTED),
    "another expected number": ("self.panes == 6", "self.panes == 5", Kind.EXPECTED),
    "another constant of the module": ("LIMIT = 30", "LIMIT = 3000", Kind.EXPECTED),
    "the expectation comes from the candidate": ("/tests/wanted.json", "/app/wanted.json", Kind.EXPECTED),
    "a look-alike of the new place": ("/tests/wanted.json", "/stage/tests2/wanted.json", Kind.EXPECTED),
    "the fixture prepares something else": ('{"oil": 3}', '{"oil": 9}', Kind.FIXTURE),
    "the set-up prepares something else": ("self.panes = 6", "self.panes = 7", Kind.FIXTURE),
    "the fixture is gone": ("@pytest.fixture\ndef lantern", "@pytest.fixture\ndef lamp", Kind.FIXTURE),
    "an early return": ("    text = open", "    return\n    text = open", Kind.CODE),
    "an assertion out of reach": ("    assert wick <=", "    if False:\n        assert wick <=", Kind.CODE),
    "a second test of the same name": ("def helper", "def test_flame():\n    pass\n\n\ndef helper", Kind.CODE),
    "a helper says something else": ("return x + 1", "return x * 1", Kind.CODE),
    "another base class": ("class TestGlass:", "class TestGlass(dict):", Kind.CODE),
    "code of no source": ("LIMIT = 30", "LIMIT = 30\npytest.skip = print", Kind.CODE),
    "no Python any more": ("class TestGlass:", "class TestGlass", Kind.CODE),
}


def kinds(before: str, after: str, path: str = "test_lantern.py", staged: str = "/stage/tests") -> list[Kind]:
    return [loss.kind for loss in losses({path: before.encode()}, {path: after.encode()}, staged)]


@pytest.mark.parametrize(("old", "new"), NEAR.values(), ids=NEAR)
def test_a_python_test_may_change_in_its_layout_and_its_place(old: str, new: str) -> None:
    assert old in PYTHON
    assert kinds(PYTHON, PYTHON.replace(old, new)) == []


@pytest.mark.parametrize(("old", "new", "kind"), HITS.values(), ids=HITS)
def test_anything_else_in_a_python_test_is_a_loss(old: str, new: str, kind: Kind) -> None:
    assert old in PYTHON
    assert kind in kinds(PYTHON, PYTHON.replace(old, new))


def test_tests_that_stay_where_the_source_has_them_have_no_other_place() -> None:
    assert kinds('open("/tests/a")\n', 'open("/stage/tests/a")\n', staged="/tests") == [Kind.EXPECTED]


def test_a_loss_says_where_and_what() -> None:
    (loss,) = losses(
        {"test_a.py": b"def test_a():\n    assert a == 1\n"}, {"test_a.py": b"def test_a():\n    assert a == 2\n"}
    )
    assert (loss.path, loss.line, loss.message) == ("test_a.py", 2, "test_a: assert a == 1 has another value here")


SPEC = """\
import { glow } from '/app/lamp.js';
test('glows', () => {
  expect(glow(2)).toBe(4); // twice
});
const data = read('/tests/data.txt');
"""
NODE_NEAR = {
    "nothing": ("", ""),
    "blanks": ("expect(glow(2))", "expect( glow(2) )"),
    "the place": ("/tests/data.txt", "/stage/tests/data.txt"),
}
NODE_HITS = {
    "another value": ("toBe(4)", "toBe(5)", Kind.EXPECTED),
    "another string": ("'glows'", "'glowed'", Kind.EXPECTED),
    "a softer matcher": ("toBe(4)", "toBeTruthy()", Kind.ASSERTION),
    "a skipped test": ("test('glows'", "test.skip('glows'", Kind.ASSERTION),
    "the expectation commented out": ("  expect(", "  // expect(", Kind.ASSERTION),
    "the candidate's own data": ("/tests/data.txt", "/app/data.txt", Kind.EXPECTED),
    "the module under test": ("import {", "import * as x {", Kind.CODE),
    "the end is missing": ("const data = read('/tests/data.txt');\n", "", Kind.CODE),
    "something was added": ("'/tests/data.txt');\n", "'/tests/data.txt');\nglobalThis.expect = ok;\n", Kind.CODE),
}


@pytest.mark.parametrize(("old", "new"), NODE_NEAR.values(), ids=NODE_NEAR)
def test_another_language_may_change_between_its_tokens_and_in_its_place(old: str, new: str) -> None:
    assert kinds(SPEC, SPEC.replace(old, new), "glow.test.mjs") == []


@pytest.mark.parametrize(("old", "new", "kind"), NODE_HITS.values(), ids=NODE_HITS)
def test_anything_else_in_another_language_is_a_loss(old: str, new: str, kind: Kind) -> None:
    assert old in SPEC
    assert kinds(SPEC, SPEC.replace(old, new), "glow.test.mjs") == [kind]


@pytest.mark.parametrize("joined", ["cd /app && make\n./lamp", "cd /app && make ./lamp"])
def test_the_end_of_a_line_is_a_token(joined: str) -> None:
    assert (kinds("cd /app && make\n./lamp", joined, "helper.sh") == []) == ("\n" in joined)


@pytest.mark.parametrize("path", ["wanted.json", "golden.txt", "data.csv", "a.patch", "Dockerfile", "image.bin"])
def test_data_are_equal_byte_for_byte(path: str) -> None:
    assert kinds("7 8 9\n", "7 8 9\n", path) == []
    assert kinds("7 8 9\n", "7 8 9 \n", path) == [Kind.DATA]


def test_files_may_come_but_not_go() -> None:
    assert list(losses({"a.json": b"1"}, {"a.json": b"1", "judge.sh": b"true"})) == []
    assert [loss.kind for loss in losses({"a.json": b"1"}, {})] == [Kind.FILE]


def test_test_sh_is_not_compared_here() -> None:
    assert list(losses({"test.sh": b"pytest"}, {"test.sh": b"true"})) == []
    assert list(losses({"test.sh": b"pytest"}, {})) == []


@pytest.mark.parametrize("path", ["conftest.py", "unit/conftest.py", "pytest.ini", "package.json", "sitecustomize.py"])
def test_nothing_that_steers_a_runner_may_be_put_among_the_tests(path: str) -> None:
    assert list(losses({path: b"[x]"}, {path: b"[x]"})) == []
    assert [loss.kind for loss in losses({}, {path: b"[x]"})] == [Kind.STEERING]


def test_python_that_this_python_cannot_read_is_data() -> None:
    assert kinds("print 'old'\n", "print 'old'\n") == []
    assert kinds("print 'old'\n", "print  'old'\n") == [Kind.DATA]


def test_python_nested_too_deeply_is_compared_as_a_whole() -> None:
    deep = "x = " + "-" * 900 + "1\n"
    assert kinds(deep, deep) == []
    assert kinds(deep, deep.replace("1", "2")) != []
