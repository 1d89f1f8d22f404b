"""``rules [CODE]``: the rules, or the page of one."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from typing import Any

from agent.console import Console
from agent.errors import CLEAN, UsageError
from skill.finding import Rule
from skill.rules import all_rules


def run(args: argparse.Namespace) -> int:
    """Exit status 0: shown. 2: there is no such rule."""
    rules = [rule for rule in all_rules() if not args.code or args.code.lower() in (rule.code.lower(), rule.name)]
    if not rules:
        raise UsageError(f"no rule is called {args.code!r} (suite-converter rules lists them)")
    console = Console(quiet=args.quiet)
    if args.json:
        console.result(json.dumps([_table(rule) for rule in rules], indent=1))
    elif args.code:
        console.result("\n\n".join(_page(rule) for rule in rules))
    else:
        console.result("\n".join(_lines(rules)))
    return CLEAN


def _lines(rules: Iterable[Rule[Any]]) -> Iterable[str]:
    for rule in rules:
        yield f"{rule.code}  {rule.severity:7}  {rule.name}: {rule.sentence}"


def _page(rule: Rule[Any]) -> str:
    head = f"{rule.code} {rule.name} ({rule.severity})\n\n{rule.sentence}"
    page = f"\n\n{rule.page}" if rule.page else ""
    return f"{head}{page}\n\nbasis: {rule.basis}"


def _table(rule: Rule[Any]) -> dict[str, str]:
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity,
        "sentence": rule.sentence,
        "page": rule.page,
        "basis": rule.basis,
    }
