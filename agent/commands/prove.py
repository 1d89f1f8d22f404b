"""``prove SUITE``: every verifier run in known states, and what that shows."""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from fnmatch import fnmatchcase

from agent.console import Console
from agent.errors import CLEAN, FINDINGS, Infrastructure, Interrupted, UsageError
from agent.interrupt import stop_on_signal
from agent.proofs import EVIDENCE, setup
from agent.run_folder import run_path
from agent.text import plain
from agent.weight import CONTRARY, PARTLY, PROVED, UNPROVED, weight, why
from skill.evidence import CaseProof
from skill.suite import read_suite
from tools.proof import prove
from tools.proof_cache import ProofCache
from tools.runners import open_runner


def run(args: argparse.Namespace) -> int:
    """Exit status 0: no contrary evidence. 1: some, or a proof was required and is missing. 5: no runner."""
    names = [case.name for case in read_suite(args.suite).cases() if fnmatchcase(case.name, args.case or "*")]
    if not names:
        raise UsageError(f"{args.suite}: has no case that matches {args.case or '*'!r}")
    console = Console(quiet=args.quiet)
    weights: Counter[str] = Counter()
    runner = open_runner(args.runner, setup())
    try:
        with stop_on_signal() as stop, console.progress("prove", len(names)) as advance:
            for proof in prove(args.suite, names, runner=runner, jobs=_jobs(args), cache=_cache(args), stopped=stop):
                advance(proof.case)
                weights[weight(proof)] += 1
                console.result(json.dumps(proof.to_dict()) if args.json else _line(proof))
        if stop():
            raise Interrupted(f"stopped after {weights.total()} of {len(names)} cases")
    finally:
        runner.close()
    console.note(", ".join(f"{weights[kind]} {kind}" for kind in (PROVED, PARTLY, UNPROVED, CONTRARY)))
    if args.require_proof and weights[UNPROVED] == len(names):
        raise Infrastructure("no case could be proved here")
    lacking = args.require_proof and weights[PROVED] < len(names)
    return FINDINGS if weights[CONTRARY] or lacking else CLEAN


def _line(proof: CaseProof) -> str:
    said = why(proof)
    ran = f" [{', '.join(result.state for result in proof.results)}]" if proof.results else ""
    return plain(f"{proof.case}: {weight(proof)}{ran}{f': {said}' if said else ''}")


def _cache(args: argparse.Namespace) -> ProofCache | None:
    """The answers that were kept beside a converted suite; none when all is to be run again."""
    folder = run_path(args.suite.resolve())
    return ProofCache(folder / EVIDENCE) if folder.is_dir() and not args.again else None


def _jobs(args: argparse.Namespace) -> int:
    return args.jobs or os.cpu_count() or 1
