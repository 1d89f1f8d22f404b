"""The odd tasks are what they are said to be: sound tasks of twelve shapes that no rule covers."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill.draft import Choices, Refused, draft
from skill.odd_shape import shape_of_task
from skill.sources.harbor import HARBOR
from tests.odd_tasks.tasks import TASKS, put


@pytest.mark.parametrize("name", TASKS)
def test_no_rule_covers_it(name: str, tmp_path: Path) -> None:
    put(tmp_path, name)
    (ref,) = HARBOR.inventory(tmp_path).tasks
    made = draft(HARBOR.load(ref), name, Choices())
    assert isinstance(made, Refused)
    assert made.code == "needs-agent", made


def test_each_has_a_shape_of_its_own(tmp_path: Path) -> None:
    for name in TASKS:
        put(tmp_path, name)
    tasks = [HARBOR.load(ref) for ref in HARBOR.inventory(tmp_path).tasks]
    assert len({shape_of_task(task).digest for task in tasks}) == len(TASKS)
