"""references/forgeries.md: every forgery and every hardening pattern, written from the code itself.

``python -m skill.forgeries_page`` writes the page anew; a test compares it with what is there.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from skill.contract import INFRA
from skill.forgeries import FAMILIES, NOT_PLANTABLE, Forgery, NotPlantable, all_forgeries
from skill.verifier.patterns import PATTERNS

PAGE = Path(__file__).resolve().parents[1] / "references" / "forgeries.md"
HEAD = """\
# Forgeries

Written by `python -m skill.forgeries_page` from the catalogue; do not edit.

- [How they are used](#how-they-are-used)
{contents}
- [Not planted](#not-planted)
- [Patterns](#patterns)

A forgery looks like a pass and holds nothing of the work. Each row is planted into a case's container as a candidate
would plant it, and the verifier has to judge it 1.

## How they are used

Four runs make a finding sound: the untouched workspace is judged 1, the solved one 0, the untouched one with the plant
**1**, the solved one with the plant's inert twin (the same files with harmless content) still **0**. The last shows a
verifier that is too strict. Forgeries of one *bundle* are planted together, and one by one only where the bundle is not
judged as it has to be.

A **gate** that is judged 0 speaks against the conversion. One that is *reported* judges the source's own tests, which a
conversion keeps. *1 or 2*: the same may come about without the candidate, so that infra is right as well.

Three ends for each case: *closed by test* (the verifier said 1), *open by the source's design* (a reported row passed),
*open by the runner*: tests, candidate and verifier share one container, and the candidate is root in it. It can replace
the shell that Margin itself calls, change or trace the verifier's process, and read what is staged. No test.sh can
prevent that; what it can do is make every cheap forgery fail.
"""
STANDING = {
    "runner": "open by the runner",
    "task": "depends on the task",
    "covered": "tried by another row",
}


def render() -> str:
    """The page."""
    titles = [_title(module) for module in FAMILIES]
    parts = [
        HEAD.format(contents="\n".join(f"- [{title.capitalize()}](#{title.replace(' ', '-')})" for title in titles))
    ]
    for module, title in zip(FAMILIES, titles, strict=True):
        rows = [row for row in all_forgeries() if row.plant.__module__ == module.__name__]
        parts.append(f"\n## {title.capitalize()}\n\n{(module.__doc__ or '').strip()}\n")
        parts += [f"\n### {entry(row)}" for row in rows]
    parts.append("\n## Not planted\n\n| code | name | what it is | why not | standing |\n|---|---|---|---|---|\n")
    parts += [_row(row) for row in NOT_PLANTABLE]
    parts.append(
        "\n## Patterns\n\nWhat every generated verifier carries stands in `.verdict/lib.sh`. These are added where "
        "the facts of a case\nallow it, and taken back by name where the proof shows that an honest candidate pays.\n"
    )
    for name, pattern in PATTERNS.items():
        first, *rest = (line.strip() for line in (pattern.__doc__ or "").strip().splitlines())
        parts.append(f"\n### {name}\n\n{first}\n\n{chr(10).join(rest).strip()}\n")
    return "".join(parts)


def entry(row: Forgery) -> str:
    """One forgery: code and name, what it needs, its sentence, who falls for it and what stops it."""
    kind = "gate" if row.is_gate else "reported"
    verdict = "1 or 2" if INFRA in row.verdicts else "1"
    head = f"{row.code} {row.name}\n\n**{kind}**, rank {row.rank}, bundle {row.bundle}, right verdict {verdict}; "
    head += f"needs {row.needs.sentence}. {row.sentence}\n"
    text = ""
    for line in row.page.splitlines():
        text += ("\n" if line.startswith(("Falls for it:", "Stopped by:")) or not text else "") + line + "\n"
    return head + text


def _title(module: ModuleType) -> str:
    return module.__name__.rsplit(".", 1)[-1].replace("_", " ")


def _row(row: NotPlantable) -> str:
    return f"| {row.code} | {row.name} | {row.sentence} | {row.reason} | {STANDING[row.standing]} |\n"


if __name__ == "__main__":
    PAGE.write_text(render())
