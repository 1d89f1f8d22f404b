"""The text of a generated tests/test.sh: phases in order, one call of the shared library a line."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from skill.ledger import digest
from skill.sources.base import EnvValue

MARK = "# suite-converter verifier 1"
LIBRARY = ".verdict/lib.sh"
MANIFEST = ".verdict/manifest.sha256"
SOURCE_SCRIPT = "source-test.sh"
# Variables that the library works with: a source's of the same name would change what it does.
OWN_NAMES = frozenset(
    "TESTS PRIVATE VERDICT_DIR DECIDED STATUS IMPORTS TIMED_OUT LIMIT RESERVE RAN BROKE REWARD STRIPPED SECONDS"
    " IFS BASH_ENV ENV OFFLINE MANIFEST ALL SKIPPED SEAL VERDICT_REPORTERS".split()
)


@cache
def library() -> bytes:
    """The shared shell library, the same bytes in every case."""
    return files("skill.verifier").joinpath("lib.sh").read_bytes()


@dataclass
class Text:
    """What differs between the verifiers of one form."""

    form: str
    shape: str
    limit: int
    manifest: str
    cwd: str
    env: Mapping[str, EnvValue]
    names: tuple[str, ...] = ()  # variables that the source uses for the place of its tests
    pre_verify: tuple[str, ...] = ()
    bootstrap: tuple[str, ...] = ()  # lines, already guarded
    tools: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()  # trials of the runner, before the candidate
    judge: str = "judge_status"
    before: tuple[str, ...] = field(default=())  # lines right before the candidate
    after: tuple[str, ...] = ()  # lines right after it
    evidence: str = ""  # pattern without which status 0 is no pass
    hardened: str = ""  # a comment that names the patterns
    first: tuple[str, ...] = ()  # lines before all others
    early: tuple[str, ...] = ()  # lines before the bootstrap
    before_pass: tuple[str, ...] = ()  # what is looked at before a pass is given
    setup: tuple[str, ...] = ()  # lines before the runner is tried
    starter: str = ""  # what runs the source's script when it has no interpreter line
    phase: str = ""  # what runs the candidate, where it is neither of the two below


def reserve(limit: int) -> int:
    """Seconds of ``limit`` kept back so that an inner time-out ends before Margin's own."""
    return 0 if limit < 4 else min(10, max(1, limit // 20))


def render(text: Text) -> bytes:
    """tests/test.sh for ``text``; its verdict comes from the last line, and every other way out is 2."""
    return joined(f"{MARK} ({text.form}, {text.shape})", _body(text), text.hardened)


def joined(mark: str, body: list[str], hardened: str = "") -> bytes:
    """A whole tests/test.sh: the library is checked and sourced, then ``body`` runs as one function."""
    lines = [
        "#!/bin/bash",
        mark,
        "# Exit status: 0 pass, 1 fail, 2 infra. The phases are explained in .verdict/lib.sh beside this file.",
        *((hardened,) if hardened else ()),
        'TESTS=$(cd "$(PATH=/usr/bin:/bin:$PATH dirname "${BASH_SOURCE[0]}")" && pwd) || exit 2',
        f'[ "$(PATH=/usr/bin:/bin:$PATH sha256sum <"$TESTS/{LIBRARY}" 2>/dev/null)" = "{digest(library())}  -" ] ||',
        f'  {{ echo "VERDICT: INFRA"; echo "reason: tests/{LIBRARY} is missing or changed"; exit 2; }}',
        f'. "$TESTS/{LIBRARY}" || exit 2',
        "",
        "main() {",
        *("  " + line if line else "" for line in body),
        "}",
        'main "$@"; exit 2',
    ]
    return ("\n".join(lines) + "\n").encode()


def opening(text: Text) -> list[str]:
    """The first lines of the body: the clock and the files, variables, the working directory, the source's hooks."""
    lines = [*text.first, f"begin {text.limit} {reserve(text.limit)} {text.manifest}"]
    lines += _exports(text)
    lines += text.early
    if text.before_pass:
        lines.append(f'pass() {{ {"; ".join(text.before_pass)}; verdict 0 PASS "$1"; }}')
    lines.append(f"enter {shlex.quote(text.cwd)}")
    lines += [
        f"bash -c {shlex.quote(command)} || true  # the source runs this before its verifier, best effort"
        for command in text.pre_verify
    ]
    return lines


def _body(text: Text) -> list[str]:
    lines = opening(text)
    if text.bootstrap:
        lines += [
            "",
            "# bootstrap: what the source installs before its tests",
            "(",
            "set -a -o pipefail",
            *text.bootstrap,
            "keep_environment",
            ")",
            "take_environment $?",
        ]
    if text.tools:
        lines.append("need " + " ".join(shlex.quote(tool) for tool in text.tools))
    if text.imports:
        lines.append(f"IMPORTS={shlex.quote(' '.join(text.imports))}")
    lines += [*text.setup, *text.checks]
    lines += ["", *text.before, f'{_phase(text)} {text.starter}"$TESTS/{SOURCE_SCRIPT}"', *text.after, text.judge]
    return lines


def _phase(text: Text) -> str:
    if text.phase:
        return text.phase
    return "counted $" + shlex.quote(text.evidence) if text.evidence else "candidate"


def _exports(text: Text) -> list[str]:
    lines = [f'export {name}="$TESTS"' for name in text.names]
    for name, value in sorted(text.env.items()):
        if value.literal is not None:
            lines.append(f"export {name}={shlex.quote(value.literal)}")
        elif value.default is not None:
            lines.append(f'[ -n "${{{name}-}}" ] || {name}={shlex.quote(value.default)}; export {name}')
        else:
            lines.append(
                f'[ -n "${{{name}-}}" ] || infra "{name} is not set: the source takes it from its host"; export {name}'
            )
    return lines


def manifest(hashes: Mapping[str, str]) -> bytes:
    """The manifest that `sha256sum -c` reads: one line a staged file, sorted; names escaped as sha256sum does."""
    lines = []
    for path in sorted(hashes):
        name = path.replace("\\", "\\\\").replace("\n", "\\n")
        lines.append(f"{'' if name == path else chr(92)}{hashes[path]}  {name}\n")
    return "".join(lines).encode()
