"""instruction.md, the prompt of a Harbor task."""

from __future__ import annotations

from typing import Final

from skill.sources.files import Entries, read_bytes, single_file
from skill.sources.prompt import Prompt, look_at

PROMPT: Final = "instruction.md"


def read_prompt(task: str, entries: Entries) -> Prompt:
    """The prompt of a task; a missing, unreadable or blank one is a refusal."""
    file, part = single_file(task, entries, PROMPT)
    data = read_bytes(file, part) if file else None
    prompt = Prompt(part.refusals, part.findings, file, data or b"")
    if file is None and not part.refusals:
        prompt.refuse("no-prompt", f"there is no {PROMPT}")
    elif data is not None:
        look_at(prompt, data, PROMPT)
    return prompt
