"""What has to be asked before a session about an odd verifier is paid for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agent.dataset import Dataset
from agent.odd import OddGroup
from agent.options import Options
from skill.reward_keys import question, reward_keys
from skill.sources.base import Question


def odd_questions(
    options: Options, dataset: Dataset, groups: Iterable[OddGroup]
) -> Iterator[tuple[OddGroup, Question]]:
    """Every group whose source books several rewards, while nobody has said which of them passes."""
    for group in groups if not options.pass_if else ():
        found = question(reward_keys(dataset.source.load(group.first.ref)))
        if found is not None:
            yield group, found
