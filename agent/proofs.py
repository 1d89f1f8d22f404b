"""The proof of a sample: a few cases of every shape are run in known states, and contrary evidence counts."""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from agent.console import Console
from agent.errors import Infrastructure
from agent.interrupt import Stop
from agent.options import Options
from agent.outcome import Outcome
from agent.pace import Pace
from agent.progress import Progress
from agent.run_folder import RunFolder, remove
from agent.take_back import Redraft, TakeBack
from agent.text import plain
from agent.weight import CONTRARY, PROVED, ran, weight, why
from skill.case import Case
from skill.contract import CASES_DIR
from skill.evidence import CaseProof
from skill.finding import Finding, Severity
from skill.source_evidence import AgainstSource, Standing
from tools.errors import RunnerError
from tools.runners.base import Runner, Setup
from tools.workspace import Workspace

if TYPE_CHECKING:
    from tools.depth import Depth

EVIDENCE, PROOFS = "evidence", "proofs.jsonl"
DEEP = "deep"  # the proof with mutants, forgeries and every kind of sabotage
SOURCE = "source"  # the proof that runs the source's own verifier too
SHARED = "; the source's own verifier says the same, so the fault is the source's"

Shape = tuple[str, str]


@dataclass(frozen=True)
class Proofs:
    """What the proofs of one run showed."""

    by_case: Mapping[str, CaseProof] = field(default_factory=dict)
    against_source: Mapping[str, AgainstSource] = field(default_factory=dict)
    shapes: Mapping[Shape, int] = field(default_factory=Counter)  # proved cases of each
    reason: str = ""  # why cases without a proof have none


def setup() -> Setup:
    """What a run of this process adds to the contract."""
    return Setup(run_id=f"run-{os.urandom(6).hex()}")


def prove_sample(
    options: Options, run: RunFolder, progress: Progress, console: Console, stop: Stop, redraft: Redraft
) -> Proofs:
    """Prove the first cases of every shape; a case with contrary evidence is failed and leaves the suite.

    Raises Infrastructure when a proof of every shape was demanded and cannot be had.
    """
    if options.proof == "none" and not options.require_proof:
        return Proofs(reason="not asked for")
    sample = sample_of(progress, options.sample)
    if options.proof == "none" or not sample:
        return _demanded(options, Proofs(reason="not asked for"), sample)
    runner = _runner(options)
    if isinstance(runner, str):
        return _demanded(options, Proofs(reason=runner), sample)
    found: dict[str, CaseProof] = {}
    beside: dict[str, AgainstSource] = {}
    try:
        taken_back = _take_back(options, run, runner, redraft, progress)
        proofs = (taken_back(proof) for proof in _proved(options, run, runner, list(sample), console, stop))
        for proof, against in _beside_source(options, run, progress, runner, list(sample), proofs):
            found[proof.case] = proof
            beside |= {proof.case: against} if against else {}
            _judge(proof, against, run, progress, console)
    finally:
        runner.close()
        keep_proofs(run.files, found.values())
    shapes = Counter(sample[name] for name, proof in found.items() if weight(proof) == PROVED)
    reason = f"a sample of {options.sample} for each shape was asked for"
    return _demanded(options, Proofs(found, beside, shapes, reason), {} if stop() else sample)


def sample_of(progress: Progress, size: int) -> dict[str, Shape]:
    """The first ``size`` converted cases of every shape, by name, with their shape."""
    found: defaultdict[Shape, list[str]] = defaultdict(list)
    for name in progress.converted():
        result = progress.result_of(name)
        if len(found[result.shape, result.form]) < size:
            found[result.shape, result.form].append(name)
    return {name: shape for shape, names in sorted(found.items()) for name in names}


def _runner(options: Options) -> Runner | str:
    """The runner, or why there is none."""
    from tools.runners import open_runner

    try:
        return open_runner(options.runner, setup())
    except RunnerError as error:
        return str(error)


def _proved(
    options: Options, run: RunFolder, runner: Runner, names: list[str], console: Console, stop: Stop
) -> Iterator[CaseProof]:
    from tools.proof import prove
    from tools.proof_cache import ProofCache

    cache, depth, pace = ProofCache(run.path / EVIDENCE), depth_of(options), Pace(len(names))
    jobs = options.jobs or os.cpu_count() or 1
    states, follow = depth.states, depth.follow
    with console.progress("prove", len(names)) as advance:
        for proof in prove(
            run.staging, names, runner=runner, jobs=jobs, states=states, follow=follow, cache=cache, stopped=stop
        ):
            advance(proof.case)
            console.note(f"{proof.case} {pace.step()}")
            yield proof


def depth_of(options: Options) -> Depth:
    """How deep a conversion proves its sample: forgeries are always part of it."""
    from tools.depth import Depth

    return Depth(deep=options.proof == DEEP, forge=True)


def _take_back(options: Options, run: RunFolder, runner: Runner, redraft: Redraft, progress: Progress) -> TakeBack:
    """What tries a case with less hardening, where an honest candidate pays for it."""
    from tools.forging import honest_states
    from tools.proof import prove
    from tools.proof_cache import ProofCache

    cache, depth = ProofCache(run.path / EVIDENCE), depth_of(options)

    def honest(name: str) -> CaseProof:
        return next(iter(prove(run.staging, [name], runner=runner, states=honest_states, cache=cache)))

    def whole(name: str) -> CaseProof:
        states, follow = depth.states, depth.follow
        return next(iter(prove(run.staging, [name], runner=runner, states=states, follow=follow, cache=cache)))

    return TakeBack(redraft, lambda name: Case(run.staging, name, 0), honest, whole, progress.add)


def _beside_source(
    options: Options,
    run: RunFolder,
    progress: Progress,
    runner: Runner,
    names: list[str],
    proofs: Iterator[CaseProof],
) -> Iterator[tuple[CaseProof, AgainstSource | None]]:
    """Each proof, with what the source's own verifier says where that was asked for."""
    if options.proof != SOURCE:
        return ((proof, None) for proof in proofs)
    from agent import against_source
    from skill.pass_rule import pass_rule

    pairs = against_source.staged_pairs(options, run, progress, names)
    states = against_source.states_of(depth_of(options), pairs, run.path / EVIDENCE, runner)
    rule = pass_rule(options.pass_if)
    return against_source.judged(proofs, pairs, rule, runner, states, run.path / EVIDENCE)


def _judge(
    proof: CaseProof, against: AgainstSource | None, run: RunFolder, progress: Progress, console: Console
) -> None:
    """Attach what the rules say about the evidence; contrary evidence ends the case."""
    from skill.rules import check_against_source, check_evidence

    said, states = why(proof), ran(proof)
    console.note(f"{weight(proof)} {proof.case}{f' [{states}]' if states else ''}{f': {said}' if said else ''}")
    found: list[Finding] = [*check_evidence(proof), *(check_against_source(against) if against else ())]
    result = progress.result_of(proof.case)
    ended = _ended(proof, against, said)
    if ended:
        remove(run.staging / CASES_DIR / proof.case)
        code, sentence = ended
        result = replace(result, outcome=Outcome.FAILED, code=code, sentence=plain(sentence), ledger=())
    else:
        found = [finding for finding in found if finding.severity is not Severity.ERROR]
    if found or result.outcome is Outcome.FAILED:
        progress.add(replace(result, findings=(*result.findings, *found)))


def _ended(proof: CaseProof, against: AgainstSource | None, said: str) -> tuple[str, str] | None:
    """The code and sentence of a case that its evidence ends."""
    if against and against.differs:
        row = next(row for row in against.rows if row.standing is Standing.DIFFERS)
        return "differs-from-source", f"in state {row}; {row.detail}"
    if weight(proof) == CONTRARY:
        wrong = {result.state for result in proof.results if result.is_contrary}
        shared = bool(against and wrong <= against.agreeing)
        return "contrary-evidence", f"its proof shows that {said}{SHARED if shared else ''}"
    return None


def keep_proofs(files: Workspace, proofs: Iterable[CaseProof], earlier: Iterable[bytes] = ()) -> None:
    """Write every proof whole, log tails included, for people to read; ``earlier`` lines of other cases stay."""
    lines = {proof.case: json.dumps(proof.to_dict()).encode() + b"\n" for proof in proofs}
    with files.replacing(PROOFS) as stream:
        stream.writelines(line for line in earlier if _case_of(line) not in lines)
        stream.writelines(lines.values())


def _case_of(line: bytes) -> str:
    try:
        return str(json.loads(line)["case"])
    except (ValueError, KeyError, TypeError):
        return ""


def _demanded(options: Options, proofs: Proofs, sample: Mapping[str, Shape]) -> Proofs:
    missing = sorted({shape for shape, _ in sample.values()} - {shape for shape, _ in proofs.shapes})
    if options.require_proof and missing:
        raise Infrastructure(f"no proof of {', '.join(missing)}: {proofs.reason}; nothing was published")
    return proofs
