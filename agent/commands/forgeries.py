"""``forgeries [CODE]``: what a candidate may plant, or the page of one."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence

from agent.console import Console
from agent.errors import CLEAN, UsageError
from skill.forgeries import NOT_PLANTABLE, Forgery, NotPlantable, all_forgeries
from skill.forgeries_page import STANDING, entry

Row = Forgery | NotPlantable


def run(args: argparse.Namespace) -> int:
    """Exit status 0: shown. 2: there is no such forgery."""
    known: list[Row] = [*all_forgeries(), *NOT_PLANTABLE]
    rows = [row for row in known if _is_meant(row, args.code)]
    if not rows:
        raise UsageError(f"no forgery is called {args.code!r} (suite-converter forgeries lists them)")
    console = Console(quiet=args.quiet)
    if args.json:
        console.result(json.dumps([_table(row) for row in rows], indent=1))
    elif args.code:
        console.result("\n\n".join(_page(row) for row in rows))
    else:
        console.result("\n".join(_lines(rows)))
    return CLEAN


def _is_meant(row: Row, code: str) -> bool:
    return not code or code.lower() in (row.code.lower(), row.name)


def _lines(rows: Sequence[Row]) -> Iterator[str]:
    for row in sorted(rows, key=lambda row: row.code):
        yield f"{row.code}  {_kind(row):8}  {row.name}: {row.sentence}"


def _kind(row: Row) -> str:
    """Whether a row counts, is only reported, or is not planted at all."""
    if isinstance(row, NotPlantable):
        return "-"
    return "gate" if row.is_gate else "reported"


def _page(row: Row) -> str:
    if isinstance(row, Forgery):
        return entry(row).strip()
    return f"{row.code} {row.name}\n\nNot planted, {STANDING[row.standing]}: {row.reason}. {row.sentence}"


def _table(row: Row) -> dict[str, object]:
    table: dict[str, object] = {"code": row.code, "name": row.name, "kind": _kind(row), "sentence": row.sentence}
    if isinstance(row, Forgery):
        own = {"page": row.page, "needs": row.needs.sentence, "rank": row.rank, "verdicts": list(row.verdicts)}
        return {**table, **own, "bundle": row.bundle}
    return {**table, "reason": row.reason, "standing": row.standing}
