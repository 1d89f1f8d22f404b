"""Rules about an image that was looked into, beside the case that names it: SC42x."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from skill.case import Case
from skill.contract import CASE_FILE, TEST_SCRIPT
from skill.finding import Severity
from skill.image_facts import SHELL, ImageFacts, There
from skill.pins import DEFAULT_PLATFORM
from skill.rules.base import Defect, Family

NEED: Final = re.compile(r"^ *need ((?:[\w.+-]+ ?)+)$", re.MULTILINE)  # of the generated verifier and its library
LIBRARY: Final = "tests/.verdict/lib.sh"


@dataclass(frozen=True)
class LookedInto:
    """A case whose image was looked into."""

    case: Case
    facts: ImageFacts
    platform: str = DEFAULT_PLATFORM


LOOKED_INTO: Family[LookedInto] = Family("image looked into")


def paths_of(case: Case) -> tuple[str, ...]:
    """What has to be looked at in the image of ``case``."""
    staged = (posixpath.join(case.test_cwd, folder) for folder in ("tests", "oracle"))
    return tuple(posixpath.normpath(path) for path in (case.agent_cwd, *staged) if path.startswith("/"))


@LOOKED_INTO.defect("SC421", "image-lacks-agent-cwd", basis="W8")
def image_lacks_agent_cwd(seen: LookedInto) -> Iterator[Defect]:
    """The image has no folder at agent_cwd.

    Nothing creates it; every run ends as an infrastructure failure, only oracle runs do not notice.
    Right: a folder that is in the image, or a Dockerfile with that WORKDIR.
    """
    place = posixpath.normpath(seen.case.agent_cwd)
    if seen.facts.at(place) in (There.NOTHING, There.FILE):
        yield _at(seen, "agent_cwd", f'the image has no folder "{place}"', "name a folder of the image")


@LOOKED_INTO.defect("SC422", "image-user-is-not-root", basis="W25")
def image_user_is_not_root(seen: LookedInto) -> Iterator[Defect]:
    """The image runs as another user than root.

    Margin cannot make its server executable there; every dry and full run ends as an infrastructure failure.
    Right: an image whose USER is root, such as one built from this one with a last line `USER root`.
    """
    if not seen.facts.runs_as_root:
        yield _at(seen, "image", f'the image runs as "{seen.facts.user}"', "build from it and end with USER root")


@LOOKED_INTO.defect("SC423", "image-lacks-bash", basis="W11")
def image_lacks_bash(seen: LookedInto) -> Iterator[Defect]:
    """No folder of the image's PATH holds bash.

    Margin starts every script with `bash -c`, which then ends in 127.
    Right: an image with bash.
    """
    if seen.facts.lacks(SHELL):
        yield _at(seen, "image", "the image has no bash, which starts the verifier", "build from it and install bash")


@LOOKED_INTO.defect("SC424", "image-holds-staged-folder", basis="W5")
def image_holds_staged_folder(seen: LookedInto) -> Iterator[Defect]:
    """The image holds something where Margin stages, and staging deletes it.

    `{test_cwd}/tests` and `{test_cwd}/oracle` are removed with `rm -rf` before the files of the case come in.
    Right: another test_cwd.
    """
    for folder in ("tests", "oracle"):
        staged = posixpath.normpath(posixpath.join(seen.case.test_cwd, folder))
        if seen.facts.at(staged) in (There.FOLDER, There.FILE):
            yield _at(seen, "test_cwd", f"the image holds {staged}, which staging deletes", "choose another test_cwd")


@LOOKED_INTO.defect("SC425", "image-for-another-platform", basis="D8")
def image_for_another_platform(seen: LookedInto) -> Iterator[Defect]:
    """The image was made for another platform than the suite is to run on.

    Right: the digest of the index of all platforms, or of the image for the one that is meant.
    """
    if seen.facts.platform and not f"{seen.facts.platform}/".startswith(f"{seen.platform}/"):
        said = f"the image is for {seen.facts.platform}, not for {seen.platform}"
        yield _at(seen, "image", said, "pin the image of that platform")


@LOOKED_INTO.defect("SC426", "image-entrypoint-is-lost", basis="D10", severity=Severity.WARNING)
def image_entrypoint_is_lost(seen: LookedInto) -> Iterator[Defect]:
    """The image's ENTRYPOINT starts something, and Margin replaces it.

    Neither agent nor verifier will find what it starts.
    Example: a script that starts a database and then runs `exec "$@"`.
    Right: an image that needs no such start.
    """
    if seen.facts.starts:
        yield _at(
            seen, "image", f"this never runs: {seen.facts.starts:.100}", "start it in the verifier, or do without"
        )


@LOOKED_INTO.defect("SC427", "image-lacks-tool", basis="D4", severity=Severity.WARNING)
def image_lacks_tool(seen: LookedInto) -> Iterator[Defect]:
    """The verifier needs a program that no folder of the image's PATH holds.

    Unless it installs the program itself, or the candidate has to, every verdict is 2.
    Right: an image with the verifier's tools.
    """
    for path in (TEST_SCRIPT, LIBRARY):
        script = (seen.case.read(path) or b"").decode("utf-8", "replace")
        for found in NEED.finditer(script):
            line = script.count("\n", 0, found.start()) + 1
            for name in filter(seen.facts.lacks, found[1].split()):
                said = f"the image has no {name}, which the verifier needs"
                yield Defect(f"{seen.case.path}/{path}", line, said, "build from the image and install it")


def _at(seen: LookedInto, key: str, message: str, fix: str) -> Defect:
    """A defect of a key of case.toml."""
    line = seen.case.config.line(key) if seen.case.config else 0
    return Defect(f"{seen.case.path}/{CASE_FILE}", line, message, fix)
