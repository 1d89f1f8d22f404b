"""Rules that find what a case's verifier lost of the source's tests: SC820 to SC833."""

from __future__ import annotations

from collections.abc import Iterator

from skill.comparison import Comparison
from skill.contract import TEST_SCRIPT
from skill.ledger import is_by_session
from skill.loss import Kind
from skill.rules.base import Defect, Family

WEAKENING: Family[Comparison] = Family("fidelity")


@WEAKENING.defect("SC820", "test-file-lost", basis="D4")
def test_file_lost(pair: Comparison) -> Iterator[Defect]:
    """A file of the source's tests is not in the case.

    Whatever it checks, or is compared with, is checked no more.
    Right: a byte copy at the same path below tests/.
    """
    return _of(pair, Kind.FILE, "copy it from the source")


@WEAKENING.defect("SC821", "test-function-lost", basis="D4")
def test_function_lost(pair: Comparison) -> Iterator[Defect]:
    """A test of the source is gone, skipped or allowed to fail.

    Right: the source's test file as it is; what has to change belongs into tests/test.sh.
    """
    return _of(pair, Kind.TEST, "restore the source's test")


@WEAKENING.defect("SC822", "assertion-lost", basis="D4")
def assertion_lost(pair: Comparison) -> Iterator[Defect]:
    """An assertion of the source's tests is gone or says less.

    Candidates pass that the source fails.
    Right: the source's assertion, word for word.
    """
    return _of(pair, Kind.ASSERTION, "restore the source's assertion")


@WEAKENING.defect("SC823", "parametrisation-changed", basis="D4")
def parametrisation_changed(pair: Comparison) -> Iterator[Defect]:
    """A test is tried with other parameters than in the source.

    Right: every parameter of the source, and no other.
    """
    return _of(pair, Kind.PARAMETERS, "restore the source's parameters")


@WEAKENING.defect("SC824", "expected-value-changed", basis="D4")
def expected_value_changed(pair: Comparison) -> Iterator[Defect]:
    """A value that results are compared with is not the source's.

    A path below /tests may name the case's own staging place instead, and nothing else: what is read from the
    workspace is the candidate's to choose.
    Right: the source's value.
    """
    return _of(pair, Kind.EXPECTED, "restore the source's value")


@WEAKENING.defect("SC825", "fixture-changed", basis="D4")
def fixture_changed(pair: Comparison) -> Iterator[Defect]:
    """What prepares the source's tests was changed.

    Fixtures and set-up code decide what is tested.
    Right: the source's file.
    """
    return _of(pair, Kind.FIXTURE, "restore the source's fixture")


@WEAKENING.defect("SC826", "test-code-changed", basis="D4")
def test_code_changed(pair: Comparison) -> Iterator[Defect]:
    """Code of the source's tests was changed, added or removed.

    Layout, comments and the place of the staged tests may differ; nothing else.
    Right: the source's code; work around it in tests/test.sh.
    """
    return _of(pair, Kind.CODE, "copy the source's file")


@WEAKENING.defect("SC827", "test-data-changed", basis="D4")
def test_data_changed(pair: Comparison) -> Iterator[Defect]:
    """A data file of the source's tests has other bytes in the case.

    Right: a byte copy.
    """
    return _of(pair, Kind.DATA, "copy the source's file")


@WEAKENING.defect("SC828", "runner-configuration-added", basis="D4")
def runner_configuration_added(pair: Comparison) -> Iterator[Defect]:
    """A file that steers a test runner lies among the tests, and the source has none there.

    A conftest.py or a configuration can leave out, skip or replace tests.
    Right: options on the command line in tests/test.sh; where there must be a file, one that tests/test.sh writes to
    $PRIVATE and names with `-c`.
    """
    return _of(pair, Kind.STEERING, "remove it; write an ini to $PRIVATE in tests/test.sh and name it with -c")


@WEAKENING.defect("SC829", "source-test-not-run", basis="D4")
def source_test_not_run(pair: Comparison) -> Iterator[Defect]:
    """Something that the source's test.sh runs is not run by the case's.

    A copy that nobody starts checks nothing.
    Right: run tests/source-test.sh, or every test file, here-document and runner that the source's script runs.
    """
    return _of(pair, Kind.UNRUN, "run it, or run tests/source-test.sh which does")


@WEAKENING.defect("SC830", "tests-left-out", basis="D4")
def tests_left_out(pair: Comparison) -> Iterator[Defect]:
    """The runner is told to leave out tests that the source runs.

    Right: the options of the source's own call.
    """
    return _of(pair, Kind.NARROWED, "remove the option")


@WEAKENING.defect("SC831", "pass-without-check", basis="D17")
def pass_without_check(pair: Comparison) -> Iterator[Defect]:
    """tests/test.sh may give a pass before the source's check ran, or whatever it said.

    A pass needs complete, fresh, positive evidence.
    Example: a trap that passes, or `python3 grade.py; pass done`
    Right: run the check, look at its status or report, and pass only in the branch where it is good.
    """
    return _of(pair, Kind.EARLY, "pass only after the check, in a branch that depends on its outcome")


@WEAKENING.defect("SC832", "frame-changed", basis="D4")
def frame_changed(pair: Comparison) -> Iterator[Defect]:
    """tests/test.sh of a session is not written between its two marks, or something outside of them was changed.

    What stands outside differs from case to case and is a program's: the limit, the hash of the list of files, the
    source's variables and working directory. That is what lets one verifier serve all cases of its shape.
    Right: the frame as it was drafted; everything else between the marks.
    """
    script = pair.case.script
    if script is None or not any(is_by_session(row) for row in pair.rows):
        return
    from skill.skeleton import UNWRITTEN, frame_fault  # loaded only when a session's verifier is looked at

    if fault := frame_fault(script):
        remedy = "write it between the marks" if UNWRITTEN.encode() in script else "restore what stood around the marks"
        yield Defect(f"{pair.case.path}/{TEST_SCRIPT}", 0, fault, remedy)


@WEAKENING.defect("SC833", "verdict-rewired", basis="D17")
def verdict_rewired(pair: Comparison) -> Iterator[Defect]:
    """A session's verifier redefines, sets or routes around what gives its verdict.

    The library's functions and variables, the staged files and the reward files are what gates and proof rely on.
    Example: `STATUS=0`, `fail() { pass; }`, `echo 1 > /logs/verifier/reward.txt`, `eval "$command"`
    Right: literal commands, names of your own, results in "$PRIVATE".
    """
    return _of(pair, Kind.REWIRED, "say it in literal commands, with names of your own")


def _of(pair: Comparison, kind: Kind, fix: str) -> Iterator[Defect]:
    """The losses of one kind."""
    for loss in pair.losses:
        if loss.kind is kind:
            yield Defect(f"{pair.case.path}/tests/{loss.path}", loss.line, loss.message, fix)
