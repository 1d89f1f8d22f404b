"""Datasets of odd verifiers, a model that writes them as told, and a conversion with both."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from agent import convert as conversion
from agent.budget import Budget, Limits
from agent.console import Console
from agent.ending import Ending
from agent.messages import Block, Reply, Request
from agent.mind import Mind
from agent.options import Options
from agent.patience import Watch
from agent.pricing import rules_of
from skill.manifest import load, skill_root
from skill.skeleton import UNWRITTEN
from tests.odd_tasks.tasks import TOML, dockerfile
from tests.support.scripted import calls, reply, says

MODEL = "claude-opus-5-5"
WRAPPED = 'need python3\n  candidate "$TESTS/source-test.sh"\n  judge_reward'
SCRIPT = """\
#!/bin/bash
# {shape}
trap '[ -e /logs/verifier/reward.txt ] || echo 0 > /logs/verifier/reward.txt' EXIT
mkdir -p /logs/verifier
{extra}
python3 /tests/check_{name}.py /app/{name}.txt {number}
echo 1 > /logs/verifier/reward.txt
"""
CHECK = "import sys\n\nassert open(sys.argv[1]).read().strip() == sys.argv[2]\n"

Act = Callable[[str], Sequence[Block]]  # case name -> the blocks of one reply


def put_odd(root: Path, name: str, shape: int = 0, number: int = 11) -> Path:
    """An odd task ``name`` of the shape ``shape``: a command more for each step above 0."""
    word = name.replace("-", "_")
    extra = "\n".join(["set -e", *(f'test -d "$HOME" || exit {step % 2 + 1}' for step in range(shape))])
    files = {
        "task.toml": TOML,
        "instruction.md": f"Write {number} to /app/{word}.txt.\n",
        "environment/Dockerfile": dockerfile("python3"),
        "tests/test.sh": SCRIPT.format(shape=shape, extra=extra, name=word, number=number),
        f"tests/check_{word}.py": CHECK,
        "solution/solve.sh": f"#!/bin/bash\necho {number} > /app/{word}.txt\n",
    }
    for path, text in files.items():
        place = root / name / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return root / name


class Acting:
    """A model that does the same in every session: it goes by the case in the brief and by how far it has come."""

    def __init__(self, acts: Sequence[Act]) -> None:
        self.name = MODEL
        self.requests: list[Request] = []
        self._acts = list(acts)

    def reply(self, request: Request) -> Reply:
        self.requests.append(request)
        case = re.search(r"suite/cases/([\w.-]+)/tests", request.messages[0]["content"][0]["text"])
        assert case
        turn = sum(message["role"] == "assistant" for message in request.messages)
        return reply(*self._acts[min(turn, len(self._acts) - 1)](case[1]))

    @property
    def sessions(self) -> set[str]:
        """The first message of each conversation."""
        return {request.messages[0]["content"][0]["text"] for request in self.requests}


def writes(body: str, old: str = UNWRITTEN, path: str = "test.sh") -> Act:
    """Replace ``old`` in the case's tests by ``body``."""
    return lambda case: [calls("w", "write", path=f"suite/cases/{case}/tests/{path}", old=old, new=body)]


def proves() -> Act:
    """Ask for the proof."""
    return lambda case: [calls("m", "margin_run", cases=[case])]


def ends(text: str = "done") -> Act:
    """End the turn."""
    return lambda case: [says(text)]


def mind(model: Any, **limits: Any) -> Mind:
    """``model`` with a budget."""
    watch = Watch(sleep=lambda seconds: None)
    return Mind(model, Budget(Limits(**limits), rules_of(MODEL)), load(skill_root()), watch=watch)


def convert(root: Path, model: Any, limits: Mapping[str, Any] | None = None, **options: Any) -> Ending:
    """The conversion of ``root``/set into ``root``/out."""
    given = replace(Options(root / "set", root / "out", proof="none", jobs=1), **options)
    assert given.output
    return conversion.convert(given, given.output, Console(quiet=True), mind(model, **(limits or {})))
