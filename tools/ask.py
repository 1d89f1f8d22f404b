"""``ask``: a question that only a person can answer."""

from __future__ import annotations

from typing import Final

from tools.errors import AnswerMissing, ToolError
from tools.plain import plain
from tools.spec import Arguments, Tool, ToolResult, arguments_schema, text
from tools.workbench import Workbench

MAX_CHOICES: Final = 8


def run(bench: Workbench, arguments: Arguments) -> ToolResult:
    """The answer that was given; raises AnswerMissing when there is none yet."""
    key, question = arguments["key"], plain(arguments["question"])
    choices = tuple(plain(choice) for choice in arguments.get("choices", ()))
    if not key.replace("-", "").replace("_", "").isalnum() or not key.isascii():
        raise ToolError("bad_arguments", "key must be of a-z, 0-9, - and _")
    if key not in bench.answers:
        raise AnswerMissing(key, question, choices)
    answer = bench.answers[key]
    if choices and answer not in choices:
        raise AnswerMissing(key, f"{question} ({plain(answer)!r} is no choice)", choices)
    return ToolResult(f"the answer to {key} is: {plain(answer)}")


TOOL: Final = Tool(
    "ask",
    "Ask the person who runs the conversion for a decision that is theirs: what counts as a pass, which image, "
    "whether a loss is acceptable. Never for what can be read or tried. Without an answer the session rests here.",
    arguments_schema(
        ("key", "question"),
        key=text("a short name for the answer, such as pass_if", 40),
        question=text("one question, with what hangs on it", 1_000),
        choices={
            "type": "array",
            "description": "the answers to choose from",
            "items": text("one answer", 200),
            "maxItems": MAX_CHOICES,
        },
    ),
    run,
)
