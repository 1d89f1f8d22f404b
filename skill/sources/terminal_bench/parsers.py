"""What Terminal-Bench's harness reads in the output of run-tests.sh: its five parsers, as they are in 0.2.18.

The source's judge books by them. The converted verifier has readers of its own (skill/verifier/parsers.sh), stricter
where these forget a failure; a test holds the two against each other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from skill.source_evidence import Booking, Problem

RESOLVED: Final = "resolved"
HEADER: Final = re.compile(r"=+\s*short test summary info\s*=+", re.IGNORECASE)
GOOD: Final = frozenset({"PASSED", "XFAIL", "SKIPPED"})
BAD: Final = frozenset({"FAILED", "XPASS", "ERROR"})


class NoResultError(ValueError):
    """A parser found nothing to read, which the harness counts as unresolved."""


def book(parser: str, output: str) -> Booking:
    """What the harness books for ``output``: resolved where every result is a pass, also where there is none."""
    try:
        results = PARSERS[parser](output)
    except NoResultError as error:
        return Booking(problem=Problem.MISSING, detail=str(error))
    broken = [name for name, good in results.items() if not good]
    said = f"{len(broken)} of {len(results)} results failed" + (f", the first: {broken[0]:.80}" if broken else "")
    return Booking(((RESOLVED, float(not broken)),), detail=said)


def _pytest(output: str) -> dict[str, bool]:
    """One result a name, the last line of a name winning, whatever file it stands for."""
    found = HEADER.search(output)
    if found is None:
        raise NoResultError("the output has no short test summary")
    results = {}
    for line in output[found.end() :].splitlines():
        if named := _named(line):
            name, status = named
            results[name] = status in GOOD
    return results


def _named(line: str) -> tuple[str, str] | None:
    """Name and status in a line of the summary."""
    if line.startswith("FAILED") and " - " in line:
        line = line.rpartition(" - ")[0]
    words = line.split(maxsplit=1)
    status = words[0].strip(":") if words else ""
    if len(words) < 2 or status not in GOOD | BAD:
        return None
    name = words[1].strip().split("::", maxsplit=1)[-1]
    return (name, status) if name else None


def _marked(name: str, word: str, *, needed: bool) -> Callable[[str], dict[str, bool]]:
    """A reader of what stands between the first start mark and the last end mark."""
    start, end = f"{name} starts here", f"{name} ends here"

    def read(output: str) -> dict[str, bool]:
        if needed and (start not in output or end not in output):
            raise NoResultError(f"the output has no {name}")
        block = output.split(start, 1)[-1].rsplit(end, 1)[0]
        return {"tests": block.strip() == word}

    return read


def _swelancer(output: str) -> dict[str, bool]:
    """A word of success wins over one of failure."""
    text = output.lower()
    if "swe lancer success" in text or "swe lancer failure" in text:
        return {"task": "swe lancer success" in text}
    return {"task": "user_tool" in text and "completed" in text}


PARSERS: Final[Mapping[str, Callable[[str], dict[str, bool]]]] = {
    "pytest": _pytest,
    "swebench": _marked("SWEBench results", "PASSED", needed=True),
    "sweperf": _marked("SWE-Perf results", "PASSED", needed=True),
    "mlebench": _marked("MLEBench results", "ALL TESTS PASSED", needed=False),
    "swelancer": _swelancer,
}
