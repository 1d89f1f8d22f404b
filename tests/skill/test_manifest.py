from __future__ import annotations

from pathlib import Path

import pytest

from skill.errors import ManifestError
from skill.manifest import MAX_LINES, load, skill_root

GOOD = "---\nname: jam-maker\ndescription: Makes jam. Use it for fruit.\n---\n\n# Jam\n\nBoil.\n"


def skill(tmp_path: Path, text: str | bytes = GOOD, *pages: str, folder: str = "jam-maker") -> Path:
    root = tmp_path / folder
    (root / "references").mkdir(parents=True)
    (root / "SKILL.md").write_bytes(text if isinstance(text, bytes) else text.encode())
    for page in pages:
        (root / "references" / page).write_text("# Page\n")
    return root


def with_header(lines: str) -> str:
    return GOOD.replace("description: Makes jam. Use it for fruit.", lines)


def test_a_plain_document_is_read_whole(tmp_path: Path) -> None:
    manifest = load(skill(tmp_path))
    assert (manifest.name, manifest.description) == ("jam-maker", "Makes jam. Use it for fruit.")
    assert manifest.body == "# Jam\n\nBoil.\n"
    assert manifest.files == ("SKILL.md",)
    assert manifest.notes == ()


NEAR_MISSES = {
    "dashes inside a quoted value": with_header('description: "jam --- and more"'),
    "dashes with text after them": with_header("description: |\n  jam\n  --- fruit"),
    "a rule further down": GOOD + "\n---\n\nSecond part.\n",
    "CRLF line ends": GOOD.replace("\n", "\r\n"),
    "every optional field": with_header(
        'description: jam\nlicense: MIT\ncompatibility: any pot\nallowed-tools: Read Write\nmetadata:\n  edition: "2"'
    ),
    "description of exactly 1024 characters": with_header("description: " + "j" * 1024),
    "name of exactly 64 characters": GOOD.replace("jam-maker", "j" * 64),
    "exactly as many lines as allowed": GOOD + "\n" * (MAX_LINES - 1 - GOOD.count("\n")),
    "an empty body": GOOD.split("# Jam")[0],
}


@pytest.mark.parametrize("text", NEAR_MISSES.values(), ids=NEAR_MISSES.keys())
def test_unusual_but_right(tmp_path: Path, text: str) -> None:
    assert load(skill(tmp_path, text)).description


DEFECTS: dict[str, tuple[str | bytes, str]] = {
    "byte order mark": (b"\xef\xbb\xbf" + GOOD.encode(), "byte order mark"),
    "not UTF-8": (GOOD.encode() + b"\xff", "not UTF-8 at byte"),
    "leading blank line": ("\n" + GOOD, "does not start with the line ---"),
    "no front matter": ("# Jam\n", "does not start with the line ---"),
    "front matter left open": (GOOD.replace("fruit.\n---", "fruit.\n----"), "not closed"),
    "broken YAML": (with_header("description: jam: fruit: more"), "front matter:"),
    "a list": ("---\n- jam\n---\n", "not a mapping"),
    "a key twice": (with_header("description: a\ndescription: b"), "twice"),
    "unknown field": (with_header("description: jam\nversion: '2'"), "unknown field 'version'"),
    "number for text": (with_header("description: 12"), "wrong type"),
    "nested metadata": (with_header("description: jam\nmetadata:\n  a:\n    b: c"), "wrong type"),
    "no name": (GOOD.replace("name: jam-maker\n", ""), "name must be"),
    "capital letter": (GOOD.replace("jam-maker", "Jam-maker"), "name must be"),
    "double hyphen": (GOOD.replace("jam-maker", "jam--maker"), "name must be"),
    "trailing hyphen": (GOOD.replace("jam-maker", "jam-"), "name must be"),
    "name of 65 characters": (GOOD.replace("jam-maker", "j" * 65), "name must be"),
    "no description": (with_header("license: MIT"), "description must have"),
    "blank description": (with_header("description: '  '"), "description must have"),
    "description of 1025 characters": (with_header("description: " + "j" * 1025), "description must have"),
    "empty compatibility": (with_header("description: jam\ncompatibility: ''"), "compatibility must have"),
    "one line too many": (GOOD + "\n" * (MAX_LINES - GOOD.count("\n")), f"over {MAX_LINES}"),
    "missing reference": (GOOD + "See [jars](references/jars.md).\n", "jars.md: is linked"),
    "missing reference named in code": (GOOD + "See `references/jars.md`.\n", "jars.md: is linked"),
    "reference two levels deep": (GOOD + "See references/glass/jars.md.\n", "links references/glass/jars.md"),
    "reference that climbs out": (GOOD + "See references/../jars.md.\n", "links references/../jars.md"),
}


@pytest.mark.parametrize(("text", "message"), DEFECTS.values(), ids=DEFECTS.keys())
def test_defects_are_told_before_anything_is_spent(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(ManifestError) as caught:
        load(skill(tmp_path, text))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_document_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match="cannot be read: No such file"):
        load(tmp_path)


def test_references_are_listed_once_in_the_order_of_mention(tmp_path: Path) -> None:
    links = "[b](references/b.md), [a](references/a.md#top), `references/b.md`"
    text = f"{GOOD}{links}; docs/references/z.md is not ours.\n"
    assert load(skill(tmp_path, text, "a.md", "b.md")).references == ("references/b.md", "references/a.md")


def test_a_linked_page_must_not_be_a_symbolic_link(tmp_path: Path) -> None:
    root = skill(tmp_path, GOOD + "[a](references/a.md)\n")
    (root / "references" / "a.md").symlink_to(root / "SKILL.md")
    with pytest.raises(ManifestError, match="no regular file"):
        load(root)


def test_what_is_only_worth_a_note(tmp_path: Path) -> None:
    notes = load(skill(tmp_path, GOOD, "spare.md", folder="kitchen")).notes
    assert notes == (
        "the folder is called 'kitchen': clients that go by folder expect 'jam-maker'",
        "references/spare.md is not linked from SKILL.md",
    )


def test_our_own_root_holds_the_document() -> None:
    assert (skill_root() / "SKILL.md").is_file()
