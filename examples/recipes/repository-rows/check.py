"""Applies the hidden tests and runs those that are named; 0 only when every one of them passed.

What steers pytest from inside the repository (conftest files, settings) is first put back to the base commit, and so
are the files that the hidden tests change: what the candidate made of them is gone.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

DATA = json.loads((Path(__file__).parent / "data.json").read_text())
REPOSITORY = Path("/testbed")
# Plugins of pytest that the tests of the repositories need, such as "pytest_mock"; no other is loaded, whoever brings it.
PLUGINS = ()
SETTINGS = {  # where pytest looks for its settings, in this order, and how it knows them
    "pytest.ini": "",
    ".pytest.ini": "",
    "pyproject.toml": "[tool.pytest",
    "tox.ini": "[pytest]",
    "setup.cfg": "[tool:pytest]",
}
STEERING = ("conftest.py", "pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg", "sitecustomize.py", "usercustomize.py")


def names(value):
    return json.loads(value) if isinstance(value, str) else value


def git(*words, text=None):
    return subprocess.run(["git", "-C", str(REPOSITORY), *words], input=text, text=True, capture_output=True)


def at_base(path):
    """Afterwards the file is what the base commit has, or not there."""
    if git("checkout", "-f", DATA["base_commit"], "--", path).returncode != 0:
        (REPOSITORY / path).unlink(missing_ok=True)


def put_tests():
    tracked = git("ls-tree", "-r", "--name-only", DATA["base_commit"])
    if tracked.returncode != 0:
        sys.exit("the base commit is gone")
    here = {str(path.relative_to(REPOSITORY)) for name in STEERING for path in REPOSITORY.rglob(name)}
    steering = {path for path in tracked.stdout.splitlines() if path.rsplit("/", 1)[-1] in STEERING} | here
    touched = set(re.findall(r"^(?:---|\+\+\+) [ab]/(.+?)\t?$", DATA["test_patch"], re.MULTILINE))
    for path in sorted(steering | touched):
        at_base(path)
    if git("apply", "-", text=DATA["test_patch"]).returncode != 0:
        sys.exit("the hidden tests cannot be put in place")


def settings(folder):
    """The repository's settings of pytest, else an empty file: those of a folder above never count."""
    for name, mark in SETTINGS.items():
        place = REPOSITORY / name
        if place.is_file() and mark in place.read_text(errors="replace"):
            return place
    empty = folder / "pytest.ini"
    empty.write_text("[pytest]\n")
    return empty


def passed(report):
    """The names of the tests that passed, as pytest's command line has them."""
    for case in xml.parse(report).iter("testcase"):
        if any(case.find(word) is not None for word in ("failure", "error", "skipped")):
            continue
        file = case.get("file", "")
        inside = case.get("classname", "")[len(file.removesuffix(".py")) + 1 :]
        yield "::".join([file, *(inside.split(".") if inside else []), case.get("name", "")])


def main():
    wanted = {*names(DATA["FAIL_TO_PASS"]), *names(DATA["PASS_TO_PASS"])}
    if not wanted:
        raise SystemExit("the record names no test")
    put_tests()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        options = ["-q", "-p", "no:cacheprovider", "-o", "junit_family=xunit1", f"--junitxml={report}"]
        options += ["-c", settings(Path(folder)), f"--rootdir={REPOSITORY}", f"--confcutdir={REPOSITORY}"]
        options += [word for plugin in PLUGINS for word in ("-p", plugin)]
        env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        subprocess.run([sys.executable, "-m", "pytest", *options, *sorted(wanted)], cwd=REPOSITORY, env=env)
        if not report.is_file():
            sys.exit("the tests did not run to their end")
        missing = sorted(wanted - set(passed(report)))
    if missing:
        sys.exit(f"{len(missing)} of {len(wanted)} named tests did not pass: {missing[:3]}")
    print(f"{len(wanted)} named tests passed")


main()
