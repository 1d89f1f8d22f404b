"""Flags and the answers file become one set of choices; a flag wins."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.errors import UsageError
from agent.options import Options, merged, read_answers

FLAGS = {"source": Path("s"), "image": "", "pass_if": "", "test_cwd": "", "allow": []}


def test_the_file_completes_the_flags() -> None:
    answers = {"image": "keep", "pass_if": "reward>=1", "allow": ["gpu-only"], "agent_cwd": "/app"}
    options = Options(**merged(FLAGS, answers, {}))
    assert (options.image, options.pass_if, options.test_cwd) == ("keep", "reward>=1", "root")
    assert options.allow == ("gpu-only",)
    assert options.answers == {"agent_cwd": "/app"}
    assert options.answered == {"image", "agent_cwd"}


def test_a_flag_wins_and_codes_add_up() -> None:
    flags = {**FLAGS, "image": "dockerfile", "allow": ["user-not-root"]}
    options = Options(**merged(flags, {"image": "keep", "allow": ["gpu-only"]}, {"agent_cwd": "/b"}))
    assert options.image == "dockerfile"
    assert options.allow == ("gpu-only", "user-not-root")
    assert options.answers == {"agent_cwd": "/b"}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("image = keep", r"answers.toml:1: is no TOML"),
        ("image = 'keep", r"answers.toml: is no TOML"),
        ("image = 1", r"image must be a string"),
        ("allow = 'gpu-only'", r"allow must be a list"),
        ("allow = [1]", r"allow must be a list"),
    ],
)
def test_a_bad_answers_file_is_told_with_its_place(text: str, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "answers.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=complaint):
        read_answers(path)


@pytest.mark.parametrize("answers", [{"image": "podman"}, {"test_cwd": "/app"}])
def test_a_choice_that_is_none_is_told(answers: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="is not a choice"):
        merged(FLAGS, answers, {})


def test_a_missing_answers_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        read_answers(tmp_path / "none.toml")
