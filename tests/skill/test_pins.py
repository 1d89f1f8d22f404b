"""The pins file: what is taken from it, and what went elsewhere since."""

from __future__ import annotations

import pytest

from skill.pins import Pin, Unpinned, already_pinned, moved, pin_table, read_pins, write_pins
from skill.toml import TomlError

ONE, TWO = (f"gull/nest:2@sha256:{digit * 64}" for digit in "12")
PLATFORM = "linux/amd64"


def test_a_file_is_read_as_it_was_written() -> None:
    pins = {"gull/nest:2": ONE, "auk": f"auk:latest@sha256:{'3' * 64}"}
    data = write_pins(pins, PLATFORM)
    assert read_pins(data, PLATFORM) == pins
    assert write_pins(dict(reversed(pins.items())), PLATFORM) == data


def test_pins_of_another_platform_are_not_taken_and_so_not_lost() -> None:
    with pytest.raises(TomlError, match="are for linux/amd64, not for linux/arm64"):
        read_pins(write_pins({"gull/nest:2": ONE}, PLATFORM), "linux/arm64")


def test_a_file_without_pins_is_one_too() -> None:
    assert read_pins(b"", PLATFORM) == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("images = 1", "no table"),
        ('[images]\n"gull/nest:2" = "gull/nest:2"', "is not pinned by"),
        ('[images]\n"gull/nest:2" = 1', "is not pinned by"),
        (f'[images]\n"gull/nest:2" = "auk@sha256:{"1" * 64}"', "is not pinned by"),
        (f'[images]\n"gull/nest:2" = "sha256:{"1" * 64}"', "is not pinned by"),
        ("[images", "Expected"),
    ],
)
def test_what_is_no_pins_file(text: str, said: str) -> None:
    with pytest.raises(TomlError, match=said):
        read_pins(text.encode(), PLATFORM)


def test_what_moved() -> None:
    assert moved({"a": ONE, "b": ONE, "gone": ONE}, {"a": ONE, "b": TWO, "new": TWO}) == {"b": (ONE, TWO)}


def test_what_needs_nobody_to_be_asked() -> None:
    assert already_pinned("gull/nest:2") is None
    assert already_pinned(ONE) == Pin(ONE, ONE, "source")
    for bad, code, said in (
        (f"sha256:{'1' * 64}", "image-not-pinned", "on one machine"),
        ("No Name", "image-name", "no name of an image"),
    ):
        found = already_pinned(bad)
        assert isinstance(found, Unpinned) and found.code == code and said in found.reason


def test_only_what_somebody_was_asked_for_is_kept() -> None:
    found = [Pin(ONE, ONE, "source"), Pin("gull/nest:2", TWO, "registry"), Unpinned("auk", "image-missing", "")]
    assert pin_table(found) == {"gull/nest:2": TWO}
