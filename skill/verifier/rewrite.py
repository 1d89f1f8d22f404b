"""A source's verifier rewritten by rule, or the reason why no rule covers it (decision D4)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from skill import bash
from skill.bash import Node
from skill.finding import Finding, Severity
from skill.ledger import digest
from skill.verifier import hazards, python, source_script, template, tools
from skill.verifier.base import Asset, Odd, Rewrite, VerifierInput
from skill.verifier.commands import NETWORK
from skill.verifier.patterns import HEADING, Addition, Situation, additions
from skill.verifier.placement import in_function
from skill.verifier.prefix import Kind, kind
from skill.verifier.reward_keys import may_be_written
from skill.verifier.rewards import ODD_REWARD, constant, rewards
from skill.verifier.runner import EXPANSION, Call, call_of, pytest_call
from skill.verifier.split import Split, understood

PASS_IF = re.compile(r"\s*([\w.-]+)\s*(>=|>|==)\s*(\d+(?:\.\d+)?)\s*\Z")
TEST_PLACES = ("TEST_DIR", "TESTS_DIR", "TESTS_ROOT", "HARBOR_TESTS_DIR", "TEST_ROOT")
TO_FILE = re.compile(r"(?<![0-9&])>+\s*(?!&)[\w\"'$/.]")
DEFAULTED = re.compile(r"\$\{([A-Za-z_]\w*):?-")
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
BOM = b"\xef\xbb\xbf"
RESERVED = (template.SOURCE_SCRIPT, ".verdict")


def rewrite(given: VerifierInput) -> Rewrite | Odd:
    """The verifier in Margin's terms, or why a rule cannot write it.

    The result depends on ``given`` alone. An Odd's code is the refusal's: "needs-agent" where a mind could do it.
    """
    given = replace(given, script=given.script.removeprefix(BOM))  # bash takes the mark for a part of the first word
    odd = hazards.unreadable(given.script) or reserved(given.assets) or unfit_names(given.env)
    if odd:
        return odd
    script, cut = understood(given.script)
    for odd in hazards.hazards(given, script):
        return odd
    assert cut is not None, "a broken script is a hazard"
    direct = cut.test is not None and not in_function(cut.test) and not _written_elsewhere(given, script, cut)
    found = _late_bootstrap(script, cut) or (by_status if direct else _wrapped)(given, script, cut)
    return found if isinstance(found, Odd) else _unknown_key(given, script) or found


def _unknown_key(given: VerifierInput, script: bash.Script) -> Odd | None:
    """The reason why the rule that says what passes cannot be meant for this verifier."""
    threshold = PASS_IF.match(given.pass_if) if given.pass_if else None
    if threshold is None or may_be_written(threshold[1], script, given.assets):
        return None
    said = f"nothing in tests/ writes a reward called {threshold[1]!r}, which is what --pass-if looks at"
    return Odd("reward-key", said, (f"--pass-if {given.pass_if}",))


def _written_elsewhere(given: VerifierInput, script: bash.Script, cut: Split) -> bool:
    """Whether another file of tests/, or a variable from outside, has a say in the reward that the tail writes."""
    outside = _defaulted(script, cut) & (given.env.keys() | given.image_env.keys())
    return bool(outside) or any(writer != "test.sh" for writer in rewards(script, given.assets).writers)


@bash.once_a_script
def _defaulted(script: bash.Script, cut: Split) -> frozenset[str]:
    """The variables after the bootstrap that have a default."""
    tail = "\n".join(script.text(node) for node in bash.statements(script.root)[len(cut.prefix) :])
    return frozenset(DEFAULTED.findall(tail))


def reserved(assets: Iterable[Asset]) -> Odd | None:
    """The reason why a file of the source is in the way of one that every converted verifier has."""
    for asset in assets:
        if PurePosixPath(asset.path).parts[0] in RESERVED:
            return Odd("needs-agent", f"tests/{asset.path} has a name that the converted verifier needs")
    return None


def unfit_names(names: Iterable[str]) -> Odd | None:
    """The reason why a variable of the source would change what the verifier's own library does."""
    for name in names:
        if not VARIABLE.fullmatch(name) or name in template.OWN_NAMES:
            return Odd("needs-agent", f"the variable {name!r} cannot be set around the converted verifier")
    return None


@bash.once_a_script
def _late_bootstrap(script: bash.Script, cut: Split) -> Odd | None:
    """Installing once the candidate may have run cannot be told from the candidate's own failure."""
    for node in bash.statements(script.root)[len(cut.prefix) :]:
        for command in bash.commands(node):
            if kind(script, command) is Kind.INSTALL:
                text = " ".join(script.text(command).split())[:80]
                return Odd(
                    "needs-agent",
                    "the verifier installs something after its tests began",
                    (f"line {bash.line(command)}: {text}",),
                )
    return None


def by_status(given: VerifierInput, script: bash.Script, cut: Split) -> Rewrite | Odd:
    """The verifier that goes by the status of the test command of ``cut``, and by what shows that tests ran."""
    assert cut.test is not None
    call = call_of(script, cut.test)
    if call.runner != "pytest" and _starts_pytest(script, cut.test, call):
        return Odd(
            "needs-agent",
            "pytest is started in a way that is not understood",
            (f"line {bash.line(cut.test)}",),
        )
    nodes = (*cut.body, cut.test)
    checks, problem = _checks(script, nodes, call)
    checks += _delegated(given, script.text(cut.test)) if call.runner in ("bash", "sh", "status") else ()
    if problem:
        return problem
    report = call.report or "$PRIVATE/report.xml"  # a fixed place, so that it needs no quotes of its own
    before: tuple[str, ...] = ()
    judge = "judge_status"
    if call.runner == "pytest":
        judge = f'judge_pytest "{report}"'
        before = (f'rm -f "{report}"',) if call.report else ()
    text = text_of(given, script, cut, "direct", call.runner, nodes, checks, judge, before)
    text.after = ("reached",) if call.runner == "pytest" and source_script.may_stop(script, cut) else ()
    text.evidence = "" if TO_FILE.search(script.text(cut.test)) else call.evidence
    added = additions(Situation(given, script, "direct", call))
    inserts = tuple(insert for addition in added.values() for insert in addition.inserts)
    return assembled(given, text, source_script.until_test(script, cut, call, inserts), added)


@bash.once_a_script
def _starts_pytest(script: bash.Script, test: Node, call: Call) -> bool:
    """Whether pytest hides in a string or a variable of the test command."""
    text = script.text(test)
    if call.runner == "status":
        text += " " + " ".join(
            script.text(node) for node in bash.walk(script.root) if node.type == "variable_assignment"
        )
    return bool(re.search(r"(?<![\w/.-])pytest(?![\w/.-])", text))


def _delegated(given: VerifierInput, command: str) -> tuple[str, ...]:
    """Trials of the pytest that a script beside test.sh starts, when the test command starts that script."""
    trials: list[str] = []
    for asset in given.assets:
        if asset.path.endswith(".sh") and asset.path.rsplit("/", 1)[-1] in command:
            script = bash.parse(asset.data)
            calls = (pytest_call(script, node) for node in bash.commands(script.root))
            trials += [
                f"runner_works {call.trial}"
                for call in calls
                if call and call.trial and not EXPANSION.search(call.trial.replace("$PRIVATE", ""))
            ]
    return tuple(dict.fromkeys(trials))


def _wrapped(given: VerifierInput, script: bash.Script, cut: Split) -> Rewrite | Odd:
    facts = (cut.reason,)
    if cut.reason.startswith("verdict-masked"):
        return Odd("verdict-masked", "the source's reward does not depend on its tests", facts)
    found = rewards(script, given.assets)
    odd_names = [a.path for a in (Asset("test.sh", given.script, 0), *given.assets) if ODD_REWARD.search(a.data)]
    if not found.writers:
        return Odd("no-reward", "no file of tests/ writes a reward that Harbor would read", (*facts, *odd_names))
    if found.writers == ("test.sh",) and (line := constant(script)):
        return Odd("verdict-masked", f"tests/test.sh:{line} writes the same reward whatever the candidate did", facts)
    threshold = PASS_IF.match(given.pass_if) if given.pass_if else None
    if found.open and threshold is None:
        return Odd("reward-not-binary", f"{found.open}; state a threshold with --pass-if", (found.open,))
    nodes = tuple(bash.statements(script.root)[len(cut.prefix) :])
    commands = [command for node in nodes for command in bash.commands(node)]
    calls = [call for command in commands if (call := pytest_call(script, command))]
    pytest = calls[0] if calls else None
    if len({call.trial for call in calls}) > 1:
        return Odd("needs-agent", "pytest is started in one of several ways", tuple(call.trial for call in calls))
    checks, problem = _checks(script, nodes, pytest or Call("reward"))
    if problem:
        return problem
    judge = f"judge_reward {threshold[1]} '{threshold[2]}' {threshold[3]}" if threshold else "judge_reward"
    runner = "pytest" if pytest else "reward"
    text = text_of(given, script, cut, "wrapped", runner, nodes, checks, judge, outside(script, commands))
    added = additions(Situation(given, script, "wrapped", pytest or Call("reward")))
    return assembled(given, text, source_script.whole(script, cut), added)


def outside(script: bash.Script, commands: list[Node]) -> tuple[str, ...]:
    """What tells the library that nothing outside the container can break the source's verifier off."""
    return () if any(bash.name(script, command) in NETWORK for command in commands) else ("OFFLINE=1",)


@bash.once_a_script
def _checks(script: bash.Script, nodes: tuple[Node, ...], call: Call) -> tuple[tuple[str, ...], Odd | None]:
    """Trials that go before the candidate, so that a fault of the harness is seen as one."""
    if call.runner == "pytest":
        if not call.trial or EXPANSION.search(call.trial.replace("$PRIVATE", "")):
            where = bash.line(call.node) if call.node is not None else 0
            return (), Odd("needs-agent", "pytest's own call cannot be tried beforehand", (f"line {where}",))
        return (f"runner_works {call.trial}",), None
    checks: list[str] = []
    for node in nodes:
        for command in bash.commands(node):
            words = bash.words(script, command)
            if words[:1] in (["uv"], ["uvx"], ["pipx"]):
                trial = _fetched_tool(words)
                if not trial:
                    text = " ".join(words)[:80]
                    return (), Odd(
                        "needs-agent",
                        "a tool is fetched while grading and cannot be tried beforehand",
                        (f"line {bash.line(command)}: {text}",),
                    )
                checks.append(f"tool_starts {trial} --help")
    return tuple(dict.fromkeys(checks)), None


def _fetched_tool(words: list[str]) -> str:
    """``uvx --from X tool`` up to the tool's name, '' when it is another kind of call."""
    if words[0] != "uvx":
        return ""
    index = 1
    while index < len(words) and words[index].startswith("-"):
        index += 1 if "=" in words[index] else 2
    kept = words[: index + 1]
    plain = all(re.fullmatch(r"[\w@./:=<>,\[\]+-]+", word) for word in kept)
    return " ".join(f"'{w}'" if re.search(r"[<>\[]", w) else w for w in kept) if index < len(words) and plain else ""


def text_of(
    given: VerifierInput, script: bash.Script, cut: Split, form: str, runner: str, nodes: tuple[Node, ...],
    checks: tuple[str, ...], judge: str, before: tuple[str, ...],
) -> template.Text:  # fmt: skip
    """What all forms have in common; ``nodes`` are the statements after the bootstrap."""
    bootstrap = source_script.bootstrap(script, cut)
    return template.Text(
        form=form,
        shape=_shape(script, form, runner),
        limit=given.timeout_seconds,
        manifest="",
        cwd=given.cwd,
        env=given.env,
        names=test_places(given),
        pre_verify=given.pre_verify,
        bootstrap=bootstrap,
        tools=tools_of(given, script, nodes),
        imports=_imports(given, script) if any(check.startswith("runner_works") for check in checks) else (),
        checks=checks,
        judge=judge,
        before=before,
        starter="" if given.script.startswith(b"#!") and not given.with_bash else "bash ",
    )


def test_places(given: VerifierInput) -> tuple[str, ...]:
    """Variables that the source's scripts or its image use for the place of the tests."""
    return tuple(name for name in TEST_PLACES if _named(name, given))


def tools_of(given: VerifierInput, script: bash.Script, nodes: tuple[Node, ...]) -> tuple[str, ...]:
    """The tools that the source's script calls, and those of the scripts beside it that it starts."""
    text = " ".join(script.text(node) for node in nodes)
    found = set(tools.needed(script, nodes, given.prompt))
    for asset in given.assets:
        if asset.path.endswith(".sh") and asset.path.rsplit("/", 1)[-1] in text:
            helper = bash.parse(asset.data)
            found |= set(tools.needed(helper, (helper.root,), given.prompt))
    return tuple(sorted(found))


def _named(name: str, given: VerifierInput) -> bool:
    """Whether anything reads this variable as the place of the tests; then it is set, not defaulted."""
    texts = [text for text in (given.script, *(asset.data for asset in given.assets)) if name.encode() in text]
    word = re.compile(rb"(?<![A-Za-z0-9_])" + name.encode() + rb"(?![A-Za-z0-9_])")
    return name in given.image_env or any(word.search(text) for text in texts)


@bash.once_a_script
def _shape(script: bash.Script, form: str, runner: str) -> str:
    """A name under which cases with the same verifier but for names and comments are counted together."""
    tokens = [re.sub(r"/tests/\S+", "/tests/*", script.text(node)) for node in bash.statements(script.root)]
    return f"{form}-{runner}-{hashlib.sha256(chr(10).join(tokens).encode()).hexdigest()[:6]}"


def _imports(given: VerifierInput, script: bash.Script) -> tuple[str, ...]:
    """Modules that the tests import and that the suite itself installs."""
    siblings = {PurePosixPath(asset.path).parts[0].removesuffix(".py") for asset in given.assets}
    names: set[str] = set()
    for asset in given.assets:
        if asset.path.endswith(".py"):
            names |= set(python.top_imports(asset.data))
    return python.brought(names, siblings, given.installed | _bootstrap_packages(script))


@bash.once_a_script
def _bootstrap_packages(script: bash.Script) -> frozenset[str]:
    return frozenset(_packages(script))


def _packages(script: bash.Script) -> Iterator[str]:
    for command in bash.commands(script.root):
        words = bash.words(script, command)
        if {"pip", "pip3", "uv", "uvx"} & set(words[:3]):
            for word in words:
                yield re.split(r"[=<>!~\[;@ ]", word, maxsplit=1)[0]


def assembled(
    given: VerifierInput,
    text: template.Text,
    inner: bytes,
    added: Mapping[str, Addition],
    beside: Mapping[str, bytes] | None = None,
) -> Rewrite:
    """The files of the verifier, ``beside`` among them; the manifest covers everything staged but test.sh itself."""
    for addition in added.values():
        text.first += addition.first
        text.early += addition.early
        text.before_pass += addition.before_pass
        text.setup += addition.setup
        text.before += addition.before
        text.after += addition.after
        text.evidence = addition.evidence or text.evidence
    text.hardened = HEADING + ", ".join(added) if added else ""
    own = {path: data for addition in added.values() for path, data in addition.files.items()} | dict(beside or {})
    hashes = {asset.path: digest(asset.data) for asset in given.assets} | {path: digest(own[path]) for path in own}
    hashes |= {template.SOURCE_SCRIPT: digest(inner), template.LIBRARY: digest(template.library())}
    listed = template.manifest(hashes)
    text.manifest = digest(listed)
    files = {
        "test.sh": template.render(text),
        template.SOURCE_SCRIPT: inner,
        template.LIBRARY: template.library(),
        template.MANIFEST: listed,
        **own,
    }
    return Rewrite(text.form, text.shape, f"verifier-{text.form}", files, tuple(_findings(given, text)), tuple(added))


def _findings(given: VerifierInput, text: template.Text) -> Iterator[Finding]:
    if not template.reserve(given.timeout_seconds):
        message = f"{given.timeout_seconds} s leave no room for an inner time-out: a hanging candidate ends as infra"
        yield Finding("tests/test.sh", 0, "S401", Severity.WARNING, message)
    if text.bootstrap:
        message = "the verifier installs packages while grading: without their index it ends as infra"
        yield Finding("tests/test.sh", 0, "S402", Severity.WARNING, message)
