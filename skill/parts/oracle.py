"""oracle/ of a case: the source's solution, started where and how its own framework starts it (decision D9)."""

from __future__ import annotations

import shlex

from skill.parts.base import Part, copied, generated, joined
from skill.parts.workplace import Workplace
from skill.sources.base import EnvValue, SourceTask

FOLDER = "solution"  # below oracle/: the source's files, byte for byte
LOGS = b"/logs/"


def oracle(task: SourceTask, place: Workplace, exported: dict[str, EnvValue]) -> Part:
    """solve.sh around the source's, or an empty part when the source has none that could be run."""
    if not any(file.path == "solve.sh" for file in task.solution):
        return Part()
    pairs = [copied(f"oracle/{FOLDER}/{file.path}", f"solution/{file.path}", file) for file in task.solution]
    script = next(file for file in task.solution if file.path == "solve.sh")
    starter = "" if script.read()[:2] == b"#!" and not task.launch.with_bash else "bash "
    return joined([*pairs, generated("oracle/solve.sh", _script(task, place, exported, starter), "oracle", 0o755)])


def _script(task: SourceTask, place: Workplace, exported: dict[str, EnvValue], starter: str) -> bytes:
    lines = [
        "#!/bin/bash",
        "# Runs the source's solution in the agent's place; whether it is right is the verifier's to say.",
        'ORACLE=${MARGIN_ORACLE_DIR:-$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)}',
        "export DEBIAN_FRONTEND=noninteractive",
    ]
    known = {name: value for name, value in exported.items() if value.literal is not None or value.default is not None}
    for name, value in sorted({**known, **task.solution_env}.items()):
        if value.literal is not None:
            lines.append(f"export {name}={shlex.quote(value.literal)}")
        elif value.default is not None:
            lines.append(f'[ -n "${{{name}-}}" ] || {name}={shlex.quote(value.default)}; export {name}')
        else:
            lines.append(
                f'[ -n "${{{name}-}}" ] || {{ echo "{name} is not set: the source has it from its host" >&2; exit 1; }}'
            )
    if any(LOGS in file.read() for file in task.solution if file.path.endswith((".sh", ".py"))):
        lines.append("mkdir -p /logs/agent /logs/verifier /logs/artifacts || exit 1  # the source finds them there")
    lines += [
        *_placed(task.launch.solution),
        f"cd {shlex.quote(place.cwd)} || exit 1",
        f"{starter}{task.launch.solution} </dev/null",
        'echo "the solution ended with status $?"',
        "exit 0",
    ]
    return ("\n".join(lines) + "\n").encode()


def _placed(script: str) -> list[str]:
    """The lines that put the solution where the source has it: a whole folder, or one script under another name."""
    folder, _, name = script.rpartition("/")
    if name != "solve.sh":
        return [f'mkdir -p {folder} && cp "$ORACLE/{FOLDER}/solve.sh" {script} || exit 1']
    return [
        f"# the source has its solution at {folder}, merged into what the image may hold there",
        f"if [ -d {folder} ]",
        f'then cp -a "$ORACLE/{FOLDER}/." {folder}/ || exit 1',
        f'else ln -s "$ORACLE/{FOLDER}" {folder} || exit 1; fi',
    ]
