"""Rules about the two working directories and the user they need: SC45x."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from skill.case import Case
from skill.contract import CASE_FILE, DOCKERFILE
from skill.dockerfile import Dockerfile, is_root
from skill.finding import Severity
from skill.rules.base import Defect, Family

CWD: Family[Case] = Family("cwd")


@CWD.defect("SC451", "no-agent-cwd", basis="M46")
def no_agent_cwd(case: Case) -> Iterator[Defect]:
    """agent_cwd is missing or blank.

    A key below [metadata] belongs to that table and does not count (row M49).
    Right: `agent_cwd = "/app"`, the folder where the agent is to work.
    """
    yield from _missing(case, "agent_cwd")


@CWD.defect("SC452", "no-test-cwd", basis="M47")
def no_test_cwd(case: Case) -> Iterator[Defect]:
    """test_cwd is missing or blank.

    Right: `test_cwd = "/"` for an image that runs as root.
    """
    yield from _missing(case, "test_cwd")


@CWD.defect("SC453", "relative-test-cwd", basis="W7")
def relative_test_cwd(case: Case) -> Iterator[Defect]:
    """test_cwd is not an absolute path.

    It compiles, then Docker refuses it and every run is an infrastructure failure.
    Example: `test_cwd = "app"`
    Right: `test_cwd = "/app"`
    """
    yield from _relative(case, "test_cwd")


@CWD.defect("SC454", "relative-agent-cwd", basis="W8")
def relative_agent_cwd(case: Case) -> Iterator[Defect]:
    """agent_cwd is not an absolute path.

    It is resolved against whatever folder the agent's server runs in and works by luck at most.
    Right: `agent_cwd = "/app"`
    """
    yield from _relative(case, "agent_cwd")


@CWD.defect("SC455", "unclean-cwd", basis="D3", severity=Severity.WARNING)
def unclean_cwd(case: Case) -> Iterator[Defect]:
    """A working directory is written in a roundabout way.

    Example: `/app/../app/`, `//app`
    Right: `/app`
    """
    for key in ("agent_cwd", "test_cwd"):
        path = case.config.text(key) if case.config else ""
        if path.startswith("/") and path != posixpath.normpath(path).replace("//", "/"):
            yield _at(case, key, f'"{path}" is not in its shortest form', f'write "{posixpath.normpath(path)}"')


@CWD.defect("SC456", "staging-deletes-image-files", basis="W5")
def staging_deletes_image_files(case: Case) -> Iterator[Defect]:
    """The image holds a folder where Margin stages, and staging deletes it.

    `{test_cwd}/tests` and `{test_cwd}/oracle` are removed with `rm -rf` before the files of the case come in.
    Example: `COPY . /app` with env/tests/, and `test_cwd = "/app"`.
    Right: `test_cwd = "/"`
    """
    if not (case.dockerfile and case.config and case.test_cwd.startswith("/")):
        return
    for kind in ("tests", "oracle"):
        staged = posixpath.join(case.test_cwd, kind)
        if _puts(case, case.dockerfile, staged):
            said = f"the image gets files at {staged}, which staging deletes first"
            yield _at(case, "test_cwd", said, 'write test_cwd = "/"')


@CWD.defect("SC457", "user-not-root", basis="W25")
def user_not_root(case: Case) -> Iterator[Defect]:
    """The image's user is not root.

    Margin copies its server in as root and then runs `chmod` as the image's user, which fails: every dry and
    full run ends as an infrastructure failure, only oracle runs do not notice. Nor can that user make /tests.
    Example: `USER app` as the last USER line.
    Right: `USER root` at the end; let the verifier drop privileges where the task needs it.
    """
    if case.dockerfile and case.dockerfile.user and not is_root(case.dockerfile.user):
        data = case.read(DOCKERFILE) or b""
        line = data.count(b"\n", 0, max(data.upper().rfind(b"\nUSER"), 0) + 1) + 1
        said = f'USER is "{case.dockerfile.user}"; Margin cannot run such an image'
        yield Defect(f"{case.path}/{DOCKERFILE}", line, said, "end with USER root")


@CWD.defect("SC458", "agent-cwd-differs-from-workdir", basis="W8", severity=Severity.NOTE)
def agent_cwd_differs_from_workdir(case: Case) -> Iterator[Defect]:
    """agent_cwd is another folder than the Dockerfile's last WORKDIR.

    Nothing creates agent_cwd, and an oracle run does not notice that it is missing; a source may well say so.
    Right: the folder where the source starts its agent.
    """
    workdir = case.dockerfile.workdir if case.dockerfile else None
    if workdir and case.agent_cwd.startswith("/") and posixpath.normpath(case.agent_cwd) != workdir:
        yield _at(
            case,
            "agent_cwd",
            f'agent_cwd is "{case.agent_cwd}", the last WORKDIR is "{workdir}"',
            "check which",
        )


def _missing(case: Case, key: str) -> Iterator[Defect]:
    """The defect of a blank path; a value of a wrong type is another rule's."""
    if case.config and not case.config.text(key) and isinstance(case.config.value(key), str | None):
        yield _at(case, key, f"{key} is missing or blank", f'write {key} = "/..." above the first table')


def _relative(case: Case, key: str) -> Iterator[Defect]:
    """The defect of a path that does not start at the root."""
    path = case.config.text(key) if case.config else ""
    if path and not path.startswith("/"):
        yield _at(case, key, f'{key} is "{path}", not an absolute path', "write a path that starts with /")


def _puts(case: Case, dockerfile: Dockerfile, staged: str) -> bool:
    """Whether a COPY of the Dockerfile puts a file of env/ at or below ``staged``."""
    workdir = dockerfile.workdir or "/"
    for copy in dockerfile.copies:
        target = posixpath.normpath(posixpath.join(workdir, copy.destination))
        if (target + "/").startswith(staged + "/"):
            return True
        below = staged.removeprefix(target.rstrip("/") + "/")
        if below != staged and any(_source_holds(case, source, below) for source in copy.sources):
            return True
    return False


def _source_holds(case: Case, source: str, below: str) -> bool:
    """Whether copying ``source`` (a folder's content, or a file by its name) puts something at ``below``."""
    source = posixpath.normpath(source.lstrip("/"))
    prefix = below if source == "." else f"{source}/{below}"
    return any(entry.path == prefix or entry.path.startswith(prefix + "/") for entry in case.env.files)


def _at(case: Case, key: str, message: str, fix: str) -> Defect:
    """A defect of one key of case.toml."""
    return Defect(f"{case.path}/{CASE_FILE}", case.config.line(key) if case.config else 0, message, fix)
