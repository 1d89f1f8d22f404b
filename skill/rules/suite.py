"""Rules about suite.toml and the suite's folder: SC1xx."""

from __future__ import annotations

from collections.abc import Iterator

from skill.contract import CASES_DIR, FORBIDDEN_KEYS, PREAMBLE_FILE, SUITE_FILE
from skill.finding import Severity
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
