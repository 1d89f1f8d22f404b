"""The skill document that is shipped: valid, short, complete, and true to the program it describes."""

from __future__ import annotations

import ast
import contextlib
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.cli import parser
from skill.manifest import Manifest, load
from skill.pins import CODES
from skill.rules import all_rules
from skill.sources.harbor.fields import FIELDS
from skill.sources.terminal_bench.fields import FIELDS as TERMINAL_BENCH_FIELDS
from skill.sources.terminal_bench.fields import PARSERS
from tests.support import rewriting_page

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted((ROOT / "references").glob("*.md"))
DOCUMENTS = [ROOT / "SKILL.md", *PAGES]
REFUSING = {"Odd", "Refusal", "Refused", "cannot", "refuse"}
OF_MARGIN = {
    *("--suite", "--agent-config", "--eval", "--output", "--non-interactive"),
    *("--oracle-run", "--dry-run", "--prune-built-image", "--agent-env"),
}
OF_OTHERS = {"--mount", "--no-tests"}  # BuildKit's and ctest's
CODE = re.compile(r"\bSC\d{3}\b")
COMMAND = re.compile(r"^suite-converter .*", re.MULTILINE)
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
LINK = re.compile(r"\]\(([^)\s]+)\)")


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.fixture(scope="module")
def manifest() -> Manifest:
    return load(ROOT)


def headings(path: Path) -> set[str]:
    """The anchors of a page as GitHub makes them, code blocks left aside."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_the_document_is_valid_and_links_every_page(manifest: Manifest) -> None:
    assert manifest.name == "suite-converter"
    assert [note for note in manifest.notes if "references/" in note] == []
    assert {f"references/{page.name}" for page in PAGES} == set(manifest.references)


def test_the_document_is_short_enough_to_be_in_every_request() -> None:
    assert len((ROOT / "SKILL.md").read_text().splitlines()) < 500


def test_references_lie_one_level_deep() -> None:
    assert [path for path in (ROOT / "references").rglob("*") if path.is_dir()] == []


@pytest.mark.parametrize("page", DOCUMENTS, ids=relative)
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text()):
        file, _, anchor = target.partition("#")
        found = page.parent / file if file else page
        assert found.is_file(), target
        assert not anchor or anchor in headings(found), target


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_a_long_page_begins_with_its_contents(page: Path) -> None:
    lines = page.read_text().splitlines()
    entries = [line for line in lines[:40] if re.match(r"\s*- \[.+\]\(#.+\)", line)]
    assert len(lines) <= 100 or len(entries) >= 3


@pytest.mark.parametrize("page", DOCUMENTS, ids=relative)
def test_every_rule_that_is_named_exists(page: Path) -> None:
    assert set(CODE.findall(page.read_text())) <= {rule.code for rule in all_rules()}


@pytest.mark.parametrize("line", COMMAND.findall((ROOT / "SKILL.md").read_text()))
def test_every_command_shown_is_accepted(line: str) -> None:
    parser().parse_args(shlex.split(line, comments=True)[1:])


@pytest.mark.parametrize("page", DOCUMENTS, ids=relative)
def test_every_flag_named_in_prose_exists(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("convert", "check", "prove", "pin", "resume", "report", "rules", "gc"):
        with contextlib.suppress(SystemExit):
            parser().parse_args([command, "--help"])
    known = set(FLAG.findall(capsys.readouterr().out)) | OF_MARGIN | OF_OTHERS
    spans = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE))
    ours = [span for span in spans if span.startswith(("--", "suite-converter", "margin "))]
    assert {flag for span in ours for flag in FLAG.findall(span)} <= known


@pytest.mark.parametrize("page", DOCUMENTS, ids=relative)
def test_no_link_leads_outside_the_skill(page: Path) -> None:
    targets = LINK.findall(page.read_text())
    assert [target for target in targets if ":" in target or target.startswith(("/", ".."))] == []


def test_every_refusal_code_is_on_its_page_and_none_besides() -> None:
    page = (ROOT / "references" / "refusals.md").read_text()
    assert set(re.findall(r"^\| `([a-z-]+)` \|", page, re.MULTILINE)) == set(refusal_codes()) | set(CODES)


def refusal_codes() -> Iterator[str]:
    """Every code that stands as a text in a call that refuses."""
    for path in (ROOT / "skill").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and node.args and called(node.func) in REFUSING:
                yield from chosen(node.args[0])


def called(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def chosen(code: ast.expr) -> Iterator[str]:
    if isinstance(code, ast.IfExp):
        yield from (*chosen(code.body), *chosen(code.orelse))
    elif isinstance(code, ast.Constant) and re.fullmatch("[a-z-]+", str(code.value)):
        yield code.value


def test_the_rewriting_page_shows_what_the_code_generates() -> None:
    text = rewriting_page.PAGE.read_text()
    assert len(rewriting_page.pairs(text)) >= 12
    assert rewriting_page.filled(text) == text, "write it anew: python -m tests.support.rewriting_page"


def test_the_library_has_every_word_the_rewriting_page_explains() -> None:
    section = re.search(r"^\| call \|.*?\n\n", rewriting_page.PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert section
    words = {
        word for cell in re.findall(r"^\| (`.+?) \|", section[0], re.MULTILINE) for word in re.findall(r"`(\w+)", cell)
    }
    library = "".join((ROOT / "skill" / "verifier" / name).read_text() for name in ("lib.sh", "parsers.sh"))
    assert words <= set(re.findall(r"^(\w+)\(\) ", library, re.MULTILINE))


def test_every_field_of_terminal_bench_is_on_its_page() -> None:
    spans = re.findall(r"`([^`\n]+)`", (ROOT / "references" / "terminal-bench-mapping.md").read_text())
    assert TERMINAL_BENCH_FIELDS.keys() | set(PARSERS) <= set(spans)


def test_every_field_of_harbor_is_on_its_page() -> None:
    spans = re.findall(r"`([^`\n]+)`", (ROOT / "references" / "harbor-mapping.md").read_text())
    named = set(re.findall(r"\w+", " ".join(spans)))
    keys = {key for fields in FIELDS.values() for key in fields} - set(FIELDS)
    assert keys <= named
