"""What reading a task has to say: refusals, and notes that do not keep it from being converted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from skill.finding import Finding, Severity
from skill.sources.base import Refusal

W: Final = Severity.WARNING
N: Final = Severity.NOTE
SHOWN: Final = 3

NOTES: Final[dict[str, tuple[Severity, str]]] = {
    # task.toml
    "S001": (W, "A key that Harbor does not know has no effect there and none here."),
    "S002": (W, "The schema version is newer than the ones this reader was written for."),
    "S003": (N, "No verifier timeout is stated; the case gets 1800 seconds, where Harbor gives 600."),
    "S004": (W, "The task restricts the network, which Margin does not do."),
    "S005": (W, "A health check that Harbor waits for is not waited for by Margin."),
    "S006": (W, "Skills inside the image are not handed to the agent by Margin."),
    "S008": (W, "A host variable is needed by a script; without it the verdict is 2."),
    "S009": (W, "A variable looks like a credential; its value is never resolved or written."),
    "S010": (N, "Commands that Harbor runs between agent and verifier run at the start of the verifier."),
    "S011": (N, "Hardware that Margin does not reserve is kept as metadata only."),
    "S012": (W, "A key of [metadata] has the name that a Harbor field would get; both are kept."),
    "S013": (N, "A number that is written as text was read as Harbor reads it."),
    "S014": (W, "A host variable of the container that no file of the task names is left out."),
    "S015": (W, "A field of the task's identity has a form that Harbor rejects; it is kept as metadata."),
    # environment
    "S101": (W, "The image is named by a tag; what it points to may change."),
    "S102": (N, "A Dockerfile was generated for the image that the task names."),
    "S103": (W, "Harbor prefers the prebuilt image; the Dockerfile beside it may be out of date."),
    "S104": (W, "The Dockerfile cannot be built as it stands."),
    "S105": (N, "Only BuildKit builds this: margin where docker uses it, the docker runner where it has buildx."),
    "S106": (W, "The image has a HEALTHCHECK that Harbor waits for and Margin does not."),
    "S107": (N, "The compose file only restates the main service; it was folded into the case."),
    "S108": (W, "A compose key has no effect in a single container and is left out."),
    "S109": (W, "The Dockerfile copies a solution into the image, where the agent can read it."),
    "S110": (N, "The environment holds a compose file under a name that Harbor does not read."),
    "S111": (W, "The Dockerfile copies something that the environment folder does not hold."),
    # prompt
    "S201": (N, "The prompt has a canary line that Harbor hides from the agent; the copy keeps it."),
    "S202": (W, "The prompt starts with a byte order mark."),
    "S203": (W, "The prompt is not valid UTF-8; Margin replaces the bytes."),
    "S204": (W, "The prompt holds a NUL byte."),
    "S205": (N, "The prompt speaks of the tests or the solution folder."),
    "S206": (N, "The prompt has outer white space, which Margin strips."),
    # files
    "S301": (N, "A symbolic link inside the task becomes a copy of what it points to."),
    "S302": (W, "An empty folder is lost in Margin's packing."),
    "S303": (N, "Files of the task folder that play no part in the source's run are not carried over."),
    "S304": (N, "Files are left out by .harborignore."),
    "S305": (W, "Set-id or sticky bits of a file are lost in Margin's packing."),
    "S306": (W, "The solution folder has no solve.sh, so there is no oracle."),
    "S307": (N, "The tests folder holds a Dockerfile or compose file, which Harbor ignores in shared mode."),
    "S308": (W, "A folder is large; its archive may exceed what Margin packs."),
    "S309": (W, "Files that .dockerignore keeps from the image are left out; with them the folder is too large."),
    # Terminal-Bench: task.yaml
    "S601": (W, "A key that Terminal-Bench does not know has no effect there; here it is metadata."),
    "S602": (N, "No test timeout is stated; the case gets the 60 seconds that Terminal-Bench gives."),
    "S603": (N, "The prompt is the description that task.yaml names by its key."),
    "S604": (W, "Other descriptions of the same task are left aside."),
    "S605": (W, "There the tests run in the agent's own shell; here nothing that it exports reaches them."),
    "S606": (W, "A field of task.yaml has a form that Terminal-Bench rejects; it is kept as metadata."),
    "S607": (W, "The keystrokes of solution.yaml make no plain script, so there is no oracle."),
    "S608": (N, "The oracle is a script of the plain commands that solution.yaml types."),
    # Terminal-Bench: files
    "S611": (N, "A file of tests/ takes the place of the task's own run-tests.sh, as it does there."),
    "S612": (W, "The Dockerfile copies the whole task folder; what only the harness needs is left out of it."),
    "S613": (W, "The Dockerfile copies the tests into the image, where the agent can read them."),
    "S614": (W, "The Dockerfile writes to a start-up file of the shell, which neither agent nor tests read here."),
    "S615": (W, "There is no docker-compose.yaml, which Terminal-Bench needs; the Dockerfile stands for itself."),
}


def note(code: str, path: str, detail: str = "", *, line: int = 0) -> Finding:
    """The finding ``code`` about ``path``; ``detail`` is added to the sentence of the table."""
    severity, sentence = NOTES[code]
    return Finding(path, line, code, severity, f"{sentence.removesuffix('.')}: {detail}" if detail else sentence)


@dataclass
class Remarks:
    """What one part of a task has to say."""

    refusals: list[Refusal] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def refuse(self, code: str, sentence: str, *, allowable: bool = False) -> None:
        """Add a reason why the task is not converted."""
        self.refusals.append(Refusal(code, sentence, allowable))

    def note(self, code: str, path: str, detail: str = "", *, line: int = 0) -> None:
        """Add a finding of the table."""
        self.findings.append(note(code, path, detail, line=line))


def merged(refusals: Iterable[Refusal]) -> tuple[Refusal, ...]:
    """One refusal per code, in order of appearance, with the first sentences joined and the rest counted."""
    by_code: dict[str, list[Refusal]] = {}
    for refusal in refusals:
        by_code.setdefault(refusal.code, []).append(refusal)
    return tuple(_one(code, group) for code, group in by_code.items())


def _one(code: str, group: list[Refusal]) -> Refusal:
    sentences = list(dict.fromkeys(refusal.sentence for refusal in group))
    more = f"; and {len(sentences) - SHOWN} more" if len(sentences) > SHOWN else ""
    return Refusal(code, "; ".join(sentences[:SHOWN]) + more, all(refusal.allowable for refusal in group))
