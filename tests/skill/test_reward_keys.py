"""Which keys a source's reward has, read from its files: with several somebody has to say which of them passes."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill.reward_keys import question, reward_keys
from skill.sources.harbor import HARBOR
from tests.support.harbor import make_task

JSON = "/logs/verifier/reward.json"
FOUND = [
    ("test.sh", "echo 1 > /logs/verifier/reward.txt\n", ()),
    ("judge.py", f"import json\njson.dump({{'reward': 1}}, open('{JSON}', 'w'))\n", ("reward",)),
    ("judge.py", f"import json\njson.dump({{'a': 1, 'b': 2}}, open('/tmp/x', 'w'))\n# {JSON}\n", ()),  # elsewhere
    ("notes.md", f'`{JSON}` holds {{"a": 1, "b": 2}}\n', ()),
    ("judge.py", f"import json\njson.dump({{'a': 1, 'b': 2}}, open('{JSON}', 'w'))\n", ("a", "b")),
    (
        "judge.py",
        f"import json, pathlib\ns = {{}}\ns['a'] = 1\ns['b'] = 0\npathlib.Path('{JSON}').write_text(json.dumps(s))\n",
        ("a", "b"),
    ),
    ("judge.py", f"import json\njson.dump({{'reward': 1, **more()}}, open('{JSON}', 'w'))\n", ("...", "reward")),
    ("test.sh", f"""echo '{{"reward": 1, "speed": 0.5}}' > {JSON}\n""", ("reward", "speed")),
    ("test.sh", f"""printf "{{\\"x\\": $X, \\"y\\": $Y}}" > "{JSON}"\n""", ("x", "y")),
    (
        "test.sh",
        f"python3 - <<'PY'\nimport json\njson.dump(dict(), open('/tmp/x', 'w'))\n"
        f"json.dump({{'p': 1, 'q': 2}}, open('{JSON}', 'w'))\nPY\n",
        ("p", "q"),
    ),
]


@pytest.mark.parametrize(("path", "text", "keys"), FOUND)
def test_the_keys_of_a_reward(path: str, text: str, keys: tuple[str, ...], tmp_path: Path) -> None:
    root = make_task(tmp_path / "set/pear")
    (root / "tests" / path).write_text(text)
    (ref,) = HARBOR.inventory(tmp_path / "set").tasks
    assert reward_keys(HARBOR.load(ref)) == keys


@pytest.mark.parametrize("keys", [(), ("reward",), ("...",)])
def test_one_key_needs_no_answer(keys: tuple[str, ...]) -> None:
    assert question(keys) is None


@pytest.mark.parametrize(
    ("keys", "example"), [(("a", "reward"), "reward>=1"), (("speed", "..."), "speed>=1"), (("a", "b"), "a>=1")]
)
def test_the_question_states_the_form_of_its_answer(keys: tuple[str, ...], example: str) -> None:
    asked = question(keys)
    assert asked
    assert (asked.key, asked.choices) == ("pass_if", (example,))
    assert f"a key, one of >=, > and ==, and a number, such as {example}" in asked.text
