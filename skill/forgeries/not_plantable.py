"""Rows of the catalogue that no plant stands for, with the reason."""

from __future__ import annotations

from typing import Final

from skill.forgeries.base import NotPlantable

_RUNNER: Final = "runner"
_TASK: Final = "task"
_COVERED: Final = "covered"

NOT_PLANTABLE: Final = (
    NotPlantable(
        "FG05", "preloaded-library", "A library that every program loads ends the interpreter with 0.",
        "it has to be compiled for the image, and it reaches bash itself", _RUNNER,
    ),
    NotPlantable(
        "FG31", "source-introspection", "The candidate reads the expected value in its caller's frame.",
        "what it looks for depends on how the tests are written; FG30 shows whether the process is shared", _TASK,
    ),
    NotPlantable(
        "FG32", "reference-found-at-run-time", "The candidate imports the reference or reads what the tests prepared.",
        "it depends on the task's own files", _TASK,
    ),
    NotPlantable("FG33", "printed-success", "A runner's lines of success are printed.", "part of FG26", _COVERED),
    NotPlantable(
        "FG39", "rewritten-result", "The result is edited after the run and before it is read.",
        "a process of root that survives cannot be told from the verifier; FG45 tries the cheap form", _RUNNER,
    ),
    NotPlantable("FG40", "no-tests-at-all", "No test ran, and that passes.", "part of FG10 and FG28", _COVERED),
    NotPlantable(
        "FG42", "answers-in-the-image", "Git history, caches or build leftovers hold the answer.",
        "nothing has to be planted, and what to look for depends on the task", _TASK,
    ),
    NotPlantable(
        "FG46", "traced-verifier", "A process of root reads and changes the verifier's memory.",
        "nothing in the same container is out of reach for root", _RUNNER,
    ),
    NotPlantable(
        "FG48", "exhausted-machine", "Disk, memory or processes are used up so that the runner dies.",
        "how it ends is the machine's doing; a container of a proof is bounded, so that it costs nothing but itself",
        _RUNNER,
    ),
    NotPlantable("FG49", "false-clock", "`date` lies, or times are changed.", "part of FG01 and FG36", _COVERED),
)  # fmt: skip
