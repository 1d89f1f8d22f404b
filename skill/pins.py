"""What became of image names: the digest each was resolved to, or why there is none; and the file that keeps them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from skill.contract import IMAGE_PIN
from skill.image_ref import read_image_ref
from skill.toml import TomlError, TomlTable, dump, load

DEFAULT_PLATFORM: Final = "linux/amd64"
MISSING: Final = "image-missing"  # the registry says that there is no such image
UNKNOWN: Final = "image-unknown"  # nobody could say: no answer, no permission, an answer that cannot be trusted
NO_PLATFORM: Final = "image-platform"  # it is there, for other machines
NOT_PINNED: Final = "image-not-pinned"  # it has no digest that anybody else could ask for
BAD_NAME: Final = "image-name"  # no engine would take the name
BUILD_FAILED: Final = "build-failed"  # what was to be published does not build
CODES: Final = (MISSING, UNKNOWN, NO_PLATFORM, NOT_PINNED, BAD_NAME, BUILD_FAILED)
HEADER: Final = "# Image names and the digests they stand for; `suite-converter pin` refreshes them.\n"


@dataclass(frozen=True)
class Pin:
    """A name that was resolved."""

    reference: str  # as the source writes it
    pinned: str  # name:tag@sha256:...
    by: str  # "source", "pins", "registry", "engine"


@dataclass(frozen=True)
class Unpinned:
    """A name without a digest; ``code`` tells missing from unknown."""

    reference: str
    code: str
    reason: str


Resolution = Pin | Unpinned


def already_pinned(reference: str) -> Resolution | None:
    """The answer that needs nobody: the name has its digest, or is none; None when somebody must be asked."""
    found = read_image_ref(reference)
    if found is None:
        if IMAGE_PIN.match(reference):
            return Unpinned(reference, NOT_PINNED, f"{reference} is the id of an image on one machine")
        return Unpinned(reference, BAD_NAME, f"{reference} is no name of an image")
    return Pin(reference, reference, "source") if found.digest else None


def read_pins(data: bytes, platform: str) -> dict[str, str]:
    """Name to pinned name as a pins file has it.

    Raises TomlError for a file that is none, or is one of another platform, with the reason.
    """
    table = load(data)
    if (made := table.get("platform", DEFAULT_PLATFORM)) != platform:
        raise TomlError(f"its pins are for {made}, not for {platform} (keep one file for each)")
    images = table.get("images", {})
    if not isinstance(images, dict):
        raise TomlError("images is no table")
    pins: dict[str, str] = {}
    for name, pinned in images.items():
        asked, found = read_image_ref(name), read_image_ref(pinned) if isinstance(pinned, str) else None
        if asked is None or found is None or not found.digest or found.repository != asked.repository:
            raise TomlError(f'"{name}" is not pinned by {str(pinned)[:100]!r} (write "name:tag@sha256:<64 hex>")')
        pins[name] = str(pinned)
    return pins


def write_pins(pins: Mapping[str, str], platform: str) -> bytes:
    """The pins file for ``platform``, sorted by name."""
    images: TomlTable = {name: pins[name] for name in sorted(pins)}
    return (HEADER + dump({"platform": platform, "images": images})).encode()


def moved(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Every name in both whose digest changed, with the old and the new pinned name."""
    both = before.keys() & after.keys()
    return {name: (before[name], after[name]) for name in sorted(both) if before[name] != after[name]}


def pin_table(found: Iterable[Resolution]) -> dict[str, str]:
    """Name to pinned name of those that somebody had to be asked for."""
    return {pin.reference: pin.pinned for pin in found if isinstance(pin, Pin) and pin.by != "source"}
