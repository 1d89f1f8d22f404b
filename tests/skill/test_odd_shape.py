"""Which odd verifiers are one shape: those that differ in names and values, and no others."""

from __future__ import annotations

import pytest

from skill.odd_shape import shape_of

SCRIPT = """\
#!/bin/bash
# judges the peaches
trap 'echo 0 > /logs/verifier/reward.txt' EXIT
set -e
echo "counting the peaches"
cd /app
if [ "$(cat /app/basket/peaches)" = "42 ripe" ]; then
  python3 /tests/check_peaches.py --seed 1234
fi
timeout 300 bash /tests/stage.sh || exit 1
echo 1 > /logs/verifier/reward.txt
"""
STAGE = "#!/bin/bash\n[ -s /app/peaches.csv ] || exit 1\n"
GRADER = "import sys\nopen('/logs/verifier/reward.txt', 'w').write('1' if sys.argv[2] == '7' else '0')\n"
FILES = {"test.sh": SCRIPT, "check_peaches.py": GRADER, "stage.sh": STAGE, "golden.txt": "1\n"}

SAME = {
    "comments": [("# judges the peaches", "# judges something")],
    "messages": [("counting the peaches", "counting all the plums, slowly")],
    "blanks": [("set -e\n", "set -e\n\n\n")],
    "paths": [("/app/basket/peaches", "/app/bowl/plums")],
    "compared words": [("42 ripe", "7 blue ones")],
    "numbers": [("1234", "98765"), ("timeout 300", "timeout 90")],
}
OTHER = {
    "a command more": [("cd /app\n", "cd /app\nls\n")],
    "a command less": [("set -e\n", "")],
    "another option": [("--seed", "--salt")],
    "another status": [("exit 1", "exit 0")],
    "another operator": [("|| exit", "&& exit")],
    "another reward": [("echo 1 > /logs", "echo 0 > /logs")],
    "another reward file": [("echo 1 > /logs/verifier/reward.txt", "echo 1 > /logs/verifier/reward.json")],
    "another tool": [("python3", "node")],
    "another trap": [("EXIT", "ERR")],
}


def digest(files: dict[str, str]) -> str:
    return shape_of({path: text.encode() for path, text in files.items()}, ("peach-count",)).digest


def edited(edits: list[tuple[str, str]], path: str = "test.sh") -> dict[str, str]:
    text = FILES[path]
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return {**FILES, path: text}


@pytest.mark.parametrize("edits", SAME.values(), ids=SAME)
def test_what_only_names_something_is_not_of_the_shape(edits: list[tuple[str, str]]) -> None:
    assert digest(edited(edits)) == digest(FILES)


@pytest.mark.parametrize("edits", OTHER.values(), ids=OTHER)
def test_what_does_something_is_of_the_shape(edits: list[tuple[str, str]]) -> None:
    assert digest(edited(edits)) != digest(FILES)


def test_names_of_files_may_differ_with_the_files() -> None:
    script = SCRIPT.replace("check_peaches.py", "verify.py").replace("stage.sh", "prepare.sh")
    assert digest({"test.sh": script, "verify.py": GRADER, "prepare.sh": STAGE}) == digest(FILES)


def test_files_that_the_script_does_not_name_have_no_say() -> None:
    assert digest({**FILES, "more.json": "{}"}) == digest(FILES)


def test_a_script_beside_it_is_a_part_of_the_shape() -> None:
    assert digest(edited([("peaches.csv", "plums.csv")], "stage.sh")) == digest(FILES)
    assert digest(edited([("|| exit 1", "|| exit 0")], "stage.sh")) != digest(FILES)


def test_python_that_writes_the_reward_is_a_part_by_its_structure() -> None:
    assert digest(edited([("'7'", "'8'")], "check_peaches.py")) == digest(FILES)
    assert digest(edited([("==", "!=")], "check_peaches.py")) != digest(FILES)


def test_tests_that_write_no_reward_are_not() -> None:
    plain = {**FILES, "check_peaches.py": "assert 1\n"}
    assert digest(plain) == digest({**plain, "check_peaches.py": "def test(): pass\n"})


def test_a_here_document_fills_a_hole_but_its_structure_counts() -> None:
    head = "#!/bin/bash\ntrap x EXIT\npython3 - <<'PY'\n"
    one = digest({"test.sh": head + "assert open('/app/a').read() == '1'\nPY\n"})
    assert one == digest({"test.sh": head + "assert open('/app/b').read() == '22'\nPY\n"})
    assert one != digest({"test.sh": head + "assert open('/app/a').read() != '1'\nPY\n"})


def test_the_holes_line_up() -> None:
    values = [
        shape_of({path: text.encode() for path, text in files.items()}).values
        for files in (FILES, edited(SAME["paths"]))
    ]
    assert len(values[0]) == len(values[1])
    assert [pair for pair in zip(*values, strict=True) if pair[0] != pair[1]] == [
        ("/app/basket/peaches", "/app/bowl/plums")
    ]


def test_the_order_of_files_does_not_matter() -> None:
    assert digest(dict(reversed(FILES.items()))) == digest(FILES)


def test_a_verifier_in_python_is_taken_by_its_structure() -> None:
    one = "#!/usr/bin/env python3\nimport sys\nsys.exit(open('/app/a').read() != 'x')\n"
    assert digest({"test.sh": one}) == digest({"test.sh": one.replace("'x'", "'y'").replace("/app/a", "/app/b")})
    assert digest({"test.sh": one}) != digest({"test.sh": one.replace("!=", "==")})
