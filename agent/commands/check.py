"""``check SUITE``: every rule over every case, one compiler-style line for each finding."""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from agent.console import Console
from agent.errors import CLEAN, FINDINGS
from agent.ledger_file import ledger_of
from agent.text import count, plain
from skill.finding import Finding, Severity
from skill.rules import check_fidelity, check_image, check_suite
from skill.rules.looked_into import LookedInto, paths_of
from skill.suite import Suite, read_suite


def run(args: argparse.Namespace) -> int:
    """Exit status 0: no finding is an error. 1: some are. 2: the suite cannot be read."""
    console = Console(quiet=args.quiet)
    suite = read_suite(args.suite)
    seen: Counter[Severity] = Counter()
    for finding in chain(check_suite(suite), _against(args.suite, args.source), _inside(suite, args)):
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


def _inside(suite: Suite, args: argparse.Namespace) -> Iterator[Finding]:
    """What the images that the engine has say against the cases that name them."""
    if not args.images:
        return
    from tools.runners.docker_look import open_looker

    looker = open_looker(args.platform, f"check-{os.urandom(6).hex()}")
    for case in suite.cases():
        if case.image and (facts := looker.looked_into(case.image, paths_of(case), near=True)):
            yield from check_image(LookedInto(case, facts, args.platform))
