"""``prove SUITE``: every verifier run in known states, and what that shows."""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatchcase

from agent import against_source
from agent.console import Console
from agent.errors import CLEAN, FINDINGS, Infrastructure, Interrupted, UsageError
from agent.interrupt import Stop, stop_on_signal
from agent.ledger_file import ledger_of
from agent.pace import Pace
from agent.proofs import EVIDENCE, PROOFS, keep_proofs, setup
from agent.run_folder import run_path
from agent.text import count, plain
from agent.weight import CONTRARY, PARTLY, PROVED, UNPROVED, ran, weight, why
from skill.comparison import Comparison
from skill.evidence import CaseProof
from skill.rules import check_against_source, check_evidence
from skill.source_evidence import AgainstSource
from skill.suite import read_suite
from tools.depth import Depth
from tools.proof import prove
from tools.proof_cache import ProofCache, Refreshed
from tools.runners import open_runner
from tools.runners.base import Runner
from tools.workspace import Workspace

SAID_ALREADY = ("SC905", "SC906")  # by the line about the case itself


def run(args: argparse.Namespace) -> int:
    """Exit status 0: no contrary evidence. 1: some, or a proof was required and is missing. 5: the runner gave way."""
    names = [case.name for case in read_suite(args.suite).cases() if fnmatchcase(case.name, args.case or "*")]
    if not names:
        raise UsageError(f"{args.suite}: has no case that matches {args.case or '*'!r}")
    console = Console(quiet=args.quiet)
    weights: Counter[str] = Counter()
    compared: list[AgainstSource] = []
    proved: list[CaseProof] = []
    pairs, pace = _pairs(args, names), Pace(len(names))
    runner = open_runner(args.runner, setup())
    try:
        with stop_on_signal() as stop, console.progress("prove", len(names)) as advance:
            for proof, found in _against(args, _proofs(args, names, runner, stop), pairs, runner):
                advance(proof.case)
                console.note(f"{proof.case} {pace.step()}")
                proved.append(proof)
                weights[weight(proof)] += 1
                compared += [found] if found else []
                console.result(_json(proof, found) if args.json else "\n".join(_lines(proof, found)))
        if stop():
            raise Interrupted(f"stopped after {weights.total()} of {len(names)} cases")
    finally:
        try:
            runner.close()
        finally:
            _keep(args, proved)
    console.note(", ".join(f"{weights[kind]} {kind}" for kind in (PROVED, PARTLY, UNPROVED, CONTRARY)))
    if compared:
        console.note(against_source.summary(compared))
    if args.require_proof and weights[UNPROVED] == len(names):
        raise Infrastructure("no case could be proved here")
    lacking = args.require_proof and weights[PROVED] < len(names)
    differs = any(found.differs for found in compared)
    if weights[CONTRARY] or lacking or differs:
        return FINDINGS
    gaps = [gap for proof in proved for gap in proof.gaps]
    if gaps:
        said = f"{count(len(gaps), 'state')} {gaps[0].reason}"
        raise Infrastructure(plain(f"{said}; the same command goes on from the answers that were kept"))
    return CLEAN


def _proofs(args: argparse.Namespace, names: list[str], runner: Runner, stop: Stop) -> Iterator[CaseProof]:
    """The proof of each case, as deep as was asked for."""
    depth, cache = _depth(args), _cache(args)
    states, follow = depth.states, depth.follow
    return prove(
        args.suite, names, runner=runner, jobs=_jobs(args), states=states, follow=follow, cache=cache, stopped=stop
    )


def _depth(args: argparse.Namespace) -> Depth:
    return Depth(args.deep, max(args.repeat, 1), args.mutants, args.forge)


def _keep(args: argparse.Namespace, proofs: list[CaseProof]) -> None:
    """The evidence, log tails included, beside a converted suite."""
    folder = run_path(args.suite.resolve())
    if proofs and folder.is_dir():
        kept = folder / PROOFS
        with Workspace(folder) as files:
            keep_proofs(files, proofs, kept.read_bytes().splitlines(keepends=True) if kept.is_file() else ())


def _pairs(args: argparse.Namespace, names: list[str]) -> dict[str, Comparison]:
    """The cases beside their source tasks, where a source was given."""
    if not args.source:
        return {}
    return against_source.pairs_of(args.suite, ledger_of(args.suite), args.source, names)


def _against(
    args: argparse.Namespace, proofs: Iterator[CaseProof], pairs: dict[str, Comparison], runner: Runner
) -> Iterator[tuple[CaseProof, AgainstSource | None]]:
    """Each proof, with what the source's own verifier says where a source was given."""
    if not args.source:
        return ((proof, None) for proof in proofs)
    rule, folder = against_source.rule_of(args.suite), run_path(args.suite.resolve()) / EVIDENCE
    states = against_source.states_of(_depth(args), pairs, folder, runner)
    return against_source.judged(proofs, pairs, rule, runner, states, None if args.again else folder)


def _json(proof: CaseProof, found: AgainstSource | None) -> str:
    return json.dumps({**proof.to_dict(), **({"against_source": found.to_dict()} if found else {})})


def _lines(proof: CaseProof, found: AgainstSource | None) -> Iterator[str]:
    yield _line(proof)
    yield from (f"  {plain(str(finding))}" for finding in check_evidence(proof) if finding.code not in SAID_ALREADY)
    if found:
        yield from against_source.table(found)
        yield from (plain(str(finding)) for finding in check_against_source(found) if finding.code == "SC921")


def _line(proof: CaseProof) -> str:
    said, states = why(proof), ran(proof)
    return plain(f"{proof.case}: {weight(proof)}{f' [{states}]' if states else ''}{f': {said}' if said else ''}")


def _cache(args: argparse.Namespace) -> ProofCache | None:
    """The answers that are kept beside a converted suite; none is taken from there when all is to be run again."""
    folder = run_path(args.suite.resolve())
    if not folder.is_dir():
        return None
    return Refreshed(folder / EVIDENCE) if args.again else ProofCache(folder / EVIDENCE)


def _jobs(args: argparse.Namespace) -> int:
    return args.jobs or os.cpu_count() or 1
