"""``gc``: remove what earlier runs of this program left in the Docker engine."""

from __future__ import annotations

import argparse
import json

from agent.console import Console
from agent.errors import CLEAN
from agent.text import count


def run(args: argparse.Namespace) -> int:
    """Exit status 0: nothing of ours is left. 5: no Docker engine answers."""
    from tools.gc import collect

    removed = collect()
    console = Console(quiet=args.quiet)
    lines = [*(f"removed {name}" for name in removed), f"{count(len(removed), 'leftover')} removed"]
    console.result(json.dumps({"removed": list(removed)}) if args.json else "\n".join(lines))
    return CLEAN
