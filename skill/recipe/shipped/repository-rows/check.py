"""Applies the hidden tests and runs those that are named; 0 only when every one of them passed.

The files of the hidden tests are first put back to the base commit, so that what the candidate made of them is gone.
"""

import json
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

DATA = json.loads((Path(__file__).parent / "data.json").read_text())
REPOSITORY = "/testbed"


def names(value):
    return json.loads(value) if isinstance(value, str) else value


def git(*words, text=None):
    ran = subprocess.run(["git", "-C", REPOSITORY, *words], input=text, text=True, capture_output=True)
    return ran.returncode == 0


def put_tests():
    for path in re.findall(r"^\+\+\+ b/(.+)$", DATA["test_patch"], re.MULTILINE):
        git("checkout", "-f", "HEAD", "--", path) or git("rm", "-qf", "--cached", path)
        if not git("ls-files", "--error-unmatch", path):
            (Path(REPOSITORY) / path).unlink(missing_ok=True)
    if not git("apply", "-", text=DATA["test_patch"]):
        sys.exit("the hidden tests cannot be put in place")


def passed(report):
    for case in xml.parse(report).iter("testcase"):
        if not any(case.find(word) is not None for word in ("failure", "error", "skipped")):
            yield f"{case.get('file') or case.get('classname')}::{case.get('name')}"


def main():
    wanted = [*names(DATA["FAIL_TO_PASS"]), *names(DATA["PASS_TO_PASS"])]
    if not wanted:
        sys.exit(2)
    put_tests()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        options = ["-q", "-o", "junit_family=xunit1", f"--junitxml={report}"]
        subprocess.run([sys.executable, "-m", "pytest", *options, *wanted], cwd=REPOSITORY)
        if not report.is_file():
            sys.exit("the tests did not run to their end")
        found = set(passed(report))
    missing = [name for name in wanted if not any(name.endswith(one.split("::")[-1]) for one in found)]
    if missing or len(found) < len(set(wanted)):
        sys.exit(f"{len(missing)} of {len(wanted)} named tests did not pass: {missing[:3]}")
    print(f"{len(wanted)} named tests passed")


main()
