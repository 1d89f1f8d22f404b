"""tests/ of a case: the source's files byte for byte, and the verifier in Margin's terms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from skill.finding import Finding
from skill.ledger import Action, Row, digest
from skill.parts.base import Choices, OutFile, Part, Refused, copied, joined, mode_of
from skill.parts.image import Container
from skill.parts.workplace import Workplace
from skill.sources.base import EnvValue, SourceTask
from skill.verifier import template
from skill.verifier.base import Asset, Odd, Rewrite, VerifierInput
from skill.verifier.rewrite import rewrite

SCRIPT = "test.sh"

Rewriting = Callable[[VerifierInput], Rewrite | Odd]


@dataclass(frozen=True)
class Verifier:
    """The files of tests/ and what the report says about them."""

    part: Part
    form: str
    shape: str
    findings: tuple[Finding, ...]


def verifier(
    task: SourceTask,
    choices: Choices,
    place: Workplace,
    seconds: int,
    exported: dict[str, EnvValue],
    prompt: str,
    inside: Container,
    rewriting: Rewriting = rewrite,
) -> Verifier | Refused:
    """The verifier that ``rewriting`` makes, or the refusal that its oddity means without a mind to handle it."""
    script = next(file for file in task.tests if file.path == SCRIPT)
    held = {file.path: file.read() for file in task.tests}
    assets = tuple(Asset(file.path, held[file.path], mode_of(file)) for file in task.tests if file is not script)
    made = rewriting(
        VerifierInput(
            script=held[SCRIPT],
            assets=assets,
            cwd=place.cwd,
            test_cwd=place.test_cwd,
            timeout_seconds=seconds,
            env={**_read_by(held, exported), **task.verifier_env},
            pre_verify=task.pre_verify,
            installed=inside.installed,
            image_env=inside.env,
            prompt=prompt,
            pass_if=choices.pass_if,
            without=choices.without,
            around=_around(task),
            with_bash=task.launch.with_bash,
            parser=task.launch.parser,
        )
    )
    if isinstance(made, Odd):
        return Refused(made.code, made.sentence, made.facts)
    kept = (file for file in task.tests if file is not script and file.path not in made.files)
    pairs = [copied(f"tests/{file.path}", f"tests/{file.path}", file, held[file.path]) for file in kept]
    origins = {file.path: file.origin or f"tests/{file.path}" for file in task.tests}
    pairs += [_written(name, data, held, origins, made.rule) for name, data in sorted(made.files.items())]
    return Verifier(joined(pairs), made.form, made.shape, made.findings)


def _around(task: SourceTask) -> str:
    """The Dockerfile and the solution's script: what image and right candidate set up beside the tests."""
    wanted = [
        *(f for f in task.environment if f.path == "Dockerfile"),
        *(f for f in task.solution if f.path == "solve.sh"),
    ]
    return "\n".join(file.read().decode("utf-8", "replace") for file in wanted)


def _read_by(held: dict[str, bytes], exported: dict[str, EnvValue]) -> dict[str, EnvValue]:
    """The environment's variables that the tests themselves read; without the others they can reach a verdict."""
    return {name: value for name, value in exported.items() if any(name.encode() in data for data in held.values())}


def _written(name: str, data: bytes, held: dict[str, bytes], origins: dict[str, str], rule: str) -> tuple[OutFile, Row]:
    mode = 0o755 if name.endswith(".sh") or data.startswith(b"#!") else 0o644
    path, sha = f"tests/{name}", digest(data)
    origin = SCRIPT if name == template.SOURCE_SCRIPT else name
    if name == SCRIPT or origin not in held:
        return OutFile(path, mode, data), Row(path, Action.GENERATED, sha, mode, by=rule)
    if data == held[origin]:
        return OutFile(path, mode, data), Row(path, Action.COPIED, sha, mode, origins[origin])
    return OutFile(path, mode, data), Row(
        path, Action.REWRITTEN, sha, mode, origins[origin], digest(held[origin]), rule
    )
