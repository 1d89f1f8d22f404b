"""Rules about suite.toml and the suite's folder: SC1xx."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from skill.contract import CASES_DIR, FORBIDDEN_KEYS, NAME, PREAMBLE_FILE, SUITE_FILE
from skill.finding import Severity
from skill.packing import Kind
from skill.rules.base import Defect, Family
from skill.settings import GO_SPACE, settings
from skill.suite import Suite
from skill.textfile import Reading

SUITE: Family[Suite] = Family("suite")


@SUITE.defect("SC101", "unreadable-suite-toml", basis="M1")
def unreadable_suite_toml(suite: Suite) -> Iterator[Defect]:
    """The suite has no readable suite.toml.

    Margin opens that exact lower-case name first; without it nothing compiles.
    Example: `Suite.toml`, or only a cases/ folder.
    Right: a regular file `suite.toml` beside cases/.
    """
    if not suite.text.is_there:
        yield Defect(SUITE_FILE, 0, f"suite.toml is {suite.text.reading.value}", "write suite.toml beside cases/")


@SUITE.defect("SC102", "malformed-suite-toml", basis="M2")
def malformed_suite_toml(suite: Suite) -> Iterator[Defect]:
    """The text of suite.toml is no TOML 1.0 in UTF-8.

    Duplicate keys, a byte order mark and raw control characters are fatal as well.
    Example: `cases = ["a" "b"]`
    Right: `cases = ["a", "b"]`
    """
    if suite.text.is_there and suite.config is None:
        error = settings(suite.text.data, {}).error
        yield Defect(SUITE_FILE, error.line if error else 0, f"suite.toml is no TOML: {error}")


@SUITE.defect("SC103", "wrong-suite-value-type", basis="M4")
def wrong_suite_value_type(suite: Suite) -> Iterator[Defect]:
    """A known key of suite.toml holds a value of the wrong type.

    Margin checks the type of every key it knows, also of `description`, which it never uses.
    Example: `name = 5`
    Right: `name = "5"`
    """
    if suite.config:
        for key, wanted in suite.config.wrong_types():
            line = suite.config.line(key)
            yield Defect(SUITE_FILE, line, f"{key} has a value that Margin cannot decode", f"write a TOML {wanted}")


@SUITE.defect("SC104", "suite-version-key", basis="M6")
def suite_version_key(suite: Suite) -> Iterator[Defect]:
    """suite.toml defines `version` or `base_version` at top level.

    Margin refuses both names there; below [metadata] they are harmless.
    Example: `version = "1.0"` under `kind`.
    Right: leave it out.
    """
    if suite.config:
        for key in FORBIDDEN_KEYS:
            if key in suite.config.table:
                yield Defect(
                    SUITE_FILE,
                    suite.config.line(key),
                    f'Margin refuses the top-level key "{key}"',
                    "remove it",
                )


@SUITE.defect("SC105", "wrong-suite-kind", basis="M9")
def wrong_suite_kind(suite: Suite) -> Iterator[Defect]:
    """suite.toml does not say that it is a test suite.

    Example: `kind = "suite"`
    Right: `kind = "test_suite"`
    """
    if suite.config and (kind := suite.config.text("kind")) != "test_suite":
        said = f'kind is "{kind}"' if kind else "kind is missing"
        yield Defect(SUITE_FILE, suite.config.line("kind"), said, 'write kind = "test_suite"')


@SUITE.defect("SC106", "no-cases", basis="M10")
def no_cases(suite: Suite) -> Iterator[Defect]:
    """The list of cases is missing or empty.

    Margin does not look for folders by itself; only what `cases` lists exists.
    Right: `cases = ["first", "second"]`
    """
    if suite.config and not suite.config.value("cases"):
        yield Defect(SUITE_FILE, suite.config.line("cases"), "no case is listed", 'write cases = ["..."]')


@SUITE.defect("SC107", "no-cases-folder", basis="M11")
def no_cases_folder(suite: Suite) -> Iterator[Defect]:
    """There is no folder cases/ beside suite.toml.

    Right: `cases/<name>/` for every name in the list.
    """
    if suite.folders is None:
        yield Defect(CASES_DIR, 0, "cases/ is no folder of this suite", "put every case into cases/<name>/")


@SUITE.defect("SC108", "blank-case-entry", basis="M12")
def blank_case_entry(suite: Suite) -> Iterator[Defect]:
    """The list of cases holds a blank entry.

    Example: `cases = ["a", " "]`
    Right: `cases = ["a"]`
    """
    for entry, line in zip(suite.entries, suite.lines, strict=True):
        if not entry.strip(GO_SPACE):
            yield Defect(SUITE_FILE, line, "a listed case has no name", "remove the blank entry")


@SUITE.defect("SC109", "case-listed-twice", basis="M13")
def case_listed_twice(suite: Suite) -> Iterator[Defect]:
    """A case is listed more than once.

    Margin trims entries before it compares them, so `"c1"` and `" c1"` are the same.
    Right: every name once.
    """
    seen: set[str] = set()
    for entry, line in zip(suite.entries, suite.lines, strict=True):
        name = entry.strip(GO_SPACE)
        if name and name in seen:
            yield Defect(SUITE_FILE, line, f'case "{name}" is listed again', "list it once")
        seen.add(name)


@SUITE.defect("SC110", "unsafe-case-name", basis="D11")
def unsafe_case_name(suite: Suite) -> Iterator[Defect]:
    """A case name is outside the grammar that is safe everywhere.

    Margin has no grammar: slashes, `..`, spaces and anything in Unicode pass, and then become paths, Docker
    arguments and report keys. Suites of ours keep to `[A-Za-z0-9][A-Za-z0-9._-]*`.
    Example: `group/first case`
    Right: `group-first-case`
    """
    for entry, line in zip(suite.entries, suite.lines, strict=True):
        if entry.strip(GO_SPACE) and not NAME.match(entry):
            yield Defect(
                SUITE_FILE,
                line,
                f"case name {entry!r} is not file-safe",
                "use letters, digits, '.', '_', '-'",
            )


@SUITE.defect("SC111", "case-names-collide", basis="D11")
def case_names_collide(suite: Suite) -> Iterator[Defect]:
    """Two case names differ only in upper and lower case or in Unicode form.

    On a file system that ignores case both are one folder, and one case is lost on checkout.
    Example: `Fix-io` and `fix-io`
    Right: `fix-io` and `fix-io-2`
    """
    names = dict.fromkeys(entry.strip(GO_SPACE) for entry in suite.entries)
    folded = Counter(_folded(name) for name in names)
    for name in names:
        if folded[_folded(name)] > 1:
            line = suite.lines[suite.entries.index(name)] if name in suite.entries else 0
            yield Defect(SUITE_FILE, line, f'"{name}" collides with another case name', "add a stable suffix to one")


@SUITE.defect("SC112", "unlisted-case", basis="M15", severity=Severity.WARNING)
def unlisted_case(suite: Suite) -> Iterator[Defect]:
    """A folder below cases/ is not listed in suite.toml.

    Margin ignores it entirely, even if it is broken; it looks like a case and is never run.
    Right: list it, or remove the folder.
    """
    listed = {entry.strip(GO_SPACE).split("/")[0] for entry in suite.entries}
    for name, kind in sorted((suite.folders or {}).items()):
        if kind is Kind.FOLDER and name not in listed and suite.config:
            yield Defect(
                f"{CASES_DIR}/{name}",
                0,
                "this folder is not listed in suite.toml, so it never runs",
                "list it",
            )


@SUITE.defect("SC113", "unsorted-cases", basis="D20", severity=Severity.WARNING)
def unsorted_cases(suite: Suite) -> Iterator[Defect]:
    """The list of cases is not in alphabetical order.

    Order has no meaning for Margin, which runs cases in parallel; a sorted list keeps diffs small.
    Right: sort by code point.
    """
    for number, (before, after) in enumerate(pairwise(suite.entries), start=1):
        if after < before:
            yield Defect(SUITE_FILE, suite.lines[number], f'"{after}" stands after "{before}"', "sort the list")
            return


@SUITE.defect("SC114", "nameless-suite", basis="M16", severity=Severity.WARNING)
def nameless_suite(suite: Suite) -> Iterator[Defect]:
    """The suite has no name.

    A run needs one from the suite or from the eval file; an eval file without a name then fails to compile.
    Right: `name = "my-suite"`
    """
    if suite.config and not suite.config.text("name"):
        yield Defect(SUITE_FILE, suite.config.line("name"), "the suite has no name", 'write name = "..."')


@SUITE.defect("SC115", "blank-preamble", basis="M17")
def blank_preamble(suite: Suite) -> Iterator[Defect]:
    """preamble-prompt.md is there but cannot be used.

    The file is optional; when it exists it must be readable and hold more than white space.
    Right: remove it, or write the text that is to stand before every prompt.
    """
    text = suite.preamble
    if not text.is_there and text.reading is not Reading.ABSENT:
        yield Defect(PREAMBLE_FILE, 0, f"preamble-prompt.md is {text.reading.value}", "remove it")
    elif text.is_there and not text.data.decode("utf-8", "replace").strip(GO_SPACE):
        yield Defect(PREAMBLE_FILE, 0, "preamble-prompt.md is blank", "remove it, or write the preamble")


@SUITE.defect("SC116", "link-in-suite", basis="M83", severity=Severity.WARNING)
def link_in_suite(suite: Suite) -> Iterator[Defect]:
    """suite.toml, the preamble or cases/ is a symbolic link.

    Margin reads it locally, but refuses any link as soon as the suite is fetched from a repository.
    Right: put the file itself there.
    """
    names = [name for name, text in ((SUITE_FILE, suite.text), (PREAMBLE_FILE, suite.preamble)) if text.is_link]
    names += [CASES_DIR] if (suite.root / CASES_DIR).is_symlink() else []
    for name in names:
        yield Defect(name, 0, f"{name} is a symbolic link, which Margin refuses in fetched suites", "copy the target")


def _folded(name: str) -> str:
    """``name`` as a file system sees it that ignores case and Unicode form."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
