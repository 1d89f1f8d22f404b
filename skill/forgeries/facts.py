"""What a case tells about how its verdict could be forged: places, runners, names, all read from its files."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from skill import bash
from skill.case import Case
from skill.contract import TEST_SCRIPT
from skill.verifier import python

SOURCE_SCRIPT: Final = "source-test.sh"
OWN: Final = ".verdict/"
MOST: Final = 12  # paths or names of one kind
CODE: Final = (".py", ".sh", ".js", ".mjs", ".cjs", ".rb", ".pl", ".R", ".bash")

_ENTER: Final = re.compile(r"^  enter (.+)$", re.MULTILINE)
_ALONE: Final = re.compile(r"^  alone$", re.MULTILINE)
_PATH: Final = re.compile(r"(?<![\w./$}-])/(?:[\w.+@-]+/)*[\w.+@-]+")
_IMPORT: Final = re.compile(r"^[ \t]*(?:import[ \t]+([\w., \t]+)|from[ \t]+(\w[\w.]*)[ \t]+import\b)", re.MULTILINE)
_FOLDER: Final = re.compile(r"sys\.path\.(?:insert\(\s*0\s*,|append\()\s*(?:str\()?[\"'](/[^\"']+)[\"']")
_SYSTEM: Final = (
    "/tests",
    "/logs",
    "/usr",
    "/bin",
    "/sbin",
    "/etc",
    "/proc",
    "/dev",
    "/sys",
    "/lib",
    "/oracle",
    "/var/lib",
)
_RUNNERS: Final = {  # family -> what shows that a verifier uses it
    "pytest": r"(?<![\w/-])(?:pytest|py\.test)(?![\w-])",
    "unittest": r"\bunittest\b",
    "python": r"(?<![\w-])python3?(?:\.\d+)?(?![\w-])|\buvx?\b|\brewardkit\b",
    "node": r"(?<![\w./-])(?:node|npm|npx|yarn|pnpm|jest|vitest|mocha)(?![\w-])",
    "go": r"(?<![\w./-])go (?:test|build|run|vet)\b",
    "cargo": r"(?<![\w./-])cargo\b",
    "make": r"(?<![\w./-])make(?![\w-])",
    "java": r"(?<![\w./-])(?:mvn|gradle|\./gradlew|java|javac)(?![\w-])",
    "R": r"\bRscript\b",
    "git": r"(?<![\w./-])git (?!clone\b)",
    "curl": r"(?<![\w./-])(?:curl|wget)(?![\w-])",
    "uv": r"(?<![\w./-])uvx?(?![\w-])|\bpip3? install\b",
}


@dataclass(frozen=True)
class ForgeryFacts:
    """The places and names that plants are made from."""

    workspace: str  # where the agent works
    cwd: str  # where the source's verifier runs
    tests: str  # where tests/ is staged
    staged: tuple[str, ...]  # files of tests/
    runners: frozenset[str]
    words: tuple[str, ...]  # external commands of the verifier's scripts
    sourced: tuple[str, ...]  # files outside tests/ that they source
    results: tuple[str, ...]  # rewards and reports that they name
    modules: tuple[str, ...]  # modules of the workspace that the tests import
    module_folders: tuple[str, ...]
    programs: tuple[str, ...]  # code outside tests/ that the tests name and that the task is about
    graders: tuple[str, ...]  # other code outside tests/ that they name: tests and graders of the image
    outputs: tuple[str, ...]  # other files outside tests/ that the tests name
    patterns: tuple[str, ...]  # texts that a shell verifier greps for
    steering_variables: tuple[str, ...]  # BASH_ENV and ENV, where the image sets them
    spares_processes: bool = False  # a generated verifier that leaves running what the task may need

    @property
    def folders(self) -> tuple[str, ...]:
        """Workspace, working directory, and every parent of the staged tests."""
        return tuple(dict.fromkeys((self.workspace, self.cwd, *parents(self.tests))))

    @property
    def has_code(self) -> bool:
        """Whether code of the candidate is known by name."""
        return bool(self.modules or self.programs)


def facts_of(case: Case) -> ForgeryFacts:
    """The facts of one case; what cannot be read is left out."""
    texts = _texts(case)
    code = "\n".join(_without_comments(text) for text in texts.values())
    shells = [bash.parse(text.encode()) for path, text in texts.items() if path.endswith(".sh")]
    tests = posixpath.normpath(posixpath.join(case.test_cwd or "/", "tests"))
    entered = _ENTER.search(texts.get("test.sh", ""))
    workspace = case.agent_cwd or "/app"
    named = _named(code, workspace)
    told = "\n".join((case.prompt.data.decode("utf-8", "replace"), *_solution(case)))
    programs = [path for path in named if path.endswith(CODE) or "." not in posixpath.basename(path)]
    return ForgeryFacts(
        workspace=workspace,
        cwd=shlex.split(entered[1])[0] if entered else workspace,
        tests=tests,
        staged=tuple(file.path for file in case.tests.files if not file.path.startswith(OWN)),
        runners=frozenset(name for name, pattern in _RUNNERS.items() if re.search(pattern, code)),
        words=_words(shells),
        sourced=tuple(_sourced(shells)),
        results=_some(path for path in _PATH.findall(code) if _is_result(path)),
        modules=_modules(case, texts),
        module_folders=_some((workspace, *(folder for folder in _FOLDER.findall(code)))),
        programs=_some(path for path in programs if _is_told(told, path) and not _is_test(path)),
        graders=_some(path for path in programs if path.endswith(CODE) and not _is_told(told, path)),
        outputs=_some(path for path in named if not path.endswith(CODE) and "." in posixpath.basename(path)),
        patterns=tuple(_patterns(shells)),
        steering_variables=_variables(case),
        spares_processes=entered is not None and not _ALONE.search(texts["test.sh"]),
    )


def parents(folder: str) -> Iterator[str]:
    """The folders above ``folder``, nearest first, the root included."""
    while folder not in ("/", ""):
        folder = posixpath.dirname(folder)
        yield folder


def _texts(case: Case) -> dict[str, str]:
    """The verifier's own texts by path; the generated library is none of them."""
    paths = [file.path for file in case.tests.files if not file.path.startswith(OWN)]
    wanted = [path for path in paths if path.endswith((*CODE, ".ts")) or path == SOURCE_SCRIPT]
    found = {path: case.read(f"tests/{path}") for path in sorted(wanted)}
    found["test.sh"] = case.read(TEST_SCRIPT)
    return {path: data.decode("utf-8", "replace") for path, data in found.items() if data is not None}


def _some(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))[:MOST]


def _without_comments(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))


def _named(code: str, workspace: str) -> list[str]:
    """Absolute paths outside the system that the verifier names."""
    found = [path.rstrip(".") for path in _PATH.findall(code)]
    own = posixpath.normpath(workspace)
    return [
        path
        for path in found
        if path != own
        and (path.startswith(own.rstrip("/") + "/") or path.count("/") > 1)
        and not any(path == root or path.startswith(root + "/") for root in _SYSTEM)
        and not re.search(r"/\.?(?:venv|local|cargo|cache)/|^/root/\.", path)
    ]


def _is_result(path: str) -> bool:
    name = posixpath.basename(path)
    if path.startswith("/logs/"):
        return "." in name
    return re.search(r"reward|junit|report|ctrf|result", name) is not None


def _words(shells: Iterable[bash.Script]) -> tuple[str, ...]:
    """Names of external commands; those of functions and of what only a builtin does are left out."""
    found: set[str] = set()
    for script in shells:
        functions = {
            script.text(name)
            for node in bash.walk(script.root)
            if node.type == "function_definition" and (name := node.child_by_field_name("name")) is not None
        }
        called = {bash.name(script, node) for node in bash.commands(script.root)}
        found |= {name for name in called - functions if re.fullmatch(r"[A-Za-z][\w.+-]*", name)}
    return tuple(sorted(found - _BUILTINS))


def _sourced(shells: Iterable[bash.Script]) -> Iterator[str]:
    """Files outside tests/ that the scripts source, with root's home for HOME."""
    for script in shells:
        for node in bash.commands(script.root):
            words = bash.words(script, node)
            if bash.name(script, node) in ("source", ".") and len(words) > 1 and ".verdict/" not in words[1]:
                path = re.sub(r"^(?:\$HOME|\$\{HOME\}|~)", "/root", words[1])
                if path.startswith("/") and "$" not in path and not path.startswith("/tests/"):
                    yield path


def _patterns(shells: Iterable[bash.Script]) -> Iterator[str]:
    """Plain texts that are grepped for."""
    for script in shells:
        for node in bash.commands(script.root):
            if bash.name(script, node) == "grep":
                texts = [word for word in bash.words(script, node)[1:] if not word.startswith("-")]
                if texts and re.fullmatch(r"[\w ,.:;!'/=+-]{2,80}", texts[0]):
                    yield texts[0]


def _is_told(told: str, path: str) -> bool:
    """Whether the prompt or the reference solution names a file, which makes it the candidate's."""
    return re.search(rf"(?<![\w-]){re.escape(posixpath.basename(path))}(?![\w-])", told) is not None


def _is_test(path: str) -> bool:
    name = posixpath.basename(path)
    return name.startswith("test_") or re.search(r"[_.]test\.\w+$", name) is not None


def _solution(case: Case) -> list[str]:
    """The texts of the reference solution."""
    found = (case.read(f"oracle/{file.path}") for file in case.oracle.files)
    return [data.decode("utf-8", "replace") for data in found if data is not None and b"\0" not in data]


def _modules(case: Case, texts: dict[str, str]) -> tuple[str, ...]:
    """Imported modules that the environment or the reference solution has a file for."""
    siblings = {posixpath.splitext(file.path.split("/")[0])[0] for file in case.tests.files}
    imported: dict[str, None] = {}
    for text in texts.values():
        for match in _IMPORT.finditer(text):
            names = match[1].split(",") if match[1] else [match[2]]
            imported.update(dict.fromkeys(name.split(" as ")[0].strip().split(".")[0] for name in names))
    solution = "\n".join(_solution(case))
    files = [file.path for folder in (case.env, case.oracle) for file in folder.files]
    known = [name for name in imported if name and name not in python.STANDARD and name not in siblings]
    return _some(
        name
        for name in known
        if re.search(rf"(?<![\w-]){re.escape(name)}(?:\.py\b|/__init__\.py)", solution)
        or any(re.search(rf"(?:^|/){re.escape(name)}(?:\.py|/__init__\.py)$", path) for path in files)
    )


def _variables(case: Case) -> tuple[str, ...]:
    """Variables of the image that make a shell read a file first, by the file that they name."""
    known = case.dockerfile.env if case.dockerfile else {}
    return tuple(value for name in ("BASH_ENV", "ENV") if (value := known.get(name, "")).startswith("/"))


_BUILTINS: Final = frozenset(
    "alias bg bind break builtin caller case cd command compgen continue declare dirs disown echo enable eval exec exit"
    " export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read"
    " readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias"
    " unset wait main begin enter need modules runner_works tool_starts candidate counted reached judge_status"
    " judge_pytest judge_reward pass fail infra verdict keep_environment take_environment bash sh env".split()
)
