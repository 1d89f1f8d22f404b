"""Forgeries through what steers a test runner: settings found above the tests, hooks, plugins, package settings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from skill.forgeries.base import CATALOGUE, Need, Put, Run, Step
from skill.forgeries.facts import ForgeryFacts
from skill.forgeries.payloads import CONFTEST, NOTHING
from skill.forgeries.userland import HOMES

PYTEST: Final = Need("a verifier that runs pytest", lambda facts: "pytest" in facts.runners)


def _needs(sentence: str, *runners: str) -> Need:
    return Need(sentence, lambda facts: facts.runners & set(runners))


@CATALOGUE.forgery("FG10", "settings-above-tests", rank=2, bundle="settings", needs=PYTEST)
def settings_above_tests(facts: ForgeryFacts) -> Iterator[Step]:
    """A pytest.ini above the tests, or in the workspace, makes pytest collect and run nothing.

    Falls for it: pytest on staged tests whose parent folder the candidate can write, and status 0 for a pass.
    Stopped by: an ini of our own in the staged folder; a report that counts the tests that ran.
    """
    for folder in facts.folders:
        yield Put(f"{folder.rstrip('/')}/pytest.ini", "[pytest]\naddopts = --collect-only\n", "[pytest]\n")


@CATALOGUE.forgery("FG11", "conftest-hook", rank=2, bundle="hooks", needs=PYTEST)
def conftest_hook(facts: ForgeryFacts) -> Iterator[Step]:
    """A conftest.py above the tests, or in the workspace, calls every test passed.

    With a pytest.ini beside it, it is loaded from any parent folder; ten lines that fooled 500 of 500 tasks.
    Falls for it: status and report alike.
    Stopped by: an ini of our own in the staged folder, or --confcutdir; where tests are copied into the workspace,
    a guard that looks at what really happened in each test.
    """
    for folder in facts.folders:
        yield Put(f"{folder.rstrip('/')}/conftest.py", CONFTEST, NOTHING)
        yield Put(f"{folder.rstrip('/')}/pytest.ini", "[pytest]\n", "[pytest]\n")


@CATALOGUE.forgery("FG13", "plugin-by-metadata", rank=5, bundle="hooks", needs=PYTEST)
def plugin_by_metadata(facts: ForgeryFacts) -> Iterator[Step]:
    """Package metadata in the workspace registers a pytest plugin that calls every test passed.

    Falls for it: `python -m pytest` started in the workspace, even with -c and --confcutdir.
    Stopped by: plugins named and their autoload off, or PYTHONSAFEPATH; a guard that looks at each test itself.
    """
    for folder in dict.fromkeys((facts.cwd, facts.workspace)):
        yield Put(
            f"{folder}/z_plant-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: z-plant\nVersion: 1\n", NOTHING
        )
        yield Put(f"{folder}/z_plant-1.dist-info/entry_points.txt", "[pytest11]\nz_plant = z_plant\n", "\n")
        yield Put(f"{folder}/z_plant.py", CONFTEST, NOTHING)


@CATALOGUE.forgery("FG16", "npm-shell", rank=9, bundle="settings", needs=_needs("a verifier that runs node", "node"))
def npm_shell(facts: ForgeryFacts) -> Iterator[Step]:
    """.npmrc runs every package script with `true`.

    Falls for it: `npm test` and `npm run` whose status decides.
    Stopped by: NPM_CONFIG_SCRIPT_SHELL in the verifier's environment, which wins over the file.
    """
    for folder in dict.fromkeys((facts.cwd, facts.workspace, *HOMES)):
        yield Put(f"{folder}/.npmrc", "script-shell=/bin/true\n", "# nothing\n")


@CATALOGUE.forgery(
    "FG17", "package-script", rank=9, bundle="settings", needs=_needs("a verifier that runs node", "node")
)
def package_script(facts: ForgeryFacts) -> Iterator[Step]:
    """package.json and the runners' own settings replace the tests by nothing.

    Falls for it: `npm test`, mocha, jest and vitest with settings that the candidate owns.
    Stopped by: the staged test file run with settings that are staged too; a report that counts tests.
    """
    for folder in dict.fromkeys((facts.cwd, facts.workspace)):
        yield Run(f'sed -i \'s/"test" *: *"[^"]*"/"test": "true"/\' \'{folder}/package.json\'')
        yield Put(f"{folder}/.mocharc.json", '{"dry-run": true}\n', "{}\n")


@CATALOGUE.forgery("FG18", "go-settings", rank=9, bundle="settings", needs=_needs("a verifier that runs go", "go"))
def go_settings(facts: ForgeryFacts) -> Iterator[Step]:
    """Settings of go itself deselect every test.

    Falls for it: the status of `go test`, which says ok.
    Stopped by: GOFLAGS in the verifier's environment; a line for at least one test that ran.
    """
    for home in HOMES:
        yield Put(f"{home}/.config/go/env", "GOFLAGS=-run=ZZZ\n", "\n")


@CATALOGUE.forgery("FG53", "go-test-main", rank=9, bundle="hooks", needs=_needs("a verifier that runs go", "go"))
def go_test_main(facts: ForgeryFacts) -> Iterator[Step]:
    """A TestMain beside the tests ends the test binary with 0 before any test.

    Falls for it: the status of `go test`, and its line "ok".
    Stopped by: `-v` or `-json` and a pass for at least one named test.
    """
    yield Run(
        f"""find '{facts.workspace}' -name '*.go' -exec dirname {{}} \\; | sort -u | while read -r folder; do
  package=$(sed -n 's/^package \\([A-Za-z_0-9]*\\).*/\\1/p' "$folder"/*.go | head -n 1)
  printf 'package %s\\n\\nimport (\\n\\t"os"\\n\\t"testing"\\n)\\n\\nfunc TestMain(m *testing.M) {{ os.Exit(0) }}\\n' \\
    "${{package%_test}}" >"$folder/zz_plant_test.go"
done"""
    )


@CATALOGUE.forgery(
    "FG19", "cargo-runner", rank=9, bundle="settings", needs=_needs("a verifier that runs cargo", "cargo")
)
def cargo_runner(facts: ForgeryFacts) -> Iterator[Step]:
    """.cargo/config.toml runs every test binary with `true`.

    Falls for it: the status of `cargo test`.
    Stopped by: a "test result" line that counts passed tests.
    """
    text = "[target.'cfg(all())']\nrunner = \"/bin/true\"\n"
    for folder in dict.fromkeys((*facts.folders, *HOMES)):
        yield Put(f"{folder.rstrip('/')}/.cargo/config.toml", text, "\n")


@CATALOGUE.forgery("FG20", "gnu-makefile", rank=9, bundle="settings", needs=_needs("a verifier that runs make", "make"))
def gnu_makefile(facts: ForgeryFacts) -> Iterator[Step]:
    """A GNUmakefile, which make reads before Makefile, does nothing for every target.

    Falls for it: the status of `make test`.
    Stopped by: `make -f Makefile`, unless a GNUmakefile is what the task asks for.
    """
    text = "all:\n\t@true\ntest:\n\t@true\ncheck:\n\t@true\n%:\n\t@true\n"
    for folder in dict.fromkeys((facts.cwd, facts.workspace)):
        yield Put(f"{folder}/GNUmakefile", text, "-include Makefile\n")


@CATALOGUE.forgery("FG21", "maven-skip", rank=9, bundle="settings", needs=_needs("a verifier that runs Java", "java"))
def maven_skip(facts: ForgeryFacts) -> Iterator[Step]:
    """Maven and Gradle are told to skip the tests.

    Falls for it: the status of `mvn test` or `gradle test`.
    Stopped by: XML reports with the tests' names.
    """
    yield Put(f"{facts.workspace}/.mvn/maven.config", "-DskipTests\n", "\n")
    gradle = "allprojects { tasks.withType(Test) { enabled = false } }\n"
    for home in HOMES:
        yield Put(f"{home}/.gradle/init.d/plant.gradle", gradle, "// nothing\n")


@CATALOGUE.forgery("FG22", "r-profile", rank=9, bundle="settings", needs=_needs("a verifier that runs R", "R"))
def r_profile(facts: ForgeryFacts) -> Iterator[Step]:
    """.Rprofile ends every R with 0 as it starts.

    Falls for it: the status of Rscript.
    Stopped by: `Rscript --vanilla`, unless the project needs its profile.
    """
    for folder in dict.fromkeys((facts.cwd, facts.workspace, *HOMES)):
        yield Put(f"{folder}/.Rprofile", "quit(status = 0)\n", NOTHING)


@CATALOGUE.forgery(
    "FG23",
    "installer-settings",
    rank=15,
    bundle="network",
    needs=_needs("a runner that is installed while grading", "uv"),
    may_be_infra=True,
)
def installer_settings(facts: ForgeryFacts) -> Iterator[Step]:
    """Installers are pointed at an index that is not there.

    Falls for it: a verifier that goes on when its runner could not be installed.
    Stopped by: each install checked. An index that cannot be reached happens without the candidate too: 2 is right.
    """
    for home in HOMES:
        yield Put(f"{home}/.config/pip/pip.conf", "[global]\nindex-url = http://127.0.0.1:9/\n", "\n")
        yield Put(f"{home}/.config/uv/uv.toml", '[[index]]\nurl = "http://127.0.0.1:9/"\ndefault = true\n', "\n")
    yield Put("/etc/pip.conf", "[global]\nindex-url = http://127.0.0.1:9/\n", "\n")


@CATALOGUE.forgery(
    "FG24",
    "own-environment",
    rank=3,
    bundle="interpreter",
    may_be_infra=True,
    needs=_needs("a verifier that runs Python or node", "python", "pytest", "node"),
)
def own_environment(facts: ForgeryFacts) -> Iterator[Step]:
    """Runners in the workspace's own .venv and node_modules only succeed.

    Falls for it: a verifier that starts its runner from there.
    Stopped by: the image's runner; a report that names the tests.
    """
    for folder in dict.fromkeys((facts.workspace, facts.cwd)):
        yield Run(
            f"""for file in '{folder}'/.venv/bin/pytest '{folder}'/venv/bin/pytest '{folder}'/node_modules/.bin/*; do
  [ ! -e "$file" ] || {{ rm -f "$file" && printf '#!/bin/sh\\nexit 0\\n' >"$file" && chmod 0755 "$file"; }}
done"""
        )


@CATALOGUE.forgery(
    "FG44",
    "workspace-tests",
    rank=2,
    bundle="workspace-tests",
    needs=PYTEST,
    reported_where=Need(
        "tests that the suite does not bring",
        lambda facts: any(not _is_staged(facts, path) for path in _own_tests(facts)),
    ),
)
def workspace_tests(facts: ForgeryFacts) -> Iterator[Step]:
    """Tests in the workspace that the verifier runs are replaced by one that passes.

    Falls for it: a verifier that runs the workspace's tests instead of the staged ones.
    Stopped by: the pristine tests laid over them first. Where the suite does not bring them, that is the source's to
    decide, and only told.
    """
    for path in _own_tests(facts):
        yield Put(path, "def test_all():\n    assert True\n")


def _own_tests(facts: ForgeryFacts) -> Iterator[str]:
    """Tests in the workspace that the verifier names."""
    for path in facts.graders:
        name = path.rsplit("/", 1)[-1]
        if path.startswith(facts.workspace) and (name.startswith("test_") or name.endswith("_test.py")):
            yield path


def _is_staged(facts: ForgeryFacts, path: str) -> bool:
    return path.rsplit("/", 1)[-1] in {staged.rsplit("/", 1)[-1] for staged in facts.staged}
