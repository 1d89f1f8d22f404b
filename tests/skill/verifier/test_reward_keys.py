"""Whether a reward of some name can be written at all: near misses are names that only look absent."""

from __future__ import annotations

import pytest

from skill.verifier.base import Asset
from skill.verifier.reward_keys import may_be_written
from tests.support.verifiers import parsed

JSON = "/logs/verifier/reward.json"
GRADE = "python3 /tests/grade.py\n"


def asked(key: str, script: str, assets: dict[str, str]) -> bool:
    return may_be_written(
        key, parsed(script), tuple(Asset(path, text.encode(), 0o644) for path, text in assets.items())
    )


POSSIBLE: list[tuple[str, str, dict[str, str]]] = [
    ("reward", "echo 1 > /logs/verifier/reward.txt\n", {}),
    ("reward", 'echo "$R" > "/logs/verifier/reward.$KIND"\n', {}),
    ("score", f"echo '{{\"score\": 1}}' > {JSON}\n", {}),
    ("score", f'cat <<END > {JSON}\n{{"score": $R}}\nEND\n', {}),
    ("score", GRADE, {"grade.py": "dump({'score': 1})\n"}),
    ("score", GRADE, {"grade.py": "dump(dict(score=1))\n"}),
    ("score", GRADE, {"grade.py": "dump(json.loads('{\"score\": 1}'))\n"}),
    ("score", GRADE, {"grade.py": "class Sum:\n    score: float\n"}),
    ("score", GRADE, {"grade.py": "score = 1\ndump(locals())\n"}),
    ("score", GRADE, {"grade.py": "this is no Python: score\n"}),
    ("score", GRADE, {"keys.json": '["score"]'}),
    ("clean_code", "uvx rewardkit /tests\n", {"clean_code/check.py": ""}),
    ("reward", "rewardkit /tests\n", {"grade.py": ""}),
]


@pytest.mark.parametrize(("key", "script", "assets"), POSSIBLE)
def test_a_name_that_may_become_a_key(key: str, script: str, assets: dict[str, str]) -> None:
    assert asked(key, script, assets)


IMPOSSIBLE: list[tuple[str, str, dict[str, str]]] = [
    ("score", "echo 1 > /logs/verifier/reward.txt\n", {}),
    ("reward", f"echo '{{\"score\": 1}}' > {JSON}  # the reward\n", {}),
    ("reward", GRADE, {"grade.py": f'"""Writes the reward."""\nreward = 1\nopen("{JSON}").write(f"{{reward}}")\n'}),
    ("score", GRADE, {"grade.py": "dump({'scores': 1, 'high-score': 1})  # score\n"}),
    ("score", GRADE, {"README.md": "score"}),
    ("score", GRADE, {"keys.toml": "# score\n"}),
    ("reward", "# writes reward.json\nuvx rewardkit /tests\n", {"clean_code/check.py": "# reward key clean_code\n"}),
]


@pytest.mark.parametrize(("key", "script", "assets"), IMPOSSIBLE)
def test_a_name_that_nothing_says(key: str, script: str, assets: dict[str, str]) -> None:
    assert not asked(key, script, assets)
