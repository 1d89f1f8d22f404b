"""A record as a source task: bytes where they belong, and nothing of a field anywhere else."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from skill.draft import CaseDraft, Choices, draft
from tests.support.harbor_tasks import codes, sentence
from tests.support.recipes import FILES, RECIPE, ROW, contents, described, put_rows, tasks


def test_where_the_fields_go(tmp_path: Path) -> None:
    (task,) = tasks(tmp_path, [ROW])
    assert not task.refusals
    assert task.prompt is not None
    assert task.prompt.read() == b"How many boats lie at the quay?"
    assert json.loads(contents(task, "tests")["data.json"]) == {"answer": "seven"}
    assert contents(task, "tests")["check.py"] == FILES["check.py"].encode()
    assert contents(task, "environment").keys() == {"Dockerfile"}
    assert task.metadata == {"source_record": "rows.jsonl:1"}
    assert (task.workdir, task.timeout_sec) == ("/app", 60.0)


BAD = [
    ({"id": "a", "answer": "x"}, "rows.jsonl:1 has no field 'question'"),
    ({"id": "a", "question": "q"}, "rows.jsonl:1 has no field 'answer'"),
    ({**ROW, "question": ["q"]}, "is no text; a template takes texts and numbers"),
    ({**ROW, "question": None}, "None is no text"),
    ("[1, 2]", "rows.jsonl:1 is no record but list"),
    ("{", "rows.jsonl:1 is no JSON"),
    ('{"id": NaN}', "NaN is no number of JSON"),
]


@pytest.mark.parametrize(("row", "said"), BAD)
def test_a_record_that_is_no_task_is_refused_with_its_place(row: Any, said: str, tmp_path: Path) -> None:
    bad, good = tasks(tmp_path, [row, ROW])
    assert codes(bad) == {"bad-record"}
    assert said in sentence(bad, "bad-record")
    assert not good.refusals


def test_a_blank_prompt(tmp_path: Path) -> None:
    (task,) = tasks(tmp_path, [{**ROW, "question": " \n"}])
    assert codes(task) == {"empty-prompt"}


def test_a_field_that_nobody_spoke_of(tmp_path: Path) -> None:
    (task,) = tasks(tmp_path, [{**ROW, "hint": "north"}])
    assert codes(task) == {"unlisted-field"}
    listed = RECIPE + '\n[fields]\nunused = ["hint"]\n'
    (task,) = tasks(tmp_path / "listed", [{**ROW, "hint": "north"}], listed)
    assert not task.refusals


def test_a_prompt_that_holds_the_whole_answer(tmp_path: Path) -> None:
    answer = "the seventh boat from the left"
    (near,) = tasks(tmp_path / "near", [{**ROW, "answer": answer}])
    (hit,) = tasks(tmp_path / "hit", [{**ROW, "answer": answer, "question": f"Is it {answer}?"}])
    assert not near.refusals
    assert codes(hit) == {"answer-in-prompt"}


def test_a_prompt_that_holds_an_answer_from_below_another_field(tmp_path: Path) -> None:
    text = RECIPE.replace('data = ["answer"]', 'data = ["key.whole"]')
    answer = "the seventh boat from the left"
    row = {"id": "quay", "key": {"whole": answer}}
    (near,) = tasks(tmp_path / "near", [{**row, "question": "Which boat is it?"}], text)
    (hit,) = tasks(tmp_path / "hit", [{**row, "question": f"Is it {answer}?"}], text)
    assert not near.refusals
    assert codes(hit) == {"answer-in-prompt"}


def test_skipped_records_are_told_with_their_reason(tmp_path: Path) -> None:
    text = RECIPE + '\n[[skip]]\nfield = "gpu"\nequals = true\nreason = "needs a GPU"\n'
    source = described(tmp_path, text)
    rows = [ROW, {**ROW, "gpu": True}, {**ROW, "gpu": False}, {**ROW, "gpu": 1}]
    found = source.inventory(put_rows(tmp_path / "source", rows))
    assert [ref.id for ref in found.tasks] == ["rows.jsonl:1", "rows.jsonl:3", "rows.jsonl:4"]
    assert [(skip.path, skip.reason) for skip in found.skipped] == [("rows.jsonl:2", "needs a GPU")]


@pytest.mark.parametrize("image", ["debian:12; rm -rf /", "a\nRUN x", "../x", "", "$(x)", "debian:12 AS x"])
def test_only_a_plain_word_gets_into_a_dockerfile(image: str, tmp_path: Path) -> None:
    text = RECIPE.replace('dockerfile = "Dockerfile"', 'image = "{{ image }}"')
    (task,) = tasks(tmp_path, [{**ROW, "image": image}], text)
    assert codes(task) == {"bad-record"}


def test_an_image_of_the_record(tmp_path: Path) -> None:
    text = RECIPE.replace('dockerfile = "Dockerfile"', 'image = "{{ image }}"')
    (task,) = tasks(tmp_path, [{**ROW, "image": "registry.example/quay:1.2"}], text)
    assert task.image == "registry.example/quay:1.2"


FOLDERS = """
schema = "suite-converter/recipe/1"
name = "tides"

[rows]
format = "folders"
files = ["*"]
read = { question = "README.md" }

[case]
prompt = "{{ question }}"
agent_cwd = "/app"

[environment]
dockerfile = "Dockerfile"

[verifier]
run = "python3 -m pytest /tests/hidden"
files = [{ path = "hidden", from = "hidden" }]
"""


def test_folders(tmp_path: Path) -> None:
    source = described(tmp_path, FOLDERS)
    for name in ("ebb", "flood"):
        (tmp_path / "source" / name / "hidden").mkdir(parents=True)
        (tmp_path / "source" / name / "README.md").write_text(f"Tell the {name}.\n")
        (tmp_path / "source" / name / "hidden" / "test_tide.py").write_text("pass\n")
    found = source.inventory(tmp_path / "source")
    assert [ref.name for ref in found.tasks] == ["ebb", "flood"]
    task = source.load(found.tasks[0])
    assert contents(task, "tests").keys() == {"hidden/test_tide.py", "test.sh"}


def test_a_link_that_leaves_the_folder_is_refused(tmp_path: Path) -> None:
    source = described(tmp_path, FOLDERS)
    (tmp_path / "source" / "ebb").mkdir(parents=True)
    (tmp_path / "source" / "ebb" / "README.md").write_text("Tell the tide.\n")
    (tmp_path / "source" / "ebb" / "hidden").symlink_to("/etc")
    task = source.load(source.inventory(tmp_path / "source").tasks[0])
    assert codes(task) <= {"link-escape", "bad-record"}
    assert codes(task)


NASTY = [
    "$(touch /x)", "`x`", '"; exit 0 #', "'''", '"""', "\0", "]\n[metadata]\nx=1", "{{ answer }}", "\ud800", "../../x",
    "a\r\nb",
]  # fmt: skip
FIELD = st.one_of(st.text(st.characters(codec=None), max_size=40), st.sampled_from(NASTY))
SCRIPTS = ("tests/source-test.sh", "tests/check.py", "env/Dockerfile", "oracle/solve.sh", "oracle/solution/solve.sh")


@given(question=FIELD, answer=FIELD, name=FIELD)
@settings(max_examples=60, deadline=None)
def test_no_field_changes_the_structure_of_an_output(
    question: str, answer: str, name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("property")
    plain = _drafted(root / "plain", ROW)
    made = _drafted(root / "any", {"id": name, "question": question, "answer": answer})
    assume(made)
    assert [made[path] for path in SCRIPTS] == [plain[path] for path in SCRIPTS]
    assert json.loads(made["tests/data.json"]) == {"answer": answer}
    assert made["prompt.md"] == question.encode("utf-8", "surrogatepass")
    config, other = (tomllib.loads(files["case.toml"].decode()) for files in (made, plain))
    assert config.keys() == other.keys()
    assert config["metadata"].keys() == other["metadata"].keys()


def _drafted(root: Path, row: dict[str, str]) -> dict[str, bytes]:
    """The drafted files; none when the record is refused."""
    (task,) = tasks(root, [row])
    made = draft(task, "case", Choices()) if not task.refusals else None
    return {file.path: file.data or b"" for file in made.files} if isinstance(made, CaseDraft) else {}
