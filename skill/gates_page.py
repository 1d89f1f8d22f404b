"""references/gates.md: every rule beside the fact it rests on, written from the rules themselves.

``python -m skill.gates_page`` writes the page anew; a test compares it with what is there.
"""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path

from skill.finding import Rule
from skill.rules import FAMILIES, all_rules

PAGE = Path(__file__).resolve().parents[1] / "references" / "gates.md"
HEAD = """\
# Gates

Written by `python -m skill.gates_page` from the rules; do not edit.

A finding is `path:line: severity CODE message (fix: ...)`. An **error** keeps a case from being converted, a
**warning** is for a person to judge, a **note** is only said. *Basis* names the row of
[margin-contract.md](margin-contract.md) (M: the compiler rejects it, W: it compiles and goes wrong) or of
[decisions.md](decisions.md) (D) that a rule rests on.

"""


def render() -> str:
    """The page."""
    families = {id(rule): family.family for family in FAMILIES for rule in family.rules}
    parts, contents = [], []
    for name, rules in groupby(all_rules(), key=lambda rule: families[id(rule)]):
        own = list(rules)
        title = f"{name} ({own[0].code} to {own[-1].code})"
        contents.append(f"- [{title}](#{anchor(title)})\n")
        parts.append(f"\n## {title}\n")
        parts += [_entry(rule) for rule in own]
    return "".join([HEAD, *contents, *parts])


def anchor(title: str) -> str:
    """The part of a link that leads to a heading."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def _entry(rule: Rule[object]) -> str:
    """One rule: its code and name, its sentence, why it matters and what would be right."""
    head = f"\n### {rule.code} {rule.name}\n\n**{rule.severity.value}**, basis {rule.basis}. {rule.sentence}\n"
    page, lines = "", rule.page.splitlines()
    for line in lines:
        page += ("\n" if line.startswith(("Example:", "Right:")) or not page else "") + line + "\n"
    return head + page


if __name__ == "__main__":
    PAGE.write_text(render())
