"""The real compiler rejects exactly the suites about which a rule says that the compiler would."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from skill.finding import Finding
from skill.rules import all_rules
from skill.rules.base import is_compile_error
from tests.skill.rules import (
    test_case_rules,
    test_image_rules,
    test_packing_rules,
    test_suite_rules,
    test_verifier_rules,
)
from tests.support.compiler import Compiler
from tests.support.suites import CASE, Edit, findings, write_suite

pytestmark = [
    pytest.mark.margin,
    pytest.mark.skipif(shutil.which("margin") is None, reason="the margin CLI is not on PATH"),
]

TABLES = (
    test_suite_rules.CASES,
    test_case_rules.CASES,
    test_packing_rules.CASES,
    test_image_rules.IMAGES,
    test_image_rules.FOLDERS,
    test_image_rules.PROMPTS,
    test_image_rules.ORACLES,
    test_verifier_rules.FILE,
)
NOT_READ = ("SC202", "SC216")  # what lies outside the suite is refused unread, whatever the compiler makes of it
ROWS = [
    (f"{code}-{number}", edits)
    for table in TABLES
    for number, (code, edits, _) in enumerate(table)
    if code not in NOT_READ
]
COMPILED = {rule.code for rule in all_rules() if is_compile_error(rule.basis, rule.severity)}


@pytest.fixture(scope="module")
def compiler(tmp_path_factory: pytest.TempPathFactory) -> Compiler:
    return Compiler(tmp_path_factory.mktemp("compiler"))


def claims(root: Path) -> list[Finding]:
    """The findings that say: the compiler rejects this."""
    return [finding for finding in findings(root) if finding.code in COMPILED]


def complaint(compiler: Compiler, root: Path) -> str:
    """What the compiler says; an oracle run is asked as well where the suite could have one (row M24)."""
    said = compiler.complaint(root)
    return said or (compiler.complaint(root, oracle=True) if (root / CASE / "oracle").is_dir() else "")


@pytest.mark.parametrize(("name", "edits"), ROWS, ids=[name for name, _ in ROWS])
def test_compiler_and_rules_agree(tmp_path: Path, compiler: Compiler, name: str, edits: list[Edit]) -> None:
    root = write_suite(tmp_path / "suite", *edits)
    said, claimed = complaint(compiler, root), claims(root)
    assert bool(said) == bool(claimed), f"margin: {said or 'compiles'}; rules: {[str(c) for c in claimed]}"
