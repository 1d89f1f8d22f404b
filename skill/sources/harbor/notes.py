"""What a Harbor task's reading says in the report without keeping the case from being converted."""

from __future__ import annotations

from typing import Final

from skill.finding import Finding, Severity

W: Final = Severity.WARNING
N: Final = Severity.NOTE

NOTES: Final[dict[str, tuple[Severity, str]]] = {
    # task.toml
    "S001": (W, "A key that Harbor does not know has no effect there and none here."),
    "S002": (W, "The schema version is newer than the ones this reader was written for."),
    "S003": (N, "No verifier timeout is stated; the default of this converter is used."),
    "S004": (W, "The task restricts the network; Margin does not."),
    "S005": (W, "A health check waits for something that Margin does not start."),
    "S006": (W, "Skills inside the image are not handed to the agent by Margin."),
    "S007": (W, "A phase runs as a user of its own; Margin runs all as the image's user."),
    "S008": (W, "A host variable is needed while grading; without it the verdict is 2."),
    "S009": (W, "A variable looks like a credential; its value is never resolved."),
    "S010": (N, "Commands that Harbor runs between agent and verifier run at the start of the verifier."),
    "S011": (N, "Hardware that Margin does not reserve is kept as metadata only."),
    "S012": (W, "A key of [metadata] has the name that a Harbor field would get; both are kept."),
    "S013": (N, "A field has no counterpart in Margin and is kept as metadata."),
    "S014": (N, "A fractional or textual number was read as Harbor reads it."),
    # environment
    "S101": (W, "The image is named by a tag; what it points to may change."),
    "S102": (N, "A Dockerfile was generated for the image that the task names."),
    "S103": (W, "Harbor prefers the prebuilt image; the Dockerfile beside it may be out of date."),
    "S104": (W, "The Dockerfile cannot be built as it stands."),
    "S105": (N, "The Dockerfile needs BuildKit."),
    "S106": (W, "The image has a HEALTHCHECK that Harbor waits for and Margin does not."),
    "S107": (N, "The compose file only restates the main service; it was folded into the case."),
    "S108": (W, "A compose key has no effect in a single container and is left out."),
    "S109": (W, "The Dockerfile copies the tests or the solution into the image, where the agent can read them."),
    "S110": (N, "The environment holds a compose file under a name that Harbor does not read."),
    # prompt
    "S201": (N, "The prompt has a canary line that Harbor hides from the agent; the copy keeps it."),
    "S202": (W, "The prompt starts with a byte order mark."),
    "S203": (W, "The prompt is not valid UTF-8; Margin replaces the bytes."),
    "S204": (W, "The prompt holds a NUL byte."),
    "S205": (W, "The prompt speaks of the tests or the solution folder."),
    "S206": (N, "The prompt has outer white space, which Margin strips."),
    # files
    "S301": (N, "A symbolic link inside the task becomes a copy of what it points to."),
    "S302": (W, "An empty folder is lost in Margin's packing."),
    "S303": (N, "Files of the task folder that play no part in Harbor's run are not carried over."),
    "S304": (N, "Files left out by .harborignore."),
    "S305": (W, "Set-id or sticky bits of a file are lost in Margin's packing."),
    "S306": (W, "solution/ has no solve.sh; there is no oracle."),
    "S307": (N, "tests/ holds a Dockerfile or compose file, which Harbor ignores in shared mode."),
    "S308": (W, "A part is large; its archive may exceed what Margin packs."),
    "S309": (N, "A steps/ folder is ignored because task.toml has no [[steps]]."),
}


def note(code: str, path: str, detail: str = "", *, line: int = 0, fix: str = "") -> Finding:
    """The finding ``code`` about ``path``; ``detail`` is added to the sentence of the table."""
    severity, sentence = NOTES[code]
    return Finding(path, line, code, severity, f"{sentence.removesuffix('.')}: {detail}" if detail else sentence, fix)
