"""A verifier whose verdict its framework reads in what it prints (Terminal-Bench), rewritten by rule.

Where the script ends in one pytest call whose status says what the parser would find in its summary, that status and
pytest's own report decide (by_status). Else the script runs as it is, and a parser of ours reads its output.

Harbor's migrator turned such scripts into Harbor's by a suffix that makes a reward of the last command's status. Where
that is not what the original's parser read, the suffix is left out and the original's verdict is read again.
"""

from __future__ import annotations

import hashlib
import re
import shlex
from dataclasses import replace
from typing import Final

from skill import bash
from skill.bash import Node
from skill.finding import Finding, Severity
from skill.verifier import hazards, source_script
from skill.verifier.base import Odd, Rewrite, VerifierInput
from skill.verifier.patterns import Situation, additions
from skill.verifier.prefix import Kind, kind
from skill.verifier.rewrite import BOM, assembled, by_status, outside, reserved, rewrite, text_of, unfit_names
from skill.verifier.runner import EXPANSION, Call, pytest_call
from skill.verifier.shipped import PARSERS, staged
from skill.verifier.split import Split, bootstrap_of, understood, unfit_body
from skill.verifier.summary import HEADER, never_passes, speaks, texts

SHOWS_PASSES: Final = re.compile(r"-r[A-Za-z]*[Ap]")
MIGRATED: Final = re.compile(
    rb"\n_EXIT_CODE=\$\?\nif \[ \$_EXIT_CODE -eq 0 \]; then\n +echo 1 > /logs/verifier/reward\.txt\nelse\n"
    rb" +echo 0 > /logs/verifier/reward\.txt\nfi\n(?:exit \$_EXIT_CODE\n)?\s*\Z"
)
MARKS: Final = {
    "swebench": b"SWEBench results starts here",
    "sweperf": b"SWE-Perf results starts here",
    "mlebench": b"MLEBench results starts here",
}
AS_ORIGINAL: Final = "as the parser of the original reads it"
BEYOND: Final = ("--cov-fail-under", "--no-summary")  # where status and summary part
SOURCE: Final = '. "$TESTS/.verdict/parsers.sh" || infra "tests/.verdict/parsers.sh cannot be read"'


def by_rule(given: VerifierInput) -> Rewrite | Odd:
    """The verifier in Margin's terms, or why a rule cannot write it, whatever its framework reads."""
    if given.parser:
        return rewrite_parsed(given)
    found = rewrite(given)
    original = _original(given)
    if original is None or (isinstance(found, Rewrite) and found.shape.startswith("direct-pytest")):
        return found
    again = rewrite_parsed(original, AS_ORIGINAL)
    if isinstance(again, Odd):
        return found
    said = "the task was migrated from Terminal-Bench; its verdict is read as the original's parser did"
    return replace(again, findings=(*again.findings, Finding("tests/test.sh", 0, "S407", Severity.NOTE, said)))


def _original(given: VerifierInput) -> VerifierInput | None:
    """The verifier as it was before Harbor's migrator, where the script shows it and knows what a parser reads."""
    cut = MIGRATED.search(given.script)
    if cut is None or given.image_env.get("TEST_DIR") != "/tests":
        return None
    original = given.script[: cut.start()].rstrip(b"\n") + b"\n"
    script, _ = understood(original)
    beside = texts(script, given.assets)
    parser = next((name for name, mark in MARKS.items() if any(mark in text for text in beside)), "")
    if not parser and not speaks(script, given.assets):
        return None
    return replace(given, script=original, parser=parser or "pytest", with_bash=True)


def rewrite_parsed(given: VerifierInput, note: str = "") -> Rewrite | Odd:
    """The verifier in Margin's terms, or why a rule cannot write it; ``note`` is added to its reasons."""
    given = replace(given, script=given.script.removeprefix(BOM))
    odd = hazards.unreadable(given.script) or reserved(given.assets) or unfit_names(given.env)
    if odd is None:
        script, _ = understood(given.script)
        odd = next(iter(hazards.hazards(given, script)), None)
    if odd is not None:
        return _in_own_words(odd)
    cut = cut_of(script)
    if given.parser == "pytest":
        silent = never_passes(script, given.assets)
        if cut.test is not None and (silent or _status_tells(given, script, cut.test)):
            found = by_status(given, script, cut)
            if isinstance(found, Rewrite):
                return found
        if silent:
            return Odd("never-passes", "nothing makes pytest name the tests that pass, so that no run can be solved")
    return _printed(given, script, cut, note)


def _in_own_words(odd: Odd) -> Odd:
    """The same with the name that the script has in its source."""
    return replace(odd, sentence=odd.sentence.replace("tests/test.sh", "run-tests.sh"))


@bash.once_a_script
def cut_of(script: bash.Script) -> Split:
    """The script cut before its last statement, when that is a plain call of pytest and the only one."""
    nodes = bash.statements(script.root)
    prefix = bootstrap_of(script, nodes)
    body, last = tuple(nodes[len(prefix) : -1]), nodes[-1] if len(nodes) > len(prefix) else None
    reason = "the script does not end with one plain call of pytest"
    if last is None or last.type != "command" or bash.in_background(last) or pytest_call(script, last) is None:
        return Split(prefix, (), None, reason, ())
    if any(pytest_call(script, command) for node in body for command in bash.commands(node)):
        return Split(prefix, (), None, reason, ())
    if problem := unfit_body(script, list(body), last) or _installs(script, body):
        return Split(prefix, (), None, problem, ())
    options = tuple(
        script.text(node)
        for node in (*(node for _, node in prefix), *body)
        if node.type == "command" and bash.name(script, node) == "set"
    )
    return Split(prefix, body, last, "", options)


def _installs(script: bash.Script, body: tuple[Node, ...]) -> str:
    """Where something is installed once the candidate may have run, which only the parser's reading forgives."""
    for node in body:
        for command in bash.commands(node):
            if kind(script, command) is Kind.INSTALL:
                return f"line {bash.line(command)}: something is installed after the bootstrap"
    return ""


def _status_tells(given: VerifierInput, script: bash.Script, test: Node) -> bool:
    """Whether pytest ends with 0 just where its summary holds passes alone, and prints one then.

    XPASS counts as a failure in the summary and not in the status; a summary that the script prints by hand has no
    status at all.
    """
    words = bash.words(script, test)
    if not any(SHOWS_PASSES.fullmatch(word) for word in words) or any(word.startswith(BEYOND) for word in words):
        return False
    code = [asset.data for asset in given.assets if asset.path.endswith((".py", ".sh", ".ini", ".toml", ".cfg"))]
    return not HEADER.search(given.script) and not any(b"xfail" in data for data in code)


def _printed(given: VerifierInput, script: bash.Script, cut: Split, note: str) -> Rewrite:
    """The verifier that runs the script as it is and reads its output."""
    nodes = tuple(bash.statements(script.root)[len(cut.prefix) :])
    shells = [script, *(bash.parse(asset.data) for asset in given.assets if asset.path.endswith(".sh"))]
    commands = [command for node in nodes for command in bash.commands(node)]
    beside = [(shell, command) for shell in shells[1:] for command in bash.commands(shell.root)]
    alone = outside(script, commands) and all(outside(shell, [command]) for shell, command in beside)
    call = next((call for command in commands if (call := pytest_call(script, command))), None)
    judge, before = f"judge_output {given.parser}", ("OFFLINE=1",) if alone else ()
    judge += f" {shlex.quote(note)}" if note else ""
    text = text_of(given, script, cut, "wrapped", given.parser, nodes, _trial(script, nodes, call), judge, before)
    text.tools = text.tools if alone else ()  # what is installed on the way cannot be looked for beforehand
    text.phase, text.shape, text.starter = "printed", _shape(given, script), "bash "
    text.setup += (SOURCE,)
    added = additions(Situation(given, script, "wrapped", call or Call("status")))
    found = assembled(given, text, source_script.whole(script, cut), added, {PARSERS: staged(PARSERS)})
    return found if alone else replace(found, findings=(*found.findings, _fetches(given.timeout_seconds)))


def _fetches(seconds: int) -> Finding:
    """What is said of a script that may fetch things while the candidate's time runs."""
    said = f"the script fetches something while it grades: where that is slow, its {seconds} s end as a failure"
    return Finding("tests/test.sh", 0, "S408", Severity.WARNING, said)


def _trial(script: bash.Script, nodes: tuple[Node, ...], call: Call | None) -> tuple[str, ...]:
    """A trial of the script's pytest, where nothing but bootstrap comes before it."""
    if call is None or not nodes or call.node is None or call.node.end_byte > nodes[0].end_byte:
        return ()
    if not call.trial or EXPANSION.search(call.trial.replace("$PRIVATE", "")):
        return ()
    return (f"runner_works {call.trial}",)


@bash.once_a_script
def _names(script: bash.Script) -> str:
    return "\n".join(bash.name(script, command) for command in bash.commands(script.root))


def _shape(given: VerifierInput, script: bash.Script) -> str:
    """A name for all verifiers that call the same commands in the same order before the same parser."""
    return f"printed-{given.parser}-{hashlib.sha256(_names(script).encode()).hexdigest()[:6]}"
