"""What keeps a verifier from being converted by rule, each with the code of its refusal."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skill import bash
from skill.verifier import python
from skill.verifier.base import Asset, Odd, VerifierInput

AGENT_LOG = re.compile(r"/logs/(?:agent|trajector)|/agent-logs")
JUDGE = re.compile(
    r"(?:ANTHROPIC|OPENAI|GEMINI|GOOGLE|OPENROUTER|DEEPSEEK|MISTRAL|TOGETHER|AZURE_OPENAI|LLM|JUDGE)_API_KEY|\blitellm\b"
    r"|^\s*(?:import|from) (?:anthropic|openai)\b|\bllm_judge\b|^\s*judge\s*=\s*[\"']\w+[/-]",
    re.MULTILINE,
)
SIDECAR = re.compile(
    r"https?://(?!localhost\b|127\.|0\.0\.0\.0|host\b|example\b)([a-z][a-z0-9_-]*)(?::\d+)(?=[/\"'\s]|$)"
)
PLACEHOLDER = re.compile(r"\{\{\s*\w+\s*\}\}|\{(?:test_command|task_id|instance_id|problem_id)\}|^\{[a-z_]+\}$")
HINTS = (
    b"/logs/",
    b"/agent-logs",
    b"_API_KEY",
    b"litellm",
    b"anthropic",
    b"openai",
    b"judge",
    b"http://",
    b"https://",
)
MAKES_FOLDERS = re.compile(r"^\s*mkdir\b.*$", re.MULTILINE)
PATCH = re.compile(rb"^(?:diff --git |--- a/)", re.MULTILINE)
MAX_SCRIPT = 2_000_000  # bytes; the largest real script seen has a sixth of it
CONFLICT = re.compile(rb"^(?:<<<<<<< |>>>>>>> )", re.MULTILINE)
CODE = (".py", ".sh", ".js", ".mjs", ".cjs", ".ts", ".bash", ".toml", ".yaml", ".yml")


def unreadable(script: bytes) -> Odd | None:
    """The reason why the text of test.sh is no script that anything can be said about."""
    if not script.strip():
        return Odd("empty-verifier", "tests/test.sh is empty, so it would pass everything")
    if b"\0" in script:
        return Odd("binary-verifier", "tests/test.sh holds NUL bytes: no shell script")
    if len(script) > MAX_SCRIPT:
        return Odd("oversized-verifier", f"tests/test.sh has {len(script)} bytes: more than anybody could review")
    if CONFLICT.search(script):
        return Odd("broken-verifier", "tests/test.sh holds merge-conflict markers")
    if b"\r\n" in script:
        return Odd("broken-verifier", "tests/test.sh has CRLF line ends: bash does not run it as meant")
    try:
        text = script.decode("utf-8")
    except UnicodeDecodeError:
        return Odd("broken-verifier", "tests/test.sh is not UTF-8")
    first = text.lstrip("\ufeff").splitlines()[0]
    if first.startswith("#!") and not re.search(r"\b(?:ba|da|)sh\b", first):
        return Odd("needs-agent", f"tests/test.sh is no shell script ({first})", ("interpreter " + first[2:],))
    return None


def hazards(given: VerifierInput, script: bash.Script) -> Iterator[Odd]:
    """Every reason against a conversion by rule, gravest first."""
    if script.broken:
        spot = b"".join(script.data.splitlines()[script.broken - 1 : script.broken])  # none at the end of the file
        if found := PLACEHOLDER.search(spot.decode("utf-8", "replace")):
            yield Odd("template", f"tests/test.sh:{script.broken} holds the unfilled placeholder {found[0]}")
        yield Odd(
            "broken-verifier",
            f"tests/test.sh:{script.broken}: bash cannot read it",
            (f"syntax error in line {script.broken}",),
        )
        return
    yield from _unfilled(script)
    for path, text in _code(given, script):
        if AGENT_LOG.search(text):
            yield Odd("agent-log", f"tests/{path} grades the agent's own log, which Margin does not keep")
        if JUDGE.search(text):
            yield Odd("judge", f"tests/{path} asks a model for the verdict, which needs a key and the network")
        if match := SIDECAR.search(text):
            yield Odd("sidecar", f"tests/{path} asks a service on another host ({match[1]}) for its verdict")
    yield from _outside_commands(script)
    if not given.parser:  # what a trap does to the status and to reward files does not matter to a parser
        yield from _traps(script)


@bash.once_a_script
def _traps(script: bash.Script) -> tuple[Odd, ...]:
    return tuple(_trapping(script))


def _trapping(script: bash.Script) -> Iterator[Odd]:
    for command in bash.commands(script.root):
        name, words = bash.name(script, command), bash.words(script, command)
        if name == "trap" and not (len(words) > 1 and re.match(r"(?:kill|rm|-|:|cleanup|stop)", words[1])):
            yield Odd(
                "needs-agent",
                "a trap acts on the way out, and no rule tells what that means for the verdict",
                (f"line {bash.line(command)}: {' '.join(words)[:80]}",),
            )


@bash.once_a_script
def _outside_commands(script: bash.Script) -> tuple[Odd, ...]:
    return tuple(_outside(script))


def _outside(script: bash.Script) -> Iterator[Odd]:
    for command in bash.commands(script.root):
        name = bash.name(script, command)
        if name in ("docker", "ssh", "kubectl", "systemctl"):
            yield Odd(
                "needs-agent",
                f"the verifier works on something outside the container ({name})",
                (f"line {bash.line(command)}: {name}",),
            )


@bash.once_a_script
def _unfilled(script: bash.Script) -> tuple[Odd, ...]:
    """A word with an unfilled placeholder; here-documents and words of several lines are data and may hold braces."""
    for node in bash.walk(script.root):
        if node.type == "concatenation" and node.start_point[0] != node.end_point[0]:
            continue
        if node.type in ("word", "concatenation", "string_content", "command_name") and PLACEHOLDER.search(
            script.text(node)
        ):
            where = f"tests/test.sh:{bash.line(node)}"
            return (Odd("template", f"{where} holds the unfilled placeholder {script.text(node)[:40]}"),)
    return ()


def _code(given: VerifierInput, script: bash.Script) -> Iterator[tuple[str, str]]:
    """Texts that hold one of the patterns, without their comments and docstrings, by path."""
    yield "test.sh", _own_code(script)
    for asset in given.assets:
        if not asset.path.endswith(CODE) or not any(hint in asset.data for hint in HINTS):
            continue
        if asset.path.endswith(".py"):
            module = python.tree(asset.data)
            if module is not None:
                yield asset.path, "\n".join(_python_text(asset, module))
                continue
        yield asset.path, _without_comments(asset.data)


def _python_text(asset: Asset, module: object) -> Iterator[str]:
    yield from (str(node.value) for node in python.strings(module))  # type: ignore[arg-type]
    yield from re.findall(r"^\s*(?:import|from) .*$", asset.data.decode("utf-8", "replace"), re.MULTILINE)


@bash.once_a_script
def _own_code(script: bash.Script) -> str:
    return MAKES_FOLDERS.sub("", _without_comments(_without_patches(script)))


def _without_patches(script: bash.Script) -> bytes:
    """The script without here-documents that are patches: those are data of another project."""
    data = script.data
    for node in bash.walk(script.root):
        if node.type == "heredoc_body" and PATCH.search(script.data[node.start_byte : node.end_byte]):
            data = data.replace(script.data[node.start_byte : node.end_byte], b"")
    return data


def _without_comments(data: bytes) -> str:
    lines = data.decode("utf-8", "replace").splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith(("#", "//")))
