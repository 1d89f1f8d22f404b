"""Every conversion that was made wrong on purpose is caught, and the message leads to the line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from skill.evidence import CaseProof
from skill.finding import Severity
from skill.rules import check_evidence
from tests.docker.planted_faults import FAULTS, SOUND, Fault
from tools.depth import Depth
from tools.proof import prove
from tools.runners import open_runner
from tools.runners.base import Runner, Setup

pytestmark = pytest.mark.docker

DEEP = Depth(deep=True)
ALONE = [fault for fault in FAULTS if not fault.only_against_source]
BESIDE = [fault for fault in FAULTS if fault.only_against_source]


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    opened = open_runner("docker", Setup("planted"))
    yield opened
    opened.close()


def proof_of(fault: Fault, suite: Path, runner: Runner) -> CaseProof:
    case = fault.write(suite)
    (proof,) = prove(suite, [case.name], runner=runner, jobs=2, states=DEEP.states, follow=DEEP.follow)
    return proof


def test_the_sound_verifier_is_left_alone(tmp_path: Path, runner: Runner) -> None:
    proof = proof_of(Fault("sound", {}, "", ""), tmp_path, runner)
    assert [finding for finding in check_evidence(proof) if finding.severity is not Severity.NOTE] == []
    families = {result.state.partition(":")[0] for result in proof.results}
    assert families >= {"oracle", "null", "sabotage", "mutant", "forgery"}
    passed = {result.state for result in proof.results if result.is_survivor}
    assert passed.isdisjoint(fault.state for fault in FAULTS)


@pytest.mark.parametrize("fault", ALONE, ids=lambda fault: fault.name)
def test_a_fault_is_caught_where_it_is(fault: Fault, tmp_path: Path, runner: Runner) -> None:
    proof = proof_of(fault, tmp_path, runner)
    wrong = {result.state for result in proof.results if not result.holds}
    assert fault.state in wrong, [(result.state, result.exit_code) for result in proof.results]
    found = [finding for finding in check_evidence(proof) if finding.code == fault.code]
    assert found
    if fault.line:
        places = {(finding.path, finding.line) for finding in found}
        assert (f"cases/{fault.name}/tests/test.sh", fault.line) in places, [str(finding) for finding in found]


@pytest.mark.parametrize("fault", BESIDE, ids=lambda fault: fault.name)
def test_what_only_the_source_can_tell_shows_as_survivors(fault: Fault, tmp_path: Path, runner: Runner) -> None:
    proof = proof_of(fault, tmp_path, runner)
    assert proof.holds
    assert fault.state in {result.state for result in proof.results if result.is_survivor}


def test_the_table_changes_one_sound_script() -> None:
    assert len(FAULTS) >= 15
    assert len({fault.test for fault in FAULTS} | {SOUND}) == len(FAULTS) + 1
