"""A verifier whose verdict its framework reads in what it prints (Terminal-Bench), rewritten by rule.

Where the script ends in one pytest call whose status says what the parser would find in its summary, that status and
pytest's own report decide (by_status). Else the script runs as it is, and a parser of ours reads its output.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from typing import Final

from skill import bash
from skill.bash import Node
from skill.verifier import hazards, source_script
from skill.verifier.base import Odd, Rewrite, VerifierInput
from skill.verifier.patterns import Situation, additions
from skill.verifier.prefix import Kind, kind
from skill.verifier.rewrite import BOM, assembled, by_status, outside, reserved, rewrite, text_of, unfit_names
from skill.verifier.runner import EXPANSION, Call, pytest_call
from skill.verifier.shipped import PARSERS, staged
from skill.verifier.split import Split, bootstrap_of, understood, unfit_body

SHOWS_PASSES: Final = re.compile(r"-r[A-Za-z]*[Ap]")
SPEAKS: Final = re.compile(rb"short test summary info", re.IGNORECASE)
BEYOND: Final = ("--cov-fail-under", "--no-summary")  # where status and summary part
SOURCE: Final = '. "$TESTS/.verdict/parsers.sh" || infra "tests/.verdict/parsers.sh cannot be read"'


def by_rule(given: VerifierInput) -> Rewrite | Odd:
    """The verifier in Margin's terms, or why a rule cannot write it, whatever its framework reads."""
    return rewrite_parsed(given) if given.parser else rewrite(given)


def rewrite_parsed(given: VerifierInput) -> Rewrite | Odd:
    """The verifier in Margin's terms, or why a rule cannot write it. The result depends on ``given`` alone."""
    given = replace(given, script=given.script.removeprefix(BOM))
    odd = hazards.unreadable(given.script) or reserved(given.assets) or unfit_names(given.env)
    if odd is None:
        script, _ = understood(given.script)
        odd = next(iter(hazards.hazards(given, script)), None)
    if odd is not None:
        return _in_own_words(odd)
    cut = cut_of(script)
    if given.parser == "pytest" and cut.test is not None and _status_tells(given, script, cut.test):
        found = by_status(given, script, cut)
        if isinstance(found, Rewrite):
            return found
    return _printed(given, script, cut)


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
    if last is None or last.type != "command" or pytest_call(script, last) is None:
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
    return not SPEAKS.search(given.script) and not any(b"xfail" in data for data in code)


def _printed(given: VerifierInput, script: bash.Script, cut: Split) -> Rewrite:
    nodes = tuple(bash.statements(script.root)[len(cut.prefix) :])
    shells = [script, *(bash.parse(asset.data) for asset in given.assets if asset.path.endswith(".sh"))]
    commands = [command for node in nodes for command in bash.commands(node)]
    beside = [(shell, command) for shell in shells[1:] for command in bash.commands(shell.root)]
    alone = outside(script, commands) and all(outside(shell, [command]) for shell, command in beside)
    call = next((call for command in commands if (call := pytest_call(script, command))), None)
    judge, before = f"judge_output {given.parser}", ("OFFLINE=1",) if alone else ()
    text = text_of(given, script, cut, "wrapped", given.parser, nodes, _trial(script, nodes, call), judge, before)
    text.tools = text.tools if alone else ()  # what is installed on the way cannot be looked for beforehand
    text.phase, text.shape, text.starter = "printed", _shape(given, script), "bash "
    text.setup += (SOURCE,)
    added = additions(Situation(given, script, "wrapped", call or Call("status")))
    return assembled(given, text, source_script.whole(script, cut), added, {PARSERS: staged(PARSERS)})


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
