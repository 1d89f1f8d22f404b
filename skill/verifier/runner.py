"""Which runner a test command calls, and how the same call is tried on a test that is known to pass."""

from __future__ import annotations

import re
from dataclasses import dataclass

from skill import bash
from skill.bash import Node

# pytest options that need a plugin (or a working installation) and take no path of the tests.
PLUGIN_OPTIONS = re.compile(r"^(?:--timeout|-n|--numprocesses|--reruns|--asyncio-mode|--json-report|-p)(?:=|$)")
REPORT_OPTIONS = re.compile(r"^(?:--ctrf|--json-report-file|--html)(?:=|$)")
JUNIT_OPTIONS = re.compile(r"^--junit-?xml(?:=(.*))?$")
FIXED = re.compile(r"/[\w./+-]*")
EXPANSION = re.compile(r"\$\{?(?!HOME\b|PATH\b|PWD\b)[A-Za-z_0-9?@*#]")

PROJECT = frozenset("--project --no-project --directory --isolated --with".split())  # uv run looks elsewhere
RUNNERS = frozenset(
    "node npm npx jest vitest mocha go cargo java mvn gradle make ctest bats bash sh ruby Rscript".split()
)
STARTERS = frozenset("timeout env exec time nice sudo stdbuf xvfb-run".split())

# What the output of a runner shows when at least one test ran, as bash sees it with a line break in front.
EVIDENCE = {
    "unittest": r"Ran [1-9][0-9]* test",
    "npx mocha": r"\n[[:space:]]*[1-9][0-9]* passing",
    "mocha": r"\n[[:space:]]*[1-9][0-9]* passing",
    "go test": r"\n(ok[[:space:]]+[^[:space:]]+[[:space:]]+([0-9.]+s|\(cached\))([[:space:]]+coverage:[^\n]*)?(\n|$)"
    r"|--- PASS: )|\"Action\":\"pass\"",
    "cargo test": r"test result: ok\. [1-9][0-9]* passed",
    "node --test": r"(# |ℹ )pass [1-9]",
    "bats": r"\nok [0-9]+",
    "ctest": r"100% tests passed, 0 tests failed out of [1-9]",
}


@dataclass(frozen=True)
class Call:
    """One call of a runner inside a script."""

    runner: str  # pytest, python, node, go, …; "status" when nothing is known about it
    node: Node | None = None  # the simple command
    insert_at: int = 0  # byte offset at which an option of ours wins over those of the source
    trial: str = ""  # the call without its tests, as shell words; '' when it cannot be repeated
    report: str = ""  # the fixed place where the source itself lets the runner write a JUnit report
    evidence: str = ""  # pattern in the output that shows a test ran, where the runner prints one


@bash.once_a_script
def call_of(script: bash.Script, test: Node) -> Call:
    """The runner behind the test command: the last simple command in it decides its status."""
    commands = [node for node in bash.commands(test) if not _inside_substitution(node, test)]
    if not commands:
        return Call("status")
    last = commands[-1]
    found = pytest_call(script, last)
    if found is not None:
        return found
    words = [word for word in bash.words(script, last) if word]
    name = _runner_name(words)
    return Call(name, last, evidence=_evidence(name, words))


def _evidence(name: str, words: list[str]) -> str:
    for call, pattern in EVIDENCE.items():
        runner, _, argument = call.partition(" ")
        if name == runner and (not argument or argument in words):
            return pattern
    return ""


def _inside_substitution(node: Node, top: Node) -> bool:
    parent = node.parent
    while parent is not None and parent.id != top.id:
        if parent.type in ("command_substitution", "process_substitution"):
            return True
        parent = parent.parent
    return False


def _runner_name(words: list[str]) -> str:
    for word in words:
        base = word.rsplit("/", 1)[-1]
        if base in ("python", "python3"):
            return "unittest" if "unittest" in words else "python"
        if base in RUNNERS:
            return base
        if base not in STARTERS and not word.startswith("-") and not word[:1].isdigit() and "=" not in word:
            break
    return "status"


def pytest_call(script: bash.Script, command: Node) -> Call | None:
    """The call when ``command`` runs pytest, whatever starts it (uvx, uv run, python -m, timeout)."""
    nodes = [child for child in command.named_children if child.type == "command_name" or child.type in bash.WORDS]
    words = bash.words(script, command)
    at = next(
        (
            i
            for i, word in enumerate(words)
            if word.rsplit("/", 1)[-1] in ("pytest", "py.test") and _is_runner(words, i)
        ),
        None,
    )
    if at is None:
        return None
    report, insert_at = "", nodes[at].end_byte
    for index, word in enumerate(words[at + 1 :], at + 1):
        if match := JUNIT_OPTIONS.match(word):
            last = index if match[1] is not None else min(index + 1, len(words) - 1)
            report, insert_at = match[1] if match[1] is not None else words[last], nodes[last].end_byte
    if not FIXED.fullmatch(report):
        report = ""  # relative to a folder, or named by a variable, that only the script knows
    return Call("pytest", command, insert_at, _trial(script, command, nodes, words, at), report)


def _is_runner(words: list[str], at: int) -> bool:
    """A word "pytest" that is the program, not the value of an option such as ``--with pytest``."""
    before = words[at - 1] if at else ""
    return before not in ("--with", "-w", "--from", "-p", "install", "add", "-k", "-m") or (
        before == "-m" and "python" in words[at - 2]
    )


@bash.once_a_script
def _moves(script: bash.Script) -> bool:
    """Whether the script leaves the folder that it starts in."""
    return any(bash.name(script, node) in ("cd", "pushd") for node in bash.commands(script.root))


def _trial(script: bash.Script, command: Node, nodes: list[Node], words: list[str], at: int) -> str:
    kept = [script.text(node).replace("\\\n", " ") for node in nodes[: at + 1]]
    if words[:2] == ["uv", "run"] and not PROJECT & set(words[:at]) and not _moves(script):
        kept.insert(2, '--project "$PWD"')  # the trial itself runs in another folder
    index = at + 1
    while index < len(words):
        word, text = words[index], script.text(nodes[index])
        takes_value = "=" not in word and index + 1 < len(words) and not words[index + 1].startswith("-")
        if PLUGIN_OPTIONS.match(word):
            kept.append(text)
            if takes_value:
                kept.append(script.text(nodes[index + 1]))
        elif REPORT_OPTIONS.match(word):
            name = word.split("=", 1)[0]
            kept.append(f'{name} "$PRIVATE/check/extra"')
        index += 2 if takes_value and (PLUGIN_OPTIONS.match(word) or REPORT_OPTIONS.match(word)) else 1
    text = " ".join(kept)
    return "" if "$(" in text or "`" in text or bash.is_torn(script, command) else text
