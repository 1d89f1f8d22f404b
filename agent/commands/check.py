"""``check SUITE``: every rule over every case, one compiler-style line for each finding."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from agent.console import Console
from agent.errors import CLEAN, FINDINGS, UsageError
from agent.run_folder import LEDGER, run_path
from agent.text import count, plain
from skill.finding import Finding, Severity
from skill.rules import check_fidelity, check_suite
from skill.suite import read_suite


def run(args: argparse.Namespace) -> int:
    """Exit status 0: no finding is an error. 1: some are. 2: the suite cannot be read."""
    console = Console(quiet=args.quiet)
    suite = read_suite(args.suite)
    seen: Counter[Severity] = Counter()
    for finding in chain(check_suite(suite), _against(args.suite, args.source)):
        seen[finding.severity] += 1
        console.result(json.dumps(vars(finding)) if args.json else plain(str(finding)))
    console.note(
        f"{count(len(suite.entries), 'case')}: {count(seen[Severity.ERROR], 'error')}, "
        f"{count(seen[Severity.WARNING], 'warning')}, {count(seen[Severity.NOTE], 'note')}"
    )
    return FINDINGS if seen[Severity.ERROR] else CLEAN


def _against(suite: Path, source: Path | None) -> Iterator[Finding]:
    """What the source and the ledger of the conversion have against the suite."""
    return check_fidelity(suite, _ledger(suite), source) if source else iter(())


def _ledger(suite: Path) -> Iterator[dict[str, Any]]:
    """The rows that the conversion of ``suite`` left beside it; raises UsageError when there are none."""
    path = run_path(suite.resolve()) / LEDGER
    try:
        with path.open("rb") as lines:
            for line in lines:
                if (row := json.loads(line)).get("case"):
                    yield row
    except (OSError, ValueError, AttributeError) as error:
        raise UsageError(f"{path}: is no ledger ({error}); only a converted suite has one") from error
