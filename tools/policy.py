"""Which files of a case a session may write, and how: verifier files, and three settings of case.toml.

What the source owns stays a copy of the source, what suite-converter generates stays as generated. These are
limits of the tool itself; whether a change is right is for the gates.
"""

from __future__ import annotations

import unicodedata
from pathlib import PurePosixPath
from typing import Final

from skill.contract import CASE_FILE, CASES_DIR, TEST_SCRIPT
from skill.toml import TomlError, load
from skill.verifier.template import LIBRARY, SOURCE_SCRIPT
from tools.errors import ToolError
from tools.plain import plain
from tools.virtual import SOURCE, SUITE, Place, Roots

TESTS: Final = "tests"
INNER_SCRIPT: Final = f"{TESTS}/{SOURCE_SCRIPT}"  # the source's own tests/test.sh, run by a new one
SETTABLE: Final = ("agent_cwd", "test_cwd", "test_timeout_seconds")
CODE: Final = frozenset(
    ".sh .bash .py .js .mjs .cjs .ts .rb .go .rs .java .pl .php .c .h .cpp .hpp .kt .scala .lua .r .jl .bats".split()
)
CODE_NAMES: Final = frozenset({"Makefile", "makefile", "GNUmakefile", "CMakeLists.txt", "justfile"})
GENERATED_FOLDER: Final = PurePosixPath(LIBRARY).parts[0]


def case_and_path(where: Place) -> tuple[str, str]:
    """The case that ``where`` belongs to, and the path below it; raises ToolError when it is in no case."""
    if where.root != SUITE:
        raise ToolError("read_only", f"{where} is read only; write below suite/cases/<case>/tests/")
    if len(where.parts) < 3 or where.parts[0] != CASES_DIR:
        raise ToolError("not_allowed", f"{where} is no file of a case; write below suite/cases/<case>/tests/")
    return where.parts[1], "/".join(where.parts[2:])


def require_own(where: Place, folder: str) -> None:
    """Raise ToolError unless ``where`` is a file below the session's own ``folder``."""
    if where.root != SUITE or where.parts[:1] != (folder,):
        code = "not_allowed" if where.root == SUITE else "read_only"
        raise ToolError(code, f"{where} is not to be written; write below {SUITE}/{folder}/, and draft from there")
    if len(where.parts) < 2:
        raise ToolError("is_folder", f"{where} is a folder; name a file in it")
    if any(not char.isprintable() for char in where.below):
        raise ToolError("bad_path", f"{where}: the name has characters that cannot be printed")


def require_writable(where: Place, path: str) -> None:
    """Raise ToolError unless the file ``path`` of a case may be written at all."""
    if any(not char.isprintable() for char in path):
        raise ToolError("bad_path", f"{where}: the name has characters that cannot be printed")
    top = where.parts[2]
    if path == CASE_FILE:
        return
    if top != TESTS or len(where.parts) < 4:
        raise ToolError(
            "must_be_copy",
            f"{where} must stay as the source has it, or as it was drafted; only files below "
            f"suite/cases/<case>/{TESTS}/ and some settings in {CASE_FILE} may be written",
        )
    if where.parts[3] == GENERATED_FOLDER:
        raise ToolError("generated", f"{where} is generated and checked as a whole; leave it as it is")


def require_copy_or_code(roots: Roots, where: Place, how: str) -> None:
    """Raise ToolError when a file of the source's tests would be retyped, or a fixture of it changed."""
    path = "/".join(where.parts[2:])
    origin = Place(SOURCE, tuple(TEST_SCRIPT.split("/")) if path == INNER_SCRIPT else where.parts[2:])
    if path == TEST_SCRIPT or how == "from" or not _is_there(roots, origin):
        return
    name = PurePosixPath(where.parts[-1])
    if name.suffix.lower() not in CODE and name.name not in CODE_NAMES:
        raise ToolError("must_be_copy", f"{where} is a fixture of the source; it must be a byte copy (use from)")
    if how == "content":
        raise ToolError(
            "must_be_copy",
            f"{where} comes from the source: copy it with from, then make the smallest change with old and new",
        )


def require_case_file(before: bytes, after: bytes) -> None:
    """Raise ToolError unless ``after`` differs from ``before`` in settings that a session may set."""
    try:
        old, new = load(before), load(after)
    except TomlError as error:
        raise ToolError("bad_toml", f"{CASE_FILE} would be no TOML: {plain(str(error))}") from None
    changed = {key for key in (*old, *new) if repr(old.get(key)) != repr(new.get(key))}
    if wrong := sorted(changed.difference(SETTABLE)):
        raise ToolError("not_allowed", f"{CASE_FILE}: {plain(wrong[0])} may not change; only {', '.join(SETTABLE)} may")


def require_no_twin(roots: Roots, where: Place, first: int = 3) -> None:
    """Raise ToolError when another name beside ``where`` is the same to a file system that ignores case.

    The parts before the one at ``first`` are given.
    """
    with roots.open(where) as reader:
        for depth in range(first, len(where.parts)):
            name = where.parts[depth]
            try:
                names = [entry.name for entry in reader.entries(where.parts[:depth])]
            except OSError:
                return  # a folder that is still to be made has no names
            if twin := next((other for other in names if other != name and _folded(other) == _folded(name)), None):
                raise ToolError("name_clash", f"{where}: {plain(twin)!r} lies beside it and differs only in case")


def _is_there(roots: Roots, origin: Place) -> bool:
    try:
        with roots.open(origin) as reader:
            return reader.status(origin.parts) is not None
    except OSError:
        return False


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()
