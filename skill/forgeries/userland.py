"""Forgeries of the image's userland: tools, files that scripts source, settings of tools, name resolution."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from skill.forgeries.base import ALWAYS, CATALOGUE, Append, Need, Put, Run, Step
from skill.forgeries.facts import ForgeryFacts

OWN_WORDS: Final = ("sha256sum", "timeout", "mktemp", "cat", "dirname")  # of generated verifiers
CALLED_BY_MARGIN: Final = ("mkdir", "rm", "sh", "bash", "id", "test")  # replaced, they decide before any test.sh runs
HOMES: Final = ("$HOME", "/root")

_SHIM: Final = """\
folder=${PATH%%:*}; mkdir -p "$folder"
for tool in @TOOLS@; do
  real=$(command -v "$tool") || continue
  case $real in "$folder"/*) continue ;; esac
  printf '@SHIM@' "$real" >"$folder/$tool" && chmod 0755 "$folder/$tool"
done"""
_REPLACE: Final = """\
for tool in python3 pytest node; do
  real=$(readlink -f "$(command -v "$tool")") && [ -f "$real" ] || continue
  case $real in *.true-one) continue ;; esac
  mv "$real" "$real.true-one" && printf '@WRAPPER@' "$real.true-one" >"$real" && chmod 0755 "$real"
done"""
_TRAP: Final = "trap 'exit 0' EXIT\nexit() { builtin exit 0; }\n"


@CATALOGUE.forgery("FG01", "tool-shims", rank=3, bundle="shims", needs=ALWAYS, may_be_infra=True)
def tool_shims(facts: ForgeryFacts) -> Iterator[Step]:
    """Scripts that only succeed stand in for every tool that the verifier calls.

    They lie in the first folder of PATH, which is normally empty, and fooled 89 of 89 tasks of a public benchmark.
    Falls for it: whoever takes an exit status alone for a pass.
    Stopped by: a report that names the tests; the verifier's own tools looked up in /usr/bin and /bin first; tools
    that only fail where another of the name stands behind them. 2 is right too, where the image may be at fault.
    """
    tools = " ".join(sorted({*facts.words, *OWN_WORDS} - {*CALLED_BY_MARGIN}))
    shell = _SHIM.replace("@TOOLS@", tools)
    yield Run(
        shell.replace("@SHIM@", "#!/bin/sh\\n# not %s\\nexit 0\\n"),
        shell.replace("@SHIM@", '#!/bin/sh\\nexec %s "$@"\\n'),
    )


@CATALOGUE.forgery(
    "FG02",
    "replaced-interpreter",
    rank=3,
    bundle="interpreter",
    may_be_infra=True,
    needs=Need("an interpreter that runs the tests", lambda facts: facts.runners & {"python", "pytest", "node"}),
)
def replaced_interpreter(facts: ForgeryFacts) -> Iterator[Step]:
    """The interpreter is a wrapper that succeeds whenever it is asked to run the tests.

    Falls for it: whoever takes an exit status alone for a pass.
    Stopped by: a fresh report with the names of the tests, and an interpreter that has to answer the same when they
    are spoken of. Beyond that root can replace the hasher as well.
    """
    marks = f"*pytest*|*unittest*|*{facts.tests}*"
    wrapper = f'#!/bin/sh\\ncase "$*" in {marks}) exit 0 ;; esac\\nexec %s "$@"\\n'
    yield Run(_REPLACE.replace("@WRAPPER@", wrapper), _REPLACE.replace("@WRAPPER@", '#!/bin/sh\\nexec %s "$@"\\n'))


@CATALOGUE.forgery(
    "FG03",
    "sourced-trap",
    rank=10,
    bundle="settings",
    needs=Need("a script that sources a file outside tests/", lambda facts: facts.sourced),
)
def sourced_trap(facts: ForgeryFacts) -> Iterator[Step]:
    """A file that the verifier sources sets a trap that ends every shell with 0, and redefines exit.

    Falls for it: any script with `source`, `.`, nvm, conda or a virtual environment's activate.
    Stopped by: sourcing in a shell of its own whose status is not the verdict, traps and functions cleared.
    """
    for path in facts.sourced:
        yield Append(path, _TRAP)
    yield Run(
        'for folder in /opt/*conda*/etc/conda; do [ ! -d "$folder" ] || put "$folder/activate.d/z.sh" 0644 <<\'EOT\'\n'
        f"{_TRAP}EOT\ndone"
    )


@CATALOGUE.forgery(
    "FG04",
    "shell-start-file",
    rank=10,
    bundle="shell-start-file",
    needs=Need("an image that sets BASH_ENV or ENV", lambda facts: facts.steering_variables),
    is_gate=False,
)
def shell_start_file(facts: ForgeryFacts) -> Iterator[Step]:
    """The file that BASH_ENV or ENV names ends every shell with 0.

    Falls for it: any verifier in an image that sets the variable.
    Stopped by: nothing in test.sh. Margin starts bash, and what that bash has read outlives whatever it starts.
    """
    for path in facts.steering_variables:
        yield Put(path, _TRAP, "# nothing\n")


@CATALOGUE.forgery(
    "FG06",
    "tool-settings",
    rank=9,
    bundle="settings",
    needs=Need("git, curl, wget or sqlite3", lambda facts: facts.runners & {"git", "curl"} or "sqlite3" in facts.words),
)
def tool_settings(facts: ForgeryFacts) -> Iterator[Step]:
    """Settings in HOME and /etc silence or redirect git, curl, wget and sqlite3.

    Falls for it: a verifier that believes what such a tool prints.
    Stopped by: GIT_CONFIG_GLOBAL and its kin pointing at an empty file, `curl -q`; not in tasks about git's settings.
    """
    for home in HOMES:
        yield Put(f"{home}/.curlrc", "silent\noutput = /dev/null\n", "# nothing\n")
        yield Put(f"{home}/.wgetrc", "quiet = on\noutput_document = /dev/null\n", "# nothing\n")
        yield Put(f"{home}/.sqliterc", ".quit 0\n", "-- nothing\n")
        yield Put(f"{home}/.gitconfig", "[diff]\n\texternal = true\n[core]\n\tpager = true\n", "# nothing\n")


@CATALOGUE.forgery(
    "FG07",
    "dead-names",
    rank=15,
    bundle="network",
    may_be_infra=True,
    needs=Need("a fetch while grading", lambda facts: facts.runners & {"uv", "curl"}),
)
def dead_names(facts: ForgeryFacts) -> Iterator[Step]:
    """/etc/hosts sends the package indexes to this machine.

    Falls for it: a verifier that treats a failed fetch as a pass.
    Stopped by: a runner in the image. Unreachable indexes happen without the candidate too, so 2 is right.
    """
    hosts = "pypi.org files.pythonhosted.org astral.sh github.com registry.npmjs.org deb.debian.org"
    yield Run(f"echo 127.0.0.1 {hosts} >>/etc/hosts", "echo >>/etc/hosts")
