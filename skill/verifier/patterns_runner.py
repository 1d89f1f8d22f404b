"""Hardening of other runners: what shows that their tests ran, and came to an end of their own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from skill import bash
from skill.bash import Node
from skill.verifier.named_tests import node_names
from skill.verifier.shipped import COMPLETION, NODE_COMPLETION, staged
from skill.verifier.situation import Addition, Situation, pattern

NODE_NAMES: Final = ".verdict/node-names"
_REPORT: Final = '"$VERDICT_DIR/report.json"'
_REPORTERS: Final = {  # what makes a JavaScript runner write a report beside what it prints
    "jest": f" --json --outputFile={_REPORT}",
    "vitest": f" --reporter=default --reporter=json --outputFile.json={_REPORT}",
}
_OWN_REPORT: Final = re.compile(r"--(?:json|outputFile|reporters?|watch|passWithNoTests|listTests|test-)")


@pattern("completed")
def completed(situation: Situation) -> Addition | None:
    """A script of Python or node whose status decides has to come to an end of its own, and with that very status.

    Stops code of the candidate that ends the script's process with 0, at once or on the way out. Only for a script
    named by a plain path, and for modules that unittest runs.
    """
    node, words, runner = situation.call.node, situation.words, situation.call.runner
    if not situation.is_direct or node is None or re.search(r"multiprocessing|worker_threads|cluster", situation.text):
        return None
    if runner == "node":
        word, file = _script(node, words, r"node(?:js)?", r"\.[cm]?js"), NODE_COMPLETION
    elif runner == "unittest":
        word, file = (_parts(node)[1] if words[1:3] == ["-m", "unittest"] else None), COMPLETION
    else:
        word, file = (_script(node, words, r"python3?", r"\.py") if runner == "python" else None), COMPLETION
    if word is None:
        return None
    return Addition(after=("completed",), inserts=((word.start_byte, f"/tests/{file} "),), files={file: staged(file)})


@pattern("named-node-tests")
def named_node_tests(situation: Situation) -> Addition | None:
    """Each test that the staged files name for node's own runner stands as passed in a report of this run alone.

    Stops code of the candidate that ends the process of a file with 0, which node counts as a test that passed. Only
    for literal names, and where the script has no reporter of its own; a node without reporters is asked for none.
    """
    node, words = situation.call.node, situation.words
    if not situation.is_direct or node is None or situation.call.runner != "node" or "--test" not in words:
        return None
    if any(_OWN_REPORT.match(word) for word in words):
        return None
    named = [word.removeprefix("/tests/") for word in words if word.startswith("/tests/")]
    found = [name for asset in situation.given.assets if asset.path in named for name in node_names(asset.data)]
    if not found:
        return None
    end = _parts(node)[words.index("--test")].end_byte
    listed = "".join(f"{name}\n" for name in dict.fromkeys(found)).encode()
    return Addition(
        before=("node_reports",),
        after=("node_named",),
        inserts=((end, " $VERDICT_REPORTERS"),),
        files={NODE_NAMES: listed},
    )


@pattern("reported")
def reported(situation: Situation) -> Addition | None:
    """Jest and vitest write a report of this run alone, which counts tests that passed and none that failed.

    Stops code of the candidate that ends the runner with 0, and lines of success that it prints. Only where the script
    calls them by name and asks for no report itself.
    """
    node, words = situation.call.node, situation.words
    if not situation.is_direct or node is None or any(_OWN_REPORT.match(word) for word in words):
        return None
    at = next((i for i, word in enumerate(words[:4]) if word.rsplit("/", 1)[-1] in _REPORTERS), None)
    if at is None or any(not re.fullmatch(r"npx|-y|--yes|--no|--no-install", word) for word in words[:at]):
        return None
    tool = words[at].rsplit("/", 1)[-1]
    if tool == "vitest":
        at += 1
        if words[at : at + 1] != ["run"]:
            return None
    return Addition(after=("reported",), inserts=((_parts(node)[at].end_byte, _REPORTERS[tool]),))


@pattern("named-go-tests")
def named_go_tests(situation: Situation) -> Addition | None:
    """Go names each test that passed, and one such line is needed.

    Stops a TestMain that ends the test binary at once. Only where the source's own scripts do not set GOFLAGS.
    """
    if not situation.is_direct or not situation.call.evidence or situation.call.runner != "go":
        return None
    if "GOFLAGS" in situation.text:
        return None
    evidence = r"--- PASS: |\"Action\":\"pass\",[^\n]*\"Test\":"
    return Addition(setup=('export GOFLAGS="${GOFLAGS:+$GOFLAGS }-v"',), evidence=evidence)


@pattern("something-said")
def something_said(situation: Situation) -> Addition | None:
    """A package script has to say something beside what npm says itself.

    Stops a package.json whose tests are `true`. Taken back where the right candidate's tests are silent.
    """
    call = situation.call
    if not situation.is_direct or call.runner != "npm" or call.evidence:
        return None
    return Addition(evidence=r"\n[^>[:space:]]")


@pattern("named-maven-tests")
def named_maven_tests(situation: Situation) -> Addition | None:
    """Maven counts the tests that it ran, and there has to be one.

    Stops settings that skip the tests. Only where Maven is not told to be quiet.
    """
    if not situation.is_direct or situation.call.runner != "mvn" or {"-q", "--quiet"} & set(situation.words):
        return None
    return Addition(evidence="Tests run: [1-9]")


@pattern("plain-makefile")
def plain_makefile(situation: Situation) -> Addition | None:
    """A GNUmakefile beside a Makefile, which make would read instead, is the candidate's failure.

    Only where make is left to find its file, and nothing speaks of a GNUmakefile.
    """
    calls = [words for name, words in situation.commands if name == "make"]
    if not calls or any(word.startswith(("-f", "--file", "--makefile")) for words in calls for word in words):
        return None
    if "GNUmakefile" in situation.text or "GNUmakefile" in situation.given.prompt:
        return None
    return Addition(setup=("plain_makefile",))


def _parts(command: Node) -> list[Node]:
    """The nodes of a command's words."""
    return [child for child in command.named_children if child.type == "command_name" or child.type in bash.WORDS]


def _script(command: Node, words: Sequence[str], program: str, ending: str) -> Node | None:
    """The word of a plain ``python3 /tests/x.py`` that names the script; None for any other call."""
    at = 1
    if not words or re.fullmatch(rf"(?:/[\w./-]+/)?{program}", words[0]) is None:
        return None
    while at < len(words) and words[at] in ("-u", "-B"):
        at += 1
    if at < len(words) and re.fullmatch(rf"/[\w./-]+{ending}", words[at]):
        return _parts(command)[at]
    return None
