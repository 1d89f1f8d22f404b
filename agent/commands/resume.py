"""``resume RUN``: the conversion that was stopped, with the options it was started with."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from agent import convert as conversion
from agent.console import Console
from agent.ending import finished
from agent.errors import JournalError
from agent.options import MODEL_FLAGS, Options
from agent.progress import DONE, last_event
from agent.run_folder import output_path, run_path, saved_command


def run(args: argparse.Namespace) -> int:
    """Exit status as of ``convert``; a run that is done is reported again."""
    output = output_path(args.run)
    console = Console(quiet=args.quiet)
    if last_event(run_path(output)) == DONE:
        ending = finished(run_path(output), output)
    else:
        options = _options(saved_command(run_path(output)), args)
        ending = conversion.convert(options, output, console)
    console.result(json.dumps(ending.table, indent=1) if args.json else ending.text)
    return ending.status


def _options(table: dict[str, Any], args: argparse.Namespace) -> Options:
    try:
        options = Options(**{**table, "source": Path(table["source"]), "allow": tuple(table["allow"])})
    except (KeyError, TypeError) as error:
        raise JournalError(f"{args.run}: was made by another version (start over with convert)") from error
    output = output_path(args.run)
    given = {flag: value for flag in ("jobs", *MODEL_FLAGS) if (value := getattr(args, flag))}
    return Options(**{**vars(options), "output": output, **given})
