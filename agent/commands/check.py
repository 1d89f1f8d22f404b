"""``check SUITE``: every rule over every case, one compiler-style line for each finding."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from agent.console import Console
from agent.errors import CLEAN, FINDINGS
from agent.ledger_file import ledger_of
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
    return check_fidelity(suite, ledger_of(suite), source) if source else iter(())
