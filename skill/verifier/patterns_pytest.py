"""Hardening of pytest and of Python: settings of our own, a guard in the run, tests known by name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from skill.verifier.base import Asset
from skill.verifier.named_tests import names
from skill.verifier.patterns_staged import IN_TESTS, PLACE
from skill.verifier.shipped import GUARD, staged
from skill.verifier.situation import Addition, Situation, pattern, pytest_calls

SETTINGS: Final = "pytest.ini"
NAMES: Final = ".verdict/names"

_STEERED: Final = re.compile(
    r"PYTHONPATH|PYTEST_PLUGINS|env -i|environ\.clear|(?<![\w-])(?:sudo|su|runuser|gosu|setpriv|chroot)\b"
)
_OWN_SETTINGS: Final = frozenset(("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg", "setup.py"))
_TAKES_VALUE: Final = frozenset(
    "-k -m -p -n -o -W -r --ctrf --junitxml --timeout --tb --maxfail --html --durations".split()
)
_SELECTS: Final = re.compile(
    r"-[km]|--(?:deselect|ignore|collect-only|co|lf|last-failed|sw|stepwise|pyargs|rootdir|noconftest)\b"
)
_STEERS_COLLECTION: Final = re.compile(rb"collect|pytest_generate_tests|pytest_runtest|pytest_itemcollected|deselect")
_ALWAYS: Final = frozenset(("program", "redirected_statement", "pipeline"))


@pattern("own-settings")
def own_settings(situation: Situation) -> Addition | None:
    """An empty pytest.ini lies beside the tests, so that no settings and no conftest.py above them count.

    Only where pytest is given nothing but staged tests: then no settings of the project were in force anyway.
    """
    roots = {asset.path.split("/")[0] for asset in situation.given.assets}
    words = ("rootdir", "confcutdir", "inifile", "pytest.ini", "--import-mode")
    if roots & _OWN_SETTINGS or situation.given.cwd in ("/", "/tests") or any(word in situation.text for word in words):
        return None
    calls = situation.pytest_calls
    if (
        not calls
        or not all(_staged_paths(words) for words in calls)
        or any(_copies_all(*c) for c in situation.commands)
    ):
        return None
    return Addition(files={SETTINGS: b"[pytest]\n"})


@pattern("guarded")
def guarded(situation: Situation) -> Addition | None:
    """A plugin of ours sees how each test function really ended, whatever other plugins make of it.

    Stops conftest files, plugins and patched runners that call every test passed. Only where nothing else sets the
    module path; the processes that tests start do not see it.
    """
    if not situation.pytest_calls or _STEERED.search(situation.text) or "PYTEST_PLUGINS" in situation.given.image_env:
        return None
    return Addition(setup=("guarded",), after=("genuine",), files={GUARD: staged(GUARD)})


@pattern("named-tests")
def named_tests(situation: Situation) -> Addition | None:
    """Each test that the staged files define by name has to have passed; none is dropped, skipped or cut off.

    Stops a run that ends early with 0, a test that skips itself over what the candidate raises, and whatever deselects
    tests. The names are read from the tests' syntax, so that they are the same on every machine; what a decorator, a
    parameter or another file decides about is not asked for, and of a test that its file may skip, or whose status
    another script reads, only that it was told of. Only beside own-settings and guarded, for one call of pytest that
    selects nothing and is always reached.
    """
    calls, without = situation.pytest_calls, situation.given.without & {"own-settings", "guarded"}
    if len(calls) != 1 or without or own_settings(situation) is None or guarded(situation) is None:
        return None
    decides = situation.is_direct and situation.call.runner == "pytest"
    if _selects(calls[0]) or not (decides or _is_always_run(situation)):
        return None
    support = [asset.data for asset in situation.given.assets if asset.path.endswith("conftest.py")]
    if any(_STEERS_COLLECTION.search(data) for data in support):
        return None
    may_skip = not decides or any(b"skip" in data for data in support)
    listed = [name for asset in _named(situation, calls[0]) for name in names(asset.data, may_skip)]
    if not listed:
        return None
    return Addition(
        before_pass=("all_named",), files={NAMES: "".join(f"{name}\n" for name in dict.fromkeys(listed)).encode()}
    )


@pattern("unshadowed")
def unshadowed(situation: Situation) -> Addition | None:
    """The runner has to work from where the source starts it, too.

    Stops modules in the current folder that hide pytest or the standard library. Only where it is started by python
    from the one folder: what breaks it there breaks the source as well.
    """
    script, cwd = situation.script, situation.given.cwd
    moves = [words[-1] for name, words in situation.commands if name in ("cd", "pushd")]
    trials = {call.trial for call in pytest_calls(script)}
    if len(trials) != 1 or any(word.strip("\"'") != cwd for word in moves):
        return None
    (trial,) = trials
    if re.fullmatch(r"python3? -m pytest", trial) is None:
        return None
    return Addition(before=(f"unshadowed {trial}",))


@pattern("fresh-bytecode")
def fresh_bytecode(situation: Situation) -> Addition | None:
    """Compiled files of Python are looked for in a folder of this run alone.

    Stops planted ones that stand in for helpers which the verifier copies before it imports them. Only where it does
    copy such a file, and nothing speaks of compiled files: elsewhere it would make every import slower for nothing.
    """
    copied = [word for name, words in situation.commands if name in ("cp", "install", "rsync", "mv") for word in words]
    helper = any(IN_TESTS.match(word) and (word.rstrip("\"'").endswith((".py", "/", "*", "/."))) for word in copied)
    if not helper or re.search(r"pycache|\.pyc\b|PYTHONPYCACHE|py_compile|compileall|bytecode", situation.told):
        return None
    return Addition(before=('export PYTHONPYCACHEPREFIX="$PRIVATE/bytecode"',))


def _staged_paths(words: Sequence[str]) -> list[str]:
    """The paths that pytest is given, when there are any and all lie in the staged folder."""
    paths, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word.startswith("-"):
            skip = word in _TAKES_VALUE
            if word in ("-c", "-o", "--pyargs") or word.startswith(("--config-file", "--override-ini")):
                return []
        else:
            paths.append(word)
    return paths if all(IN_TESTS.match(path) for path in paths) else []


def _copies_all(name: str, words: list[str]) -> bool:
    """Whether a command takes the staged folder as a whole somewhere else."""
    return name in ("cp", "rsync", "mv", "tar", "ln") and any(
        re.fullmatch(rf"[\"']?{PLACE}\}}?[\"']?(?:/\.?|/\*)?[\"']?", word) for word in words[1:]
    )


def _is_always_run(situation: Situation) -> bool:
    """Whether nothing in the source's script decides if its pytest is reached, but what ends the script before."""
    known = pytest_calls(situation.script)
    child = known[0].node if known else None
    while child is not None and child.parent is not None:
        parent = child.parent
        first = parent.named_children[0].id == child.id
        if parent.type not in _ALWAYS and not (parent.type in ("if_statement", "negated_command", "list") and first):
            return False
        child = parent
    return child is not None


def _selects(words: Sequence[str]) -> bool:
    """Whether a call of pytest leaves out tests of the files that it names."""
    return any(_SELECTS.match(word) or "::" in word for word in words)


def _named(situation: Situation, words: Sequence[str]) -> list[Asset]:
    """The staged files that a call names, one by one; a folder is looked through as pytest does."""
    found: list[Asset] = []
    for path in _staged_paths(words):
        inside = re.sub(rf"^[\"']?{PLACE}\}}?[\"']?/?", "", path).strip("\"'/")
        for asset in situation.given.assets:
            name = asset.path.rsplit("/", 1)[-1]
            in_folder = asset.path.startswith(f"{inside}/") if inside else True
            collected = in_folder and (name.startswith("test_") or name.endswith("_test.py"))
            if asset.path.endswith(".py") and (asset.path == inside or collected):
                found.append(asset)
    return found
