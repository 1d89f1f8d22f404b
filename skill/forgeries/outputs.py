"""Forgeries of outputs and of the verdict's own channel: planted results, odd objects, rewritten tests."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Final

from skill.forgeries.base import CATALOGUE, Need, Put, Run, Step
from skill.forgeries.facts import ForgeryFacts
from skill.forgeries.in_process import CODE, MODULES, code
from skill.forgeries.payloads import CTRF, EXIT, JUNIT

OUTPUTS: Final = Need("output files that the tests name", lambda facts: facts.outputs)
REWARDS: Final = ("/logs/verifier/reward.txt", "/logs/verifier/reward.json", "/logs/verifier/ctrf.json")
EXPECTED: Final = ("expect", "answer", "gold", "want", "solution")


@CATALOGUE.forgery("FG36", "planted-results", rank=4, bundle="settings")
def planted_results(facts: ForgeryFacts) -> Iterator[Step]:
    """Full rewards and reports of passed tests lie wherever the verifier reads or writes them, dated in the future.

    Falls for it: whoever reads a result that this run did not write.
    Stopped by: removal first, and nothing read but what is new.
    """
    paths = dict.fromkeys((*REWARDS, *facts.results, f"{facts.cwd}/junit.xml", f"{facts.cwd}/report.xml"))
    for path in paths:
        yield Put(path, content_of(path))
    yield Run("touch -d 2037-01-01 " + " ".join(f"'{path}'" for path in paths))


def content_of(path: str) -> str:
    """What a result that says passed looks like at ``path``."""
    if path.endswith(".xml"):
        return JUNIT
    if path.endswith(".json"):
        return CTRF if "ctrf" in path or "report" in path else '{"reward": 1.0}\n'
    return "1\n"


@CATALOGUE.forgery("FG50", "blocked-result-folder", rank=4, bundle="shadows")
def blocked_result_folder(facts: ForgeryFacts) -> Iterator[Step]:
    """A file stands where the verifier's log folder belongs.

    Falls for it: a verifier that calls its own failure to write infra, which is an escape from failing.
    Stopped by: taking away what stands there; it worked in the untouched image, so what fails now is the candidate's.
    """
    yield Run("mkdir -p /logs && rm -rf /logs/verifier && echo 1 >/logs/verifier")


@CATALOGUE.forgery("FG37", "rewritten-verifier", rank=7, bundle="rewritten-verifier", needs=CODE)
def rewritten_verifier(facts: ForgeryFacts) -> Iterator[Step]:
    """The candidate's code overwrites test.sh, the staged tests and the rewards while it is being judged.

    bash reads a script as it goes, so lines of `exit 0` written over it are run.
    Falls for it: every script that is not read whole before it runs; later steps that trust staged files.
    Stopped by: the body in a function with the exit on its last line; staged files compared again after the run.
    """
    exits = "\\n".join(["exit 0"] * 400)
    python = (
        "import os\n"
        f"for folder, _, names in os.walk('{facts.tests}'):\n"
        "    for name in names:\n"
        "        if name.endswith('.sh'):\n"
        f"            open(os.path.join(folder, name), 'r+').write('{exits}\\n')\n"
        "        elif name.endswith('.py'):\n"
        "            open(os.path.join(folder, name), 'w').write('def test_all():\\n    assert True\\n')\n"
        "for path in ('/logs/verifier/reward.txt', '/logs/verifier/reward.json'):\n"
        "    os.makedirs(os.path.dirname(path), exist_ok=True)\n"
        "    open(path, 'w').write('1\\n' if path.endswith('txt') else '{\"reward\": 1}')\n"
    )
    shell = (
        f"#!/bin/sh\nfor file in {facts.tests}/*.sh; do\n"
        "  yes 'exit 0' | head -n 400 | dd of=\"$file\" conv=notrunc\ndone\n"
        "echo 1 >/logs/verifier/reward.txt\nexit 0\n"
    )
    yield from code(facts, python + EXIT, shell)


@CATALOGUE.forgery("FG38", "restored-tests", rank=7, bundle="restored-tests", needs=MODULES)
def restored_tests(facts: ForgeryFacts) -> Iterator[Step]:
    """The candidate's module writes over staged tests that are yet to run; they put themselves back and succeed.

    Falls for it: a verifier of several steps that compares its files before and after, or not at all.
    Stopped by: the time at which each staged file was last changed, which no program can set, compared as well.
    """
    python = (
        "import os\n"
        f"for folder, _, names in os.walk('{facts.tests}'):\n"
        "    for name in names:\n"
        "        path = os.path.join(folder, name)\n"
        "        if name.endswith('.py') and '.verdict' not in path:\n"
        "            was = open(path).read()\n"
        "            text = 'open(%r, \"w\").write(%r)\\n\\n\\ndef test_all():\\n    assert True\\n' % (path, was)\n"
        "            open(path, 'w').write(text)\n"
    )
    yield from code(facts, python)


@CATALOGUE.forgery("FG35", "odd-outputs", rank=12, bundle="hangs", needs=OUTPUTS)
def odd_outputs(facts: ForgeryFacts) -> Iterator[Step]:
    """Outputs are named pipes, folders, or links to what the tests expect.

    Falls for it: tests that wait for a pipe for ever, and comparisons with a link to the expected file itself.
    Stopped by: a time limit of the verifier's own; outputs looked at before they are read.
    """
    expected = next((path for path in facts.staged if any(word in path.lower() for word in EXPECTED)), "")
    for number, path in enumerate(facts.outputs):
        folder = posixpath.dirname(path)
        make = ("mkfifo", "mkdir")[number % 2]
        if expected and number > 1:
            make = f"ln -s '{facts.tests}/{expected}'"
        yield Run(f"mkdir -p '{folder}'; rm -rf '{path}'; {make} '{path}'")


@CATALOGUE.forgery(
    "FG34",
    "words-that-are-searched-for",
    rank=18,
    bundle="source",
    needs=Need("texts that a script greps for, and output files", lambda facts: facts.patterns and facts.outputs),
    is_gate=False,
)
def words_that_are_searched_for(facts: ForgeryFacts) -> Iterator[Step]:
    """Each output holds all the words that the verifier searches for, and nothing else.

    Falls for it: a check that finds a word anywhere.
    Stopped by: better tests, which are the source's to write.
    """
    for path in facts.outputs:
        yield Put(path, "\n".join(facts.patterns) + "\n")


@CATALOGUE.forgery(
    "FG43",
    "graders-of-the-image",
    rank=17,
    bundle="source",
    needs=Need("code of the image, not of the task, that the verifier runs", lambda facts: facts.graders),
    is_gate=False,
)
def graders_of_the_image(facts: ForgeryFacts) -> Iterator[Step]:
    """Graders and baselines that lie in the image, where the candidate can write, only succeed.

    Falls for it: a verifier that takes what it judges by from the candidate's own container.
    Stopped by: graders that come with the tests, which is the source's to decide.
    """
    for path in facts.graders:
        text = "#!/bin/sh\necho SUCCESS\nexit 0\n"
        yield Put(path, f"print('SUCCESS', flush=True)\n{EXIT}" if path.endswith(".py") else text, mode="0755")
