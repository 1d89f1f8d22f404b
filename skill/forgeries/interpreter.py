"""Forgeries at the start of an interpreter: what Python runs or loads before it comes to the tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from skill.forgeries.base import CATALOGUE, Append, Need, Put, Run, Step
from skill.forgeries.facts import ForgeryFacts
from skill.forgeries.payloads import EXIT, HOOK, LATE, NOTHING, PASS_THROUGH

PYTHON: Final = Need("a verifier that runs Python", lambda facts: facts.runners & {"python", "pytest", "unittest"})
OWN_SITE: Final = (
    "$(python3 -c 'import sitecustomize as s; print(s.__file__)' 2>/dev/null || echo /nowhere)"  # Debian's
)
SHADOWED: Final = ("json", "re", "subprocess", "pathlib", "csv")


@CATALOGUE.forgery("FG08", "exiting-pth", rank=6, bundle="interpreter", needs=PYTHON, may_be_infra=True)
def exiting_pth(facts: ForgeryFacts) -> Iterator[Step]:
    """A .pth file in site-packages ends every Python with 0 as it starts.

    Falls for it: whoever takes Python's exit status alone for a pass; -I does not help, -S does.
    Stopped by: a fresh report; a first step that must print something. 2 is right where only the start is broken.
    """
    yield Put("$(site_folder 'site.getsitepackages()[0]')/z_plant.pth", "import os; os._exit(0)\n", "\n")


@CATALOGUE.forgery("FG51", "late-sitecustomize", rank=6, bundle="late-exit", needs=PYTHON)
def late_sitecustomize(facts: ForgeryFacts) -> Iterator[Step]:
    """sitecustomize.py makes every Python end with 0, whatever it says.

    Falls for it: whoever reads the status and no report.
    Stopped by: status and report, both read.
    """
    yield Put("$(site_folder 'site.getsitepackages()[0]')/sitecustomize.py", LATE, NOTHING)
    yield Append(OWN_SITE, LATE)


@CATALOGUE.forgery("FG09", "late-usercustomize", rank=6, bundle="late-exit", needs=PYTHON)
def late_usercustomize(facts: ForgeryFacts) -> Iterator[Step]:
    """usercustomize.py in the user's own site-packages makes every Python end with 0.

    Falls for it: whoever reads the status and no report.
    Stopped by: PYTHONNOUSERSITE, unless the candidate may install there; status and report, both read.
    """
    yield Put("$(site_folder 'site.getusersitepackages()')/usercustomize.py", LATE, NOTHING)


@CATALOGUE.forgery("FG12", "shadowing-modules", rank=5, bundle="shadows", needs=PYTHON)
def shadowing_modules(facts: ForgeryFacts) -> Iterator[Step]:
    """Modules in the current folder hide pytest and the standard library.

    Falls for it: `python -m pytest`, scripts from a here-document or `-c`.
    Stopped by: PYTHONSAFEPATH with the workspace appended to sys.path, a start from an empty folder; a report.
    """
    printed = "print('1 passed in 0.01s')\n" + EXIT
    for folder in dict.fromkeys((facts.cwd, facts.workspace)):
        yield Put(f"{folder}/pytest.py", printed, PASS_THROUGH)
        for name in SHADOWED:
            yield Put(f"{folder}/{name}.py", EXIT, PASS_THROUGH)


@CATALOGUE.forgery(
    "FG14",
    "altered-runner",
    rank=16,
    bundle="altered",
    needs=Need("pytest in the image", lambda facts: "pytest" in facts.runners),
    is_gate=False,
)
def altered_runner(facts: ForgeryFacts) -> Iterator[Step]:
    """The installed pytest calls every test passed.

    Falls for it: everybody whose runner the candidate can write.
    Stopped by: a runner that comes with the tests. In one container with root it can only be made harder.
    """
    text = (
        "_made = pytest_runtest_makereport\n\n\ndef pytest_runtest_makereport(item, call):\n    call.excinfo = None\n"
    )
    yield Append(
        "$(python3 -c 'import _pytest.runner as r; print(r.__file__)' 2>/dev/null || echo /nowhere)",
        text + "    return _made(item, call)\n",
    )


@CATALOGUE.forgery(
    "FG15",
    "stale-bytecode",
    rank=5,
    bundle="hooks",
    needs=Need(
        "helpers in Python that are copied before they are used",
        lambda facts: "cp" in facts.words and any(_is_helper(path) for path in facts.staged),
    ),
)
def stale_bytecode(facts: ForgeryFacts) -> Iterator[Step]:
    """Compiled files that are never compared with their source stand in for helpers that are copied later.

    Falls for it: a verifier that copies helper modules into the workspace and imports them there.
    Stopped by: PYTHONPYCACHEPREFIX pointing at a fresh folder.
    """
    code = (
        "import importlib.util as u, py_compile, os, sys\n"
        "for folder, name in zip(sys.argv[1::2], sys.argv[2::2]):\n"
        "    target = u.cache_from_source(os.path.join(folder, name))\n"
        "    os.makedirs(os.path.dirname(target), exist_ok=True)\n"
        "    open('/tmp/stub.py', 'w').write('import os; os._exit(0)')\n"
        "    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH\n"
        "    py_compile.compile('/tmp/stub.py', target, invalidation_mode=mode)\n"
    )
    names = [path for path in facts.staged if _is_helper(path)]
    pairs = " ".join(f"'{folder}' '{name}'" for folder in (facts.cwd, f"{facts.cwd}/tests") for name in names)
    yield Run(f"python3 - {pairs} <<'EOT'\n{code}EOT\nrm -f /tmp/stub.py")


def _is_helper(path: str) -> bool:
    return path.endswith(".py") and "/" not in path and not path.startswith("test_") and "'" not in path


@CATALOGUE.forgery(
    "FG52",
    "hooking-sitecustomize",
    rank=16,
    bundle="altered",
    needs=Need("a verifier that runs pytest", lambda facts: "pytest" in facts.runners),
    is_gate=False,
)
def hooking_sitecustomize(facts: ForgeryFacts) -> Iterator[Step]:
    """sitecustomize.py alters pytest while it is being loaded, so that its report says passed.

    Falls for it: everybody whose interpreter the candidate can write.
    Stopped by: nothing in one container with root that is not itself the candidate's to change.
    """
    yield Put("$(site_folder 'site.getsitepackages()[0]')/sitecustomize.py", HOOK, NOTHING)
    yield Append(OWN_SITE, HOOK)
