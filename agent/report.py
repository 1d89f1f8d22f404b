"""The report of a run: report.json (schema in docs/report-schema.md), report.md, ledger.jsonl.

All three are derived from the journal, task by task, and hold no clock, no id and no path of this machine,
so that two runs over the same source give the same bytes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from agent.odd_row import SessionRow
from agent.outcome import Outcome, TaskResult
from agent.plan import Tally, books
from agent.run_folder import LEDGER, REPORT_JSON, REPORT_MD
from agent.take_back import TAKEN_BACK
from agent.text import cell, count, plain
from agent.weight import PARTLY, PROVED, weight
from skill.evidence import CaseProof
from skill.forgeries.standing import BY_RUNNER, standing
from skill.forgeries.standing import summary as forgeries_planted
from skill.ledger import Row
from skill.source_evidence import AgainstSource
from tools.workspace import Workspace

SCHEMA = "suite-converter/report/1"

Results = Iterator[TaskResult]


@dataclass(frozen=True)
class Facts:
    """What the report says besides the tasks."""

    tool: str
    framework: str
    name: str
    choices: Mapping[str, Any]
    skipped: tuple[tuple[str, str], ...]
    suite: Mapping[str, Any] | None  # name and number of cases; None when nothing was published
    proof_asked: str
    unproved: str  # why cases without a proof have none
    proofs: Mapping[str, CaseProof]
    proved_shapes: Mapping[tuple[str, str], int]
    against_source: Mapping[str, AgainstSource]
    images: list[dict[str, str]]  # what became of the names of images
    sessions: tuple[SessionRow, ...] = ()  # with a model, over odd verifiers


def summary(facts: Facts, counts: Tally, taken: int) -> dict[str, Any]:
    """The head of report.json: everything but the list of tasks."""
    weights = Counter(weight(proof) for proof in facts.proofs.values())
    proved, partly = weights[PROVED], weights[PARTLY]
    return {
        "schema": SCHEMA,
        "tool": facts.tool,
        "source": {"framework": facts.framework, "name": facts.name},
        "choices": dict(facts.choices),
        "suite": dict(facts.suite) if facts.suite else None,
        "books": books(counts, taken),
        "proof": {
            "asked": facts.proof_asked,
            "proved": proved,
            "partly": partly,
            "unproved": counts.outcomes[Outcome.CONVERTED] - proved - partly,
            "reason": facts.unproved,
        },
        "shapes": _shapes(facts, counts),
        "forgeries": forgeries_planted(facts.proofs.values()),
        "left": [
            {"outcome": outcome, "code": code, "tasks": number, "sample": counts.samples[outcome, code]}
            for (outcome, code), number in sorted(counts.codes.items())
        ],
        "images": facts.images,
        "sessions": [row.table() for row in facts.sessions],
        "skipped": [{"path": path, "reason": reason} for path, reason in facts.skipped],
    }


def write(files: Workspace, facts: Facts, head: Mapping[str, Any], results: Results, suite_row: Row | None) -> None:
    """Write the three files in one pass; one task is in memory at a time."""
    with (
        files.replacing(REPORT_JSON) as table,
        files.replacing(REPORT_MD) as page,
        files.replacing(LEDGER) as ledger,
    ):
        text = json.dumps(head, indent=1)
        table.write(text[: text.rindex("\n}")].encode() + b',\n "tasks": [')
        page.write(_page("\n".join(markdown_head(head))))
        if suite_row:
            ledger.write(_line({"case": "", **vars(suite_row)}))
        comma = b"\n"
        for result in results:
            proof = facts.proofs.get(result.name)
            beside = facts.against_source.get(result.name)
            table.write(comma + b"  " + json.dumps(task_table(result, proof, beside)).encode())
            page.write(_page(_markdown_row(result, proof)))
            for row in result.ledger if result.outcome is Outcome.CONVERTED else ():
                ledger.write(_line({"case": result.name, **vars(row)}))
            comma = b",\n"
        table.write(b"\n ]\n}\n")


def task_table(
    result: TaskResult, proof: CaseProof | None, against_source: AgainstSource | None = None
) -> dict[str, Any]:
    """One entry of report.json's list of tasks."""
    return {
        "id": result.id,
        "name": result.name,
        "outcome": result.outcome,
        "shape": result.shape,
        "form": result.form,
        "code": result.code,
        "sentence": result.sentence,
        "facts": list(result.facts),
        "findings": [vars(finding) for finding in result.findings],
        "proof": _proof_table(proof),
        "forgeries": found.to_dict() if proof and (found := standing(proof)) else None,
        "against_source": against_source.to_dict() if against_source else None,
    }


def markdown_head(head: Mapping[str, Any]) -> Iterator[str]:
    """report.md up to the table of tasks, line by line."""
    kept, source = head["books"], head["source"]
    yield f"# Conversion of {cell(source['name'])} ({source['framework']})"
    yield ""
    left = f"{kept['refused']} refused + {kept['failed']} failed"
    yield f"{kept['in']} tasks in = {kept['converted']} converted + {left}."
    yield ""
    proof = head["proof"]
    reason = f" ({cell(proof['reason'])})" if proof["unproved"] and proof["reason"] else ""
    yield f"Proved: {proof['proved']}. Partly: {proof['partly']}. **Unproved: {proof['unproved']}**{reason}."
    if not head["suite"]:
        yield "\nNo case was converted, so there is no suite."
    yield from _table("## Shapes", ("shape", "form", "cases", "proved"), head["shapes"])
    yield from _forgeries(head["forgeries"])
    columns = ("id", "model", "cases", "converted", "turns", "repairs", "ended", "usd", "detail")
    yield from _table("## Sessions", columns, head["sessions"])
    yield from _table("## Left out", ("outcome", "code", "tasks", "sample"), head["left"])
    yield from _table("## Images", ("name", "pinned", "by", "reason"), head["images"])
    yield from _table("## Not taken for a task", ("path", "reason"), head["skipped"])
    yield from ("", "## Tasks", "", "| task | case | outcome | shape or reason | proof |", "|---|---|---|---|---|")


def lines(head: Mapping[str, Any], output: str, run: str) -> Iterator[str]:
    """The summary that ends a run on a terminal."""
    kept = head["books"]
    yield (
        f"{count(kept['in'], 'task')}: {kept['converted']} converted, "
        f"{kept['refused']} refused, {kept['failed']} failed"
    )
    for row in head["left"]:
        yield f"  {row['outcome']:8} {row['code']} ({row['tasks']}): {plain(row['sample'])}"
    if sessions := head.get("sessions"):
        spent = sum((Decimal(row["usd"]) for row in sessions), Decimal(0))
        served, turns = sum(row["converted"] for row in sessions), sum(row["turns"] for row in sessions)
        held = f"{count(len(sessions), 'session')} with {plain(sessions[0]['model'])}"
        yield f"{held}: {count(served, 'case')}, {count(turns, 'turn')}, {spent:.2f} USD"
    proof = head["proof"]
    if kept["converted"]:
        reason = f" ({plain(proof['reason'])})" if proof["unproved"] and proof["reason"] else ""
        partly = f", partly {proof['partly']}" if proof["partly"] else ""
        yield f"proved {proof['proved']}{partly}, unproved {proof['unproved']}{reason}"
    yield from (f"image  {row['pinned'] or row['reason']}" for row in head["images"])
    yield f"suite  {output}" if head["suite"] else "no case was converted, so there is no suite"
    yield f"report {run}/{REPORT_MD}"


def _shapes(facts: Facts, counts: Tally) -> list[dict[str, Any]]:
    return [
        {"shape": shape, "form": form, "cases": number, "proved": facts.proved_shapes.get((shape, form), 0)}
        for (shape, form), number in sorted(counts.shapes.items())
    ]


def _proof_table(proof: CaseProof | None) -> dict[str, Any] | None:
    """A proof without what differs from run to run."""
    if proof is None:
        return None
    table = proof.to_dict()
    for result in table["results"]:
        result.pop("seconds", None)
        result.pop("log_tail", None)
    return {"weight": weight(proof), **table}


def _forgeries(rows: list[dict[str, Any]]) -> Iterator[str]:
    """What came of the forgeries that were planted, and what no verifier in the same container can stop."""
    yield from _table("## Forgeries planted", ("code", "closed", "infra", "open_by_source", "passing"), rows)
    if rows:
        yield f"\nOpen by the runner in every case, since the candidate is root beside it: {', '.join(BY_RUNNER)}."


def _table(title: str, columns: tuple[str, ...], rows: list[dict[str, Any]]) -> Iterator[str]:
    if not rows:
        return
    yield from ("", title, "", "| " + " | ".join(columns) + " |", "|" + "---|" * len(columns))
    for row in rows:
        yield "| " + " | ".join(cell(str(row[column])) for column in columns) + " |"


def _markdown_row(result: TaskResult, proof: CaseProof | None) -> str:
    if result.outcome is Outcome.CONVERTED:
        taken_back = [finding.message for finding in result.findings if finding.code == TAKEN_BACK]
        reason, state = "; ".join((result.shape, *taken_back)), weight(proof)
    else:
        reason, state = f"{result.code}: {result.sentence}", ""
    return f"| {cell(result.id)} | {result.name} | {result.outcome} | {cell(reason)} | {state} |"


def _page(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace") + b"\n"


def _line(row: Mapping[str, Any]) -> bytes:
    return json.dumps(row).encode() + b"\n"
