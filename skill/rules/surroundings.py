"""Rules about what tests/test.sh counts on around it: log folders, network, time: SC62x and SC63x."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Final

from skill import bash
from skill.finding import Severity
from skill.rules.base import Defect, Family
from skill.rules.verifier import Verifier

SURROUNDINGS: Family[Verifier] = Family("verifier")

DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)([smhd]?)\Z")
UNIT: Final = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
RUNNERS: Final = frozenset(
    ("pytest", "python", "python3", "uvx", "uv", "npm", "npx", "node", "go", "cargo", "bats", "make")
)
FETCHES: Final = {
    "apt-get": ("install", "update"),
    "apt": ("install", "update"),
    "apk": ("add", "update"),
    "yum": ("install",),
    "dnf": ("install",),
    "pip": ("install", "download"),
    "pip3": ("install", "download"),
    "uv": ("pip", "add", "sync", "tool", "run", "python"),
    "npm": ("install", "ci", "i"),
    "yarn": ("install", "add"),
    "pnpm": ("install", "add"),
    "git": ("clone", "fetch", "pull"),
    "go": ("get", "install"),
    "cargo": ("install", "fetch"),
    "gem": ("install",),
}
ALWAYS_FETCHES: Final = frozenset(("uvx", "npx", "wget"))
PORT: Final = re.compile(rb"(?:localhost|127\.0\.0\.1|0\.0\.0\.0):8080\b|^\s*EXPOSE\b[^\n]*\b8080\b", re.MULTILINE)
LOGIN_VARIABLE: Final = re.compile(rb"^[^#\n]*?\$\{?(TERM|USER|SHELL|LANG)\b(?!:?[-=+?])", re.MULTILINE)
LOCAL_HOST: Final = re.compile(r"localhost\b|127\.|0\.0\.0\.0|\[::1\]")


@SURROUNDINGS.defect("SC624", "output-folder-not-made", basis="D4")
def output_folder_not_made(verifier: Verifier) -> Iterator[Defect]:
    """The script writes below /logs without making the folder first.

    Margin makes no log folders; the redirection fails, and what should have run did not.
    Example: `pytest > /logs/verifier/out.txt`
    Right: `mkdir -p /logs/verifier` before anything writes there.
    """
    if not verifier.is_readable or b"/logs/" not in verifier.data or _image_makes_logs(verifier):
        return
    script, made = verifier.view.script, set[str]()
    for node in bash.walk(script.root):
        if node.type == "command" and bash.name(script, node) in ("mkdir", "install"):
            made |= {word.rstrip("/") for word in bash.words(script, node)[1:]}
        if node.type == "redirected_statement":
            for operator, target in bash.redirects(script, node):
                folder = posixpath.dirname(target)
                if (
                    operator != "<"
                    and folder.startswith("/logs")
                    and not any((m + "/").startswith(folder + "/") for m in made)
                ):
                    yield verifier.at(
                        bash.line(node), f"{folder} is written to but never made", f"mkdir -p {folder} first"
                    )
                    return


@SURROUNDINGS.defect("SC625", "root-guard", basis="D2")
def root_guard(verifier: Verifier) -> Iterator[Defect]:
    """The script gives up when it is started in /, which is where Margin starts it.

    Example: `if [ "$PWD" = "/" ]; then exit 1; fi` with `test_cwd = "/"`
    Right: `cd` to the folder where the source's verifier ran, and no guard.
    """
    if not verifier.is_readable or posixpath.normpath(verifier.case.test_cwd or ".") != "/":
        return
    script = verifier.view.script
    for step in verifier.view.statements:
        names = {bash.name(script, command) for command in bash.commands(step)}
        if "cd" in names:
            return
        text = script.text(step)
        if "exit" in names and re.search(r"(?:\$\{?PWD\}?|\$\(pwd\))\"?\s*={1,2}\s*[\"']?/[\"']?\s*\]", text):
            yield verifier.at(bash.line(step), 'exits because it is started in "/"', "cd to the workspace instead")
            return


@SURROUNDINGS.defect("SC626", "network-while-grading", basis="W21", severity=Severity.WARNING)
def network_while_grading(verifier: Verifier) -> Iterator[Defect]:
    """The script fetches something while it grades.

    An outage then decides; each fetch needs its own check that ends in 2.
    Example: `uvx pytest`, `apt-get install -y jq`
    Right: have it in the image.
    """
    for name, words, node in verifier.view.commands if verifier.is_readable else ():
        if _fetches(name, words):
            yield verifier.at(bash.line(node), f"{name} needs the network while grading", "install it in the image")
            return


@SURROUNDINGS.defect("SC627", "no-inner-timeout", basis="W15", severity=Severity.WARNING)
def no_inner_timeout(verifier: Verifier) -> Iterator[Defect]:
    """The script sets no limit of its own on what it runs.

    A candidate that hangs runs into test_timeout_seconds, and Margin calls that an infrastructure failure.
    Right: `timeout -k 5 1500 pytest ...` under a limit of 1800, and 124 mapped to 1; with the shared library
    `candidate pytest ...`, which does both.
    """
    names = {name for name, _, _ in verifier.view.commands} if verifier.is_readable else set()
    if names & RUNNERS and not names & {"timeout", "gtimeout"} and b"--timeout" not in verifier.data:
        first = next(node for name, _, node in verifier.view.commands if name in RUNNERS)
        yield verifier.at(
            bash.line(first),
            "nothing here limits the time: with a candidate that hangs, this ends as infra and not as a fail",
            "run it through timeout, or through the library's candidate, and map 124 to 1",
        )


@SURROUNDINGS.defect("SC628", "inner-timeout-too-long", basis="W15")
def inner_timeout_too_long(verifier: Verifier) -> Iterator[Defect]:
    """The script's own limit is not shorter than test_timeout_seconds.

    Margin's limit strikes first, and a hanging candidate is an infrastructure failure after all.
    Example: `timeout 1800 pytest` with `test_timeout_seconds = 1800`
    Right: leave room for the preparation and the verdict.
    """
    limit = verifier.case.config.integer("test_timeout_seconds") if verifier.case.config else 0
    for name, words, node in verifier.view.commands if verifier.is_readable and limit > 0 else ():
        if name == "timeout" and (seconds := _seconds(words[1:])) and seconds >= limit:
            yield verifier.at(
                bash.line(node), f"{seconds:g} s are not less than the case's {limit} s", "make it shorter"
            )


@SURROUNDINGS.defect("SC629", "margin-variable-in-verifier", basis="contract 2.5")
def margin_variable_in_verifier(verifier: Verifier) -> Iterator[Defect]:
    """The script uses a MARGIN_ variable, which only the oracle gets.

    Example: `cd "$MARGIN_AGENT_CWD"`
    Right: the path itself.
    """
    found = re.search(rb"\$\{?(MARGIN_[A-Z_]+)", verifier.data)
    if found and not verifier.is_generated:
        line = verifier.data.count(b"\n", 0, found.start()) + 1
        yield verifier.at(line, f"{found[1].decode()} is set for oracle/solve.sh only", "write the path itself")


@SURROUNDINGS.defect("SC630", "reads-agent-logs", basis="D10")
def reads_agent_logs(verifier: Verifier) -> Iterator[Defect]:
    """The script reads /logs/agent, which Margin does not have.

    What the agent said is not visible to a verifier; such a case can only fail.
    Right: judge what the agent left in the workspace.
    """
    at = verifier.data.find(b"/logs/agent/")
    if at >= 0 and verifier.is_readable:
        yield verifier.at(
            verifier.data.count(b"\n", 0, at) + 1, "there are no agent logs in Margin", "judge the workspace"
        )


@SURROUNDINGS.defect("SC636", "taken-port", basis="W18", severity=Severity.WARNING)
def taken_port(verifier: Verifier) -> Iterator[Defect]:
    """The script or the Dockerfile uses port 8080, which Margin's own server holds.

    It does so in dry and full runs, not in oracle runs, so an oracle run does not notice.
    Right: another port.
    """
    for path, data in (("env/Dockerfile", verifier.case.read("env/Dockerfile")), ("tests/test.sh", verifier.data)):
        built = path != "env/Dockerfile" or verifier.case.dockerfile is not None
        if built and data and (found := PORT.search(data)):
            line = data.count(b"\n", 0, found.start()) + 1
            yield Defect(f"{verifier.case.path}/{path}", line, "port 8080 is taken while an agent runs", "use another")


@SURROUNDINGS.defect("SC637", "unset-login-variable", basis="W19", severity=Severity.WARNING)
def unset_login_variable(verifier: Verifier) -> Iterator[Defect]:
    """The script reads a variable that only a login sets.

    Margin sets none of TERM, USER, SHELL and LANG; under `set -u` reading one ends the script.
    Example: `chown "$USER" /app`
    Right: `${USER:-root}`, or the value itself.
    """
    if verifier.is_readable and (found := LOGIN_VARIABLE.search(verifier.data)):
        name = found[1].decode()
        own = re.search(rb"(?m)(?:^|[\s;])(?:export\s+)?" + found[1] + rb"=", verifier.data)
        dockerfile = verifier.case.dockerfile
        if own is None and (dockerfile is None or name not in dockerfile.env):
            line = verifier.data.count(b"\n", 0, found.start()) + 1
            yield verifier.at(line, f"{name} is not set in Margin's containers", f"write ${{{name}:-...}}")


def _image_makes_logs(verifier: Verifier) -> bool:
    """Whether the Dockerfile mentions /logs; an image known by its digest only is given no such credit."""
    return not verifier.case.image and b"/logs" in (verifier.case.read("env/Dockerfile") or b"")


def _fetches(name: str, words: list[str]) -> bool:
    """Whether a command needs the network."""
    if name in ALWAYS_FETCHES or any(word in FETCHES.get(name, ()) for word in words[1:3]):
        return True
    urls = [word for word in words[1:] if "://" in word]
    return name == "curl" and any(not LOCAL_HOST.match(url.partition("://")[2]) for url in urls)


def _seconds(words: list[str]) -> float:
    """The limit of a ``timeout`` call, 0 when it is computed."""
    arguments = iter(words)
    for word in arguments:
        if word in ("-k", "-s", "--kill-after", "--signal"):
            next(arguments, None)
        elif not word.startswith("-"):
            found = DURATION.match(word)
            return float(found[1]) * UNIT[found[2]] if found else 0
    return 0
