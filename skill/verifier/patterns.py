"""Hardening around a source's verifier where the facts of a case allow it: what cheap forgeries fail at.

A pattern is one function: from a situation to what it adds to the verifier, or None where its precondition does not
hold. Its docstring says what it stops and why an honest candidate does not notice. What the proof shows to be wrong
for a case is taken back by name. What every verifier carries stands in lib.sh and template.py instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from typing import Final

from skill import bash
from skill.bash import Node
from skill.verifier.base import VerifierInput
from skill.verifier.runner import Call, pytest_call

GUARD: Final = ".verdict/verdict_guard.py"
COMPLETION: Final = ".verdict/completion.py"
SETTINGS: Final = "pytest.ini"
SHIPPED: Final = {GUARD: "guard.py.txt", COMPLETION: "completion.py.txt"}

_PLACE: Final = r"(?:/tests\b|\$\{?(?:TEST_DIR|TESTS_DIR|TESTS_ROOT|HARBOR_TESTS_DIR|TEST_ROOT|SCRIPT_DIR|HERE|DIR)\b)"
_IN_TESTS: Final = re.compile(rf"[\"']?{_PLACE}")
_WRITES_PYTHON: Final = re.compile(
    rf"(?:rmtree|unlink|remove|rename|move|replace|write_text|write_bytes|symlink)\w*\(.*{_PLACE}"
    rf"|open\([^)]*{_PLACE}[^)]*[\"'][wa]|{_PLACE}[^\n]*\.(?:unlink|rename|write_text|write_bytes)\("
)
_SERVICE: Final = re.compile(
    r"localhost|127\.0\.0\.1|0\.0\.0\.0|\b(?:ports?|servers?|services?|daemons?|sockets?|listen\w*|pids?|pgrep|psutil|nohup|"
    r"cron\w*|background|workers?|nginx|redis|postgres\w*|mysql\w*|systemctl|supervisord?|tmux|watch(?:er|dog))\b"
)
_STEERED: Final = re.compile(
    r"PYTHONPATH|PYTEST_PLUGINS|env -i|environ\.clear|(?<![\w-])(?:sudo|su|runuser|gosu|setpriv|chroot)\b"
)
_OWN_SETTINGS: Final = frozenset(("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg", "setup.py"))
_TAKES_VALUE: Final = frozenset(
    (
        "-k",
        "-m",
        "-p",
        "-n",
        "-o",
        "-W",
        "-r",
        "--ctrf",
        "--junitxml",
        "--timeout",
        "--tb",
        "--maxfail",
        "--html",
        "--durations",
    )
)


@dataclass(frozen=True)
class Addition:
    """What a pattern adds to a verifier."""

    first: tuple[str, ...] = ()  # lines of main before all others
    setup: tuple[str, ...] = ()  # lines before the runner is tried
    before: tuple[str, ...] = ()  # lines right before the candidate
    after: tuple[str, ...] = ()  # lines right after the candidate
    files: Mapping[str, bytes] = field(default_factory=dict)  # staged beside the tests
    evidence: str = ""  # a stricter pattern of what shows that a test ran


@dataclass(frozen=True, eq=False)
class Situation:
    """A verifier as it is about to be written."""

    given: VerifierInput
    script: bash.Script
    form: str
    call: Call  # of the runner that decides, as far as it is known

    @cached_property
    def text(self) -> str:
        """The source's script and all staged code."""
        code = [asset.data for asset in self.given.assets if asset.path.endswith((".sh", ".py", ".js", ".mjs", ".ts"))]
        return "\n".join(data.decode("utf-8", "replace") for data in (self.given.script, *code))

    @cached_property
    def shells(self) -> tuple[bash.Script, ...]:
        """The source's script and the shell scripts beside it."""
        beside = [bash.parse(asset.data) for asset in self.given.assets if asset.path.endswith(".sh")]
        return (self.script, *beside)

    @cached_property
    def commands(self) -> tuple[tuple[str, list[str]], ...]:
        """Every simple command: its name and its words."""
        return tuple(command for script in self.shells for command in _commands(script))

    @cached_property
    def pytest_calls(self) -> tuple[list[str], ...]:
        """The words after pytest in each call of it."""
        return tuple(_arguments(script, call) for script in self.shells for call in _pytest_calls(script))


@bash.once_a_script
def _commands(script: bash.Script) -> tuple[tuple[str, list[str]], ...]:
    return tuple((bash.name(script, node), bash.words(script, node)) for node in bash.commands(script.root))


@bash.once_a_script
def _pytest_calls(script: bash.Script) -> tuple[Call, ...]:
    calls = (pytest_call(script, node) for node in bash.commands(script.root))
    return tuple(call for call in calls if call is not None)


Pattern = Callable[[Situation], Addition | None]
PATTERNS: Final[dict[str, Pattern]] = {}


def _pattern(name: str) -> Callable[[Pattern], Pattern]:
    def register(pattern: Pattern) -> Pattern:
        PATTERNS[name] = pattern
        return pattern

    return register


HEADING: Final = "# Hardened by: "


def used(script: bytes) -> tuple[str, ...]:
    """The patterns of a generated test.sh, as its heading names them."""
    lines = script.decode("utf-8", "replace").splitlines()[:6]
    found = next((line.removeprefix(HEADING) for line in lines if line.startswith(HEADING)), "")
    return tuple(name for name in found.split(", ") if name in PATTERNS)


def additions(situation: Situation) -> dict[str, Addition]:
    """What each pattern whose precondition holds adds, but for those that were taken back."""
    found = {name: pattern(situation) for name, pattern in PATTERNS.items() if name not in situation.given.without}
    return {name: addition for name, addition in found.items() if addition is not None}


@_pattern("alone")
def alone(situation: Situation) -> Addition | None:
    """What the candidate left running is ended before the tests begin.

    Stops processes that plant files again and again. Only where neither prompt nor tests speak of anything that runs.
    """
    spoken = any(_SERVICE.search(text.lower()) for text in (situation.given.prompt, situation.text))
    return None if spoken or situation.given.pre_verify else Addition(first=("alone",))


@_pattern("intact")
def intact(situation: Situation) -> Addition | None:
    """The staged files are compared once more after the candidate ran.

    Stops code that rewrites the tests while it is being judged. Only where the source's own scripts leave them alone.
    """
    if _WRITES_PYTHON.search(situation.text) or any(_writes_tests(*command) for command in situation.commands):
        return None
    return Addition(after=("intact",))


@_pattern("own-settings")
def own_settings(situation: Situation) -> Addition | None:
    """An empty pytest.ini lies beside the tests, so that no settings and no conftest.py above them count.

    Only where pytest is given nothing but staged tests: then no settings of the project were in force anyway.
    """
    roots = {asset.path.split("/")[0] for asset in situation.given.assets}
    words = ("rootdir", "confcutdir", "inifile", "pytest.ini", "--import-mode")
    if roots & _OWN_SETTINGS or situation.given.cwd in ("/", "/tests") or any(word in situation.text for word in words):
        return None
    calls = situation.pytest_calls
    if not calls or not all(_only_staged(words) for words in calls) or any(_copies_all(*c) for c in situation.commands):
        return None
    return Addition(files={SETTINGS: b"[pytest]\n"})


@_pattern("guarded")
def guarded(situation: Situation) -> Addition | None:
    """A plugin of ours sees how each test function really ended, whatever other plugins make of it.

    Stops conftest files, plugins and patched runners that call every test passed. Only where nothing else sets the
    module path; the processes that tests start do not see it.
    """
    if not situation.pytest_calls or _STEERED.search(situation.text) or "PYTEST_PLUGINS" in situation.given.image_env:
        return None
    return Addition(setup=("guarded",), after=("genuine",), files={GUARD: staged(SHIPPED[GUARD])})


@_pattern("unshadowed")
def unshadowed(situation: Situation) -> Addition | None:
    """The runner has to work from where the source starts it, too.

    Stops modules in the current folder that hide pytest or the standard library. Only where it is started by python
    from the one folder: what breaks it there breaks the source as well.
    """
    script, cwd = situation.script, situation.given.cwd
    moves = [words[-1] for name, words in situation.commands if name in ("cd", "pushd")]
    trials = {call.trial for call in _pytest_calls(script)}
    if len(trials) != 1 or any(word.strip("\"'") != cwd for word in moves):
        return None
    (trial,) = trials
    if re.fullmatch(r"python3? -m pytest", trial) is None:
        return None
    return Addition(before=(f"unshadowed {trial}",))


@_pattern("completed")
def completed(situation: Situation) -> Addition | None:
    """A Python script whose status decides has to come to an end of its own.

    Stops code of the candidate that ends the script's process with 0. Only for a script named by a plain path.
    """
    if situation.form != "direct" or situation.call.runner != "python" or situation.call.node is None:
        return None
    if script_word(situation.script, situation.call.node) is None or "multiprocessing" in situation.text:
        return None
    return Addition(after=("completed",), files={COMPLETION: staged(SHIPPED[COMPLETION])})


@_pattern("named-go-tests")
def named_go_tests(situation: Situation) -> Addition | None:
    """Go names each test that passed, and one such line is needed.

    Stops a TestMain that ends the test binary at once. Only where the source's own scripts do not set GOFLAGS.
    """
    if situation.form != "direct" or not situation.call.evidence or situation.call.runner != "go":
        return None
    if "GOFLAGS" in situation.text:
        return None
    evidence = r"--- PASS: |\"Action\":\"pass\",[^\n]*\"Test\":"
    return Addition(setup=('export GOFLAGS="${GOFLAGS:+$GOFLAGS }-v"',), evidence=evidence)


@_pattern("npm-shell")
def npm_shell(situation: Situation) -> Addition | None:
    """Package scripts are run by bash, whatever .npmrc says.

    Stops a settings file that runs every script with `true`. Only where nothing speaks of such a file.
    """
    if not any(name in ("npm", "npx") for name, _ in situation.commands):
        return None
    if ".npmrc" in situation.text or ".npmrc" in situation.given.prompt:
        return None
    return Addition(setup=("export NPM_CONFIG_SCRIPT_SHELL=/bin/bash",))


@_pattern("something-said")
def something_said(situation: Situation) -> Addition | None:
    """A package script has to say something beside what npm says itself.

    Stops a package.json whose tests are `true`. Taken back where the right candidate's tests are silent.
    """
    call = situation.call
    if situation.form != "direct" or call.runner != "npm" or call.evidence:
        return None
    return Addition(evidence=r"\n[^>[:space:]]")


@_pattern("named-maven-tests")
def named_maven_tests(situation: Situation) -> Addition | None:
    """Maven counts the tests that it ran, and there has to be one.

    Stops settings that skip the tests. Only where Maven is not told to be quiet.
    """
    call = situation.call
    words = bash.words(situation.script, call.node) if call.node is not None else []
    if situation.form != "direct" or call.runner != "mvn" or {"-q", "--quiet"} & set(words):
        return None
    return Addition(evidence="Tests run: [1-9]")


@_pattern("plain-makefile")
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


@cache
def staged(name: str) -> bytes:
    """A file that is staged as it is shipped."""
    return files("skill.verifier").joinpath(name).read_bytes()


def script_word(script: bash.Script, command: Node) -> Node | None:
    """The word of a plain ``python3 /tests/x.py`` that names the script; None for any other call."""
    nodes = [child for child in command.named_children if child.type == "command_name" or child.type in bash.WORDS]
    words = bash.words(script, command)
    at = 1
    if not words or re.fullmatch(r"(?:/[\w./-]+/)?python3?", words[0]) is None:
        return None
    while at < len(words) and words[at] in ("-u", "-B"):
        at += 1
    if at < len(words) and re.fullmatch(r"/[\w./-]+\.py", words[at]):
        return nodes[at]
    return None


def _arguments(script: bash.Script, call: Call) -> list[str]:
    assert call.node is not None, "a call that was found in a script"
    words = bash.words(script, call.node)
    at = next(i for i, word in enumerate(words) if word.rsplit("/", 1)[-1] in ("pytest", "py.test"))
    return words[at + 1 :]


def _only_staged(words: Sequence[str]) -> bool:
    """Whether every path that pytest is given lies in the staged folder, and there is one."""
    paths, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word.startswith("-"):
            skip = word in _TAKES_VALUE
            if word in ("-c", "-o", "--pyargs") or word.startswith(("--config-file", "--override-ini")):
                return False
        else:
            paths.append(word)
    return bool(paths) and all(_IN_TESTS.match(path) for path in paths)


def _copies_all(name: str, words: list[str]) -> bool:
    """Whether a command takes the staged folder as a whole somewhere else."""
    return name in ("cp", "rsync", "mv", "tar", "ln") and any(
        re.fullmatch(rf"[\"']?{_PLACE}\}}?[\"']?(?:/\.?|/\*)?[\"']?", word) for word in words[1:]
    )


def _writes_tests(name: str, words: list[str]) -> bool:
    """Whether a command may change or remove a staged file."""
    there = [word for word in words[1:] if _IN_TESTS.match(word)]
    if name == "cd":
        return bool(there)
    if name in ("cp", "install", "ln", "rsync"):
        return bool(there) and words[-1] == there[-1]
    if name == "sed":
        return bool(there) and any(word.startswith("-i") for word in words)
    return bool(there) and name in ("mv", "rm", "tee", "patch", "truncate", "unzip", "tar", "dd", "shred")
