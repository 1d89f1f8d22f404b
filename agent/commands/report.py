"""``report RUN``: what a conversion did, read from its report."""

from __future__ import annotations

import argparse

from agent.console import Console
from agent.errors import CLEAN, UsageError
from agent.run_folder import REPORT_JSON, REPORT_MD, output_path, run_path


def run(args: argparse.Namespace) -> int:
    """Exit status 0: the report was shown. 2: there is none."""
    folder = run_path(output_path(args.run))
    path = folder / (REPORT_JSON if args.json else REPORT_MD)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"{path}: the run has not come to its report yet (suite-converter resume {args.run})"
        ) from error
    Console(quiet=args.quiet).result(text.rstrip("\n"))
    return CLEAN
