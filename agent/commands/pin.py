"""``pin SUITE|SOURCE``: ask registries anew which digests image names stand for, and show what moved."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from agent.console import Console
from agent.dataset import read_dataset
from agent.errors import CLEAN, FINDINGS, INFRA, Interrupted
from agent.images import needs_of, open_resolver
from agent.interrupt import stop_on_signal
from agent.options import Options
from agent.pins_file import read_pins_file, write_pins_file
from agent.text import count, plain
from skill.contract import SUITE_FILE
from skill.image_ref import read_image_ref
from skill.pins import UNKNOWN, Pin, Resolution, moved
from skill.suite import read_suite


def run(args: argparse.Namespace) -> int:
    """Exit status 0: every name has a digest. 1: some have none. 5: somebody did not answer."""
    from tools.runners.docker_look import open_looker

    console, path = Console(quiet=args.quiet), Path(args.pins) if args.pins else None
    before = _before(args, path)
    resolver = open_resolver(open_looker(args.platform, f"pin-{os.urandom(6).hex()}"), {})
    with stop_on_signal() as stop, console.progress("pin", len(before)) as advance:
        found = []
        for one in resolver.resolve(before, stop):
            found.append(one)
            advance(one.reference)
        if stop():
            raise Interrupted("stopped; nothing was written")
    after = {one.reference: one.pinned for one in found if isinstance(one, Pin)}
    held = {name: pinned for name, pinned in before.items() if pinned}
    if path:
        write_pins_file(path, held | after, args.platform)
    rows = [_row(one, held) for one in found]
    shown = _lines(rows, len(moved(held, after)))
    console.result(json.dumps({"images": rows}, indent=1) if args.json else "\n".join(shown))
    return _status(found)


def _before(args: argparse.Namespace, path: Path | None) -> dict[str, str]:
    """Every name that stands for something, with what it stood for; empty where nobody knows."""
    kept = read_pins_file(path, args.platform) if path else {}
    if (args.place / SUITE_FILE).is_file():
        images = (case.image for case in read_suite(args.place).cases())
        named = {ref.name: str(ref) for image in images if (ref := read_image_ref(image)) and ref.tag}
    else:
        options = Options(args.place, image="keep", platform=args.platform)
        dataset = read_dataset(options)
        needs = (needs_of(dataset.source, "keep", unit).image for unit in dataset.units())
        named = {image: "" for image in needs if (ref := read_image_ref(image)) and not ref.digest}
    told = {name: pinned for name, pinned in named.items() if pinned}
    return {**named, **{name: kept[name] for name in kept if name in named or not named}, **told}


def _row(one: Resolution, held: Mapping[str, str]) -> dict[str, Any]:
    """What became of one name."""
    if not isinstance(one, Pin):
        return {"name": one.reference, "state": one.code, "reason": one.reason, "before": held.get(one.reference, "")}
    before = held.get(one.reference, "")
    state = "new" if not before else "same" if before == one.pinned else "moved"
    return {"name": one.reference, "state": state, "pinned": one.pinned, "before": before, "by": one.by}


def _lines(rows: Iterable[Mapping[str, Any]], gone_on: int) -> Iterable[str]:
    total = 0
    for row in rows:
        total += 1
        if row["state"] == "moved":
            yield plain(
                f"moved  {row['name']} from {row['before'].rpartition('@')[2]} to {row['pinned'].rpartition('@')[2]}"
            )
        else:
            yield plain(f"{row['state']:6} {row.get('pinned') or row['reason']}")
    yield f"{count(total, 'name')}, {gone_on} moved"


def _status(found: Iterable[Resolution]) -> int:
    codes = {one.code for one in found if not isinstance(one, Pin)}
    return INFRA if UNKNOWN in codes else FINDINGS if codes else CLEAN
