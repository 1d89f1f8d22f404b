"""``convert SOURCE -o OUT``: make a suite, or with ``--plan`` say what would be made."""

from __future__ import annotations

import argparse
import json

from agent import convert as conversion
from agent.console import Console
from agent.errors import UsageError
from agent.options import Options, merged, read_answers


def run(args: argparse.Namespace) -> int:
    """Exit status 0: all tasks converted. 1: some refused or failed. 3: an answer is needed."""
    console = Console(quiet=args.quiet)
    options = _options(args)
    if options.plan:
        ending = conversion.plan(options, console)
    elif options.output is None:
        raise UsageError("convert needs -o OUT (or --plan, which writes nothing)")
    else:
        ending = conversion.convert(options, options.output, console)
    console.result(json.dumps(ending.table, indent=1) if args.json else ending.text)
    return ending.status


def _options(args: argparse.Namespace) -> Options:
    singles = {}
    for answer in args.answer:
        key, mark, value = answer.partition("=")
        if not mark or not key:
            raise UsageError(f"--answer {answer}: is not KEY=VALUE")
        singles[key] = value
    answers = read_answers(args.answers) if args.answers else {}
    own = ("answer", "answers", "json", "quiet", "verb")
    flags = {key: value for key, value in vars(args).items() if key not in own}
    return Options(**merged(flags, answers, singles))
