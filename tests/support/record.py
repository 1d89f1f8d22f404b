"""Records sessions over odd verifiers, or puts recorded answers to the program as it is today.

    python -m tests.support.record [--renew] [--origin bridge|api] [NAME...]

Without ``--renew`` a model is asked: the one at ANTHROPIC_BASE_URL with ANTHROPIC_API_KEY. With it, nobody is: the
answers that a cassette holds are given again, and where gates and proof accept what comes of them, the cassette is
written anew with today's questions; it then says of which fingerprint its answers are. A session that does not end
converted leaves the recording as it was. Needs a Docker engine for what was not proved before.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agent.console import Console
from agent.model import AnthropicModel, open_client
from tests.support import recorded
from tests.support.cassettes import ORIGINS, cassette, fingerprint
from tests.support.messages_server import Says, serving
from tests.support.odd import MODEL
from tests.support.tapes import metadata, replies


def record(name: str, origin: str, renew: bool) -> str:
    """How it ended, in one line; "recorded" or "renewed" when there is a new recording."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        root, old = Path(folder), recorded.ODD / f"{name}.yaml"
        proofs = old.with_suffix(".proofs.json")
        answered = ""
        if renew:
            origin, answered = metadata(old)["origin"], metadata(old)["answered"]
            shutil.copy(proofs, root)
        patch.setenv("CASSETTE", "all")
        patch.setattr("agent.model.BYTE_TIMEOUT", 3_600.0)  # whoever answers by hand takes his time
        with (
            _answering(old if renew else None, patch),
            cassette(name, fingerprint(MODEL), patch, origin=origin, answered=answered, folder=root),
        ):
            model = AnthropicModel(open_client("anthropic", os.environ), MODEL)
            ending = recorded.convert(root, name, model, recorded.asked(name, root), patch, Console())
        (row,) = ending.table["sessions"]
        if ending.table["books"]["converted"] != 1:
            return f"not converted after {row['turns']} turns: {row['ended']} {row['detail']}"
        recorded.ODD.mkdir(parents=True, exist_ok=True)
        for made in (root / old.name, root / proofs.name):
            shutil.copy(made, recorded.ODD)
        return f"{'renewed' if renew else 'recorded'}, {row['turns']} turns, {row['repairs']} repairs"


@contextmanager
def _answering(tape: Path | None, patch: pytest.MonkeyPatch) -> Iterator[None]:
    """While the block runs, the answers of ``tape`` are given at ANTHROPIC_BASE_URL, where there is one."""
    if tape is None:
        yield
        return
    steps = [Says(reply.content, stop=reply.stop_reason) for reply in replies(tape)]
    with serving(*steps) as server:
        patch.setenv("ANTHROPIC_BASE_URL", server.url)
        patch.setenv("ANTHROPIC_API_KEY", "replayed-not-a-key")
        yield


def main() -> int:
    """Exit status 0 when every session that was named has a recording of now."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--renew", action="store_true")
    parser.add_argument("--origin", choices=ORIGINS, default="bridge")
    parser.add_argument("names", nargs="*", metavar="NAME")
    args = parser.parse_args()
    failed = 0
    for name in args.names or (recorded.recorded() if args.renew else recorded.NAMES):
        said = record(name, args.origin, args.renew)
        failed += not said.startswith(("recorded", "renewed"))
        print(f"{name}: {said}", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
