"""One source task becomes the files of one case: bytes, ledger, config, refusals."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from skill.draft import CaseDraft, Choices, Refused, draft
from skill.image_facts import ImageFacts
from skill.ledger import Action, digest
from skill.pins import Pin
from tests.support.harbor_tasks import load, make_task

TXT = "/logs/verifier/reward.txt"
TAIL = f"if [ $? -eq 0 ]; then echo 1 > {TXT}; else echo 0 > {TXT}; fi\n"
TESTS: dict[str, str | bytes | None] = {
    "tests/test.sh": f"#!/bin/bash\npython3 /tests/check.py\n{TAIL}",
    "tests/check.py": "assert open('/app/tides').read()\n",
}
ALL: dict[str, str | bytes | None] = {
    **TESTS,
    "instruction.md": b"\xef\xbb\xbf# Tides\r\n\r\nSort them.\xff",
    "environment/data/tides.bin": bytes(range(256)),
    "environment/start.sh": "#!/bin/sh\n",
    "tests/deep/a b.txt": "x\r\n",
    "solution/solve.sh": "#!/bin/bash\ncp /solution/tides /app/tides\n",
    "solution/tides": "high\n",
}


def drafted(
    root: Path,
    files: dict[str, str | bytes | None] | None = None,
    choices: Choices | None = None,
    *,
    toml: str | None = None,
) -> CaseDraft | Refused:
    made = make_task(root, TESTS | (files or {}), **({"toml": toml} if toml is not None else {}))
    return draft(load(made), "tides", choices or Choices())


def case(*arguments: object, **keywords: object) -> CaseDraft:
    found = drafted(*arguments, **keywords)  # type: ignore[arg-type]
    assert isinstance(found, CaseDraft), found
    return found


def contents(found: CaseDraft) -> dict[str, bytes]:
    return {
        file.path: file.data if file.data is not None else (file.copy_of or Path()).read_bytes() for file in found.files
    }


def test_every_file_of_the_source_has_its_place(tmp_path: Path) -> None:
    found = case(tmp_path, ALL)
    assert [file.path for file in found.files] == [
        "case.toml",
        "env/Dockerfile",
        "env/data/tides.bin",
        "env/start.sh",
        "oracle/solution/solve.sh",
        "oracle/solution/tides",
        "oracle/solve.sh",
        "prompt.md",
        "tests/.verdict/completion.py",
        "tests/.verdict/lib.sh",
        "tests/.verdict/manifest.sha256",
        "tests/check.py",
        "tests/deep/a b.txt",
        "tests/source-test.sh",
        "tests/test.sh",
    ]


def test_copies_are_byte_for_byte(tmp_path: Path) -> None:
    held = contents(case(tmp_path, ALL))
    places = {
        "prompt.md": "instruction.md",
        "env/Dockerfile": "environment/Dockerfile",
        "env/data/tides.bin": "environment/data/tides.bin",
        "oracle/solution/solve.sh": "solution/solve.sh",
        "tests/check.py": "tests/check.py",
        "tests/deep/a b.txt": "tests/deep/a b.txt",
    }
    assert {path: held[path] for path in places} == {
        path: (tmp_path / source).read_bytes() for path, source in places.items()
    }


def test_each_file_has_one_true_row(tmp_path: Path) -> None:
    found = case(tmp_path, ALL | {"environment/Dockerfile": "\ufeffFROM debian:12\nWORKDIR /app\n"})
    held, modes = contents(found), {file.path: file.mode for file in found.files}
    assert [row.path for row in found.ledger] == sorted(held)
    for row in found.ledger:
        assert (row.sha256, row.mode) == (digest(held[row.path]), modes[row.path])
        if row.action is Action.COPIED:
            assert (tmp_path / row.source).read_bytes() == held[row.path] and not row.by
        elif row.action is Action.REWRITTEN:
            before = (tmp_path / row.source).read_bytes()
            assert digest(before) == row.source_sha256 and before != held[row.path] and row.by
        else:
            assert row.by and not row.source
    actions = {row.path: row.action for row in found.ledger}
    assert actions["env/Dockerfile"] is Action.REWRITTEN
    assert actions["tests/source-test.sh"] is Action.REWRITTEN
    assert actions["prompt.md"] is Action.COPIED


def test_a_wrapped_script_is_a_copy(tmp_path: Path) -> None:
    grader = f"open('{TXT}', 'w').write('1')\n"
    found = case(tmp_path, {"tests/test.sh": "#!/bin/bash\npython3 /tests/check.py\n", "tests/check.py": grader})
    row = next(row for row in found.ledger if row.path == "tests/source-test.sh")
    assert (found.form, row.action, row.source) == ("wrapped", Action.COPIED, "tests/test.sh")


MODES = [
    ("tests/test.sh", 0o755),
    ("tests/source-test.sh", 0o755),
    ("tests/.verdict/lib.sh", 0o755),
    ("tests/.verdict/manifest.sha256", 0o644),
    ("tests/check.py", 0o644),
    ("env/start.sh", 0o755),
    ("oracle/solve.sh", 0o755),
    ("oracle/solution/solve.sh", 0o755),
    ("oracle/solution/tides", 0o644),
    ("case.toml", 0o644),
]


@pytest.mark.parametrize(("path", "mode"), MODES)
def test_modes(path: str, mode: int, tmp_path: Path) -> None:
    assert {file.path: file.mode for file in case(tmp_path, ALL).files}[path] == mode


def test_the_config(tmp_path: Path) -> None:
    config = tomllib.loads(contents(case(tmp_path))["case.toml"].decode())
    assert config.pop("metadata")["difficulty"] == "easy"
    assert config == {
        "kind": "test_case",
        "name": "tides",
        "description": "Put the tide table in order.",
        "agent_cwd": "/app",
        "test_cwd": "/",
        "test_timeout_seconds": 60,
    }


TIMEOUTS = [
    ("", 1800),
    ("timeout_sec = 600.0", 600),
    ("timeout_sec = 600", 600),
    ("timeout_sec = 1.5", 2),
    ("timeout_sec = 0.2", 1),
]


@pytest.mark.parametrize(("line", "seconds"), TIMEOUTS)
def test_time_outs(line: str, seconds: int, tmp_path: Path) -> None:
    held = contents(case(tmp_path, toml=f"[verifier]\n{line}\n"))
    assert tomllib.loads(held["case.toml"].decode())["test_timeout_seconds"] == seconds
    assert f"begin {seconds} ".encode() in held["tests/test.sh"]


@pytest.mark.parametrize("order", [list(ALL), sorted(ALL), sorted(ALL, reverse=True)])
def test_the_same_task_gives_the_same_bytes(order: list[str], tmp_path: Path) -> None:
    one, other = case(tmp_path / "one", ALL), case(tmp_path / "other", {path: ALL[path] for path in order})
    assert contents(one) == contents(other)
    assert (one.ledger, one.findings, one.shape) == (other.ledger, other.findings, other.shape)


REFUSED = [
    ({"tests/test.sh": "#!/bin/bash\npytest\n"}, "", Choices(), "no-reward"),
    ({"environment/Dockerfile": "FROM other:1\n", "solution/solve.sh": "cd /task\n"}, "", Choices(), "workdir-unknown"),
    ({}, '[environment]\ndocker_image = "tides:1"\n', Choices(), "image-choice"),
    ({"environment/Dockerfile": "FROM debian:12\nWORKDIR /app\nUSER tide\n"}, "", Choices(), "user-not-root"),
    ({}, '[agent]\nuser = "tide"\n', Choices(), "phase-user"),
    ({}, "[verifier]\nuser = 1000\n", Choices(), "phase-user"),
    ({}, '[verifier.env]\n"A; exit 0; B" = "x"\n', Choices(), "env-name"),
    ({}, '[solution.env]\n"A B" = "x"\n', Choices(), "env-name"),
    ({}, '[environment.env]\n"A\\nRUN x" = "x"\n', Choices(), "env-name"),
]


@pytest.mark.parametrize(("files", "toml", "choices", "code"), REFUSED)
def test_refused(files: dict[str, str | bytes | None], toml: str, choices: Choices, code: str, tmp_path: Path) -> None:
    found = drafted(tmp_path, files, choices, toml=toml)
    assert isinstance(found, Refused)
    assert found.code == code and found.sentence


def test_a_degraded_form_on_request(tmp_path: Path) -> None:
    files: dict[str, str | bytes | None] = {"environment/Dockerfile": "FROM debian:12\nWORKDIR /app\nUSER tide\n"}
    refused = drafted(tmp_path, files)
    assert isinstance(refused, Refused) and "--allow user-not-root" in refused.sentence
    found = case(tmp_path, files, Choices(allow=frozenset({"user-not-root"})))
    assert contents(found)["env/Dockerfile"].endswith(b"\nUSER root\n")
    (line,) = [finding.message for finding in found.findings if finding.code == "S405"]
    assert line == "user-not-root was allowed: " + refused.sentence.partition(" (--allow")[0]


def test_what_was_allowed_in_vain_is_not_reported(tmp_path: Path) -> None:
    found = case(tmp_path, {}, Choices(allow=frozenset({"user-not-root", "phase-user"})))
    assert "S405" not in {finding.code for finding in found.findings}


def test_of_a_kept_image_that_was_looked_into_the_image_tells(tmp_path: Path) -> None:
    files: dict[str, str | bytes | None] = {"environment/Dockerfile": "FROM debian:12\nWORKDIR /app\nUSER tide\n"}
    toml, pinned = '[environment]\ndocker_image = "tides:1"\n', f"tides:1@sha256:{'0' * 64}"
    kept = Choices(image="keep", pins={"tides:1": Pin("tides:1", pinned, "registry")})
    unseen = drafted(tmp_path, files, kept, toml=toml)
    assert isinstance(unseen, Refused) and unseen.code == "user-not-root"
    for user, code in (("", None), ("tide", "user-not-root")):
        facts = ImageFacts("tides:1", "sha256:1", "linux/amd64", "/srv", user)
        found = drafted(tmp_path, files, replace(kept, images={"tides:1": facts}), toml=toml)
        assert (found.code if isinstance(found, Refused) else None) == code


def test_the_working_directory_and_its_evidence_are_reported(tmp_path: Path) -> None:
    notes = [finding.message for finding in case(tmp_path).findings if finding.code == "S403"]
    assert notes == ["working directory /app: final WORKDIR of the Dockerfile"]
