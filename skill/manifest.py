"""The skill document: SKILL.md with its front matter, and the references it links.

Stricter than the reference validator of the Agent Skills specification where that saves a paid request: a
linked page that is missing, or a body too long to be read whole, is an error here. More lenient in one
point: only a line that is exactly ``---`` closes the front matter, so a quoted value may contain dashes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import yaml

from skill.errors import ManifestError

DOCUMENT: Final = "SKILL.md"
REFERENCES: Final = "references"
MAX_LINES: Final = 500  # of SKILL.md as a whole: it is in every request
NAME: Final = re.compile(r"(?=.{1,64}\Z)[a-z0-9]+(?:-[a-z0-9]+)*\Z")
LIMITS: Final = {"description": 1024, "compatibility": 500}
FIELDS: Final = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
LINK: Final = re.compile(r"(?<![\w./-])references/[\w./-]*[\w-]")


@dataclass(frozen=True)
class Manifest:
    """A skill document that is complete: every page it links is there."""

    root: Path  # the folder that SKILL.md lies in
    name: str
    description: str
    body: str  # the Markdown after the front matter
    references: tuple[str, ...]  # "references/x.md", in the order of first mention
    license: str = ""
    compatibility: str = ""
    allowed_tools: tuple[str, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # what a person should hear, none of it fatal

    @property
    def files(self) -> tuple[str, ...]:
        """All that may be read as part of the skill, relative to ``root``."""
        return (DOCUMENT, *self.references)


def skill_root() -> Path:
    """The folder of our own SKILL.md: the copy inside an installed package, else the checkout.

    Raises ManifestError when there is neither.
    """
    package = Path(__file__).resolve().parent
    for root in (package / "_bundle", package.parent):
        if (root / DOCUMENT).is_file():
            return root
    raise ManifestError(package.parent / DOCUMENT, "not found", "reinstall suite-converter")


def load(root: Path) -> Manifest:
    """The skill document in ``root``, checked as a whole before anything is spent on it.

    Raises ManifestError for a document that is missing, malformed or too long, for an unknown or ill-typed
    field, and for a linked reference that is not there.
    """
    path = root / DOCUMENT
    header, body = _split(path, _text(path))
    fields = _fields(path, header)
    references = tuple(dict.fromkeys(LINK.findall(body)))
    for reference in references:
        _require(root, reference)
    return Manifest(
        root=root,
        name=fields["name"],
        description=fields["description"],
        body=body,
        references=references,
        license=fields.get("license", ""),
        compatibility=fields.get("compatibility", ""),
        allowed_tools=tuple(fields.get("allowed-tools", "").split()),
        metadata=fields.get("metadata", {}),
        notes=tuple(_notes(root, fields["name"], references)),
    )


def _text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as exc:
        raise ManifestError(path, f"cannot be read: {exc.strerror}") from exc
    if data.startswith(b"\xef\xbb\xbf"):
        raise ManifestError(path, "starts with a byte order mark", "save it as UTF-8 without one")
    try:
        text = data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as exc:
        raise ManifestError(path, f"is not UTF-8 at byte {exc.start}") from exc
    if (lines := text.count("\n") + 1) > MAX_LINES:
        raise ManifestError(path, f"has {lines} lines, over {MAX_LINES}", f"move detail to {REFERENCES}/")
    return text


def _split(path: Path, text: str) -> tuple[str, str]:
    first, *rest = text.split("\n")
    if first != "---":
        raise ManifestError(path, "does not start with the line ---", "begin with YAML front matter")
    if "---" not in rest:
        raise ManifestError(path, "front matter is not closed by a line ---")
    end = rest.index("---")
    return "\n".join(rest[:end]), "\n".join(rest[end + 1 :]).strip("\n") + "\n"


class _StrictLoader(yaml.SafeLoader):
    """PyYAML's safe loader, which by itself lets the last of two equal keys win."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        if twice := [key for key in keys if keys.count(key) > 1]:
            raise yaml.YAMLError(f"the key {twice[0]!r} stands there twice")
        return super().construct_mapping(node, deep)


def _fields(path: Path, header: str) -> dict[str, Any]:
    try:
        fields = yaml.load(header, _StrictLoader)
    except yaml.YAMLError as exc:
        raise ManifestError(path, "front matter: " + " ".join(str(exc).split())) from exc
    if not isinstance(fields, dict):
        raise ManifestError(path, "front matter is not a mapping of names to values")
    for key, value in fields.items():
        if key not in FIELDS:
            raise ManifestError(path, f"unknown field {key!r}", "allowed: " + ", ".join(FIELDS))
        if not _well_typed(key, value):
            raise ManifestError(path, f"field {key!r} has the wrong type", "quote plain values")
    if not NAME.match(fields.get("name", "")):
        raise ManifestError(path, "name must be 1-64 of a-z, 0-9 and single inner hyphens")
    for key, most in LIMITS.items():
        if (key in fields or key == "description") and not 1 <= len(fields.get(key, "").strip()) <= most:
            raise ManifestError(path, f"{key} must have 1 to {most} characters")
    return fields


def _well_typed(key: str, value: object) -> bool:
    if key != "metadata":
        return isinstance(value, str)
    return isinstance(value, dict) and all(isinstance(text, str) for item in value.items() for text in item)


def _require(root: Path, reference: str) -> None:
    path = root / reference
    if reference.count("/") != 1 or not reference.endswith(".md"):
        raise ManifestError(root / DOCUMENT, f"links {reference}", f"link pages {REFERENCES}/<name>.md only")
    if path.is_symlink() or not path.is_file():
        raise ManifestError(path, f"is linked from {DOCUMENT} but is no regular file")


def _notes(root: Path, name: str, references: tuple[str, ...]) -> list[str]:
    notes = []
    if root.name != name and root.name != "_bundle":
        notes.append(f"the folder is called {root.name!r}: clients that go by folder expect {name!r}")
    present = sorted(f"{REFERENCES}/{path.name}" for path in (root / REFERENCES).glob("*") if path.is_file())
    notes += [f"{page} is not linked from {DOCUMENT}" for page in present if page not in references]
    return notes
