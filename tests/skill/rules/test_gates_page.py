"""Every rule is documented beside its code, and the page of gates is current."""

from __future__ import annotations

import re

import pytest

from skill.finding import Rule
from skill.gates_page import PAGE, render
from skill.rules import all_rules

RULES = all_rules()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_every_rule_says_what_is_wrong_and_what_would_be_right(rule: Rule[object]) -> None:
    assert rule.sentence.endswith(".")
    assert "Right:" in rule.page
    assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)+", rule.name)
    assert re.fullmatch(r"SC[1-9]\d\d", rule.code)
    assert rule.check.__name__ == rule.name.replace("-", "_")


def test_codes_and_names_are_unique() -> None:
    assert len({rule.code for rule in RULES}) == len({rule.name for rule in RULES}) == len(RULES)


def test_the_page_is_current() -> None:
    assert PAGE.read_text() == render(), "run python -m skill.gates_page"
