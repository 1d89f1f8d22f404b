"""Work in threads, with the results in the order of the work.

The threads are daemons: whoever is interrupted can leave at once; what they had in the engine is labelled.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from queue import SimpleQueue
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def ordered(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    jobs: int,
    stopped: Callable[[], bool] = lambda: False,
) -> Iterator[Result]:
    """``function`` of each item, at most ``jobs`` at a time; ends after the work under way once ``stopped``.

    Raises what ``function`` raised for the first item that failed.
    """
    queue: SimpleQueue[int] = SimpleQueue()
    outcomes: list[Result | BaseException | None] = [None] * len(items)
    done = [threading.Event() for _ in items]
    for number in range(len(items)):
        queue.put(number)

    def work() -> None:
        while not queue.empty():
            number = queue.get()
            if not stopped():
                try:
                    outcomes[number] = function(items[number])
                except BaseException as error:
                    outcomes[number] = error
            done[number].set()

    for _ in range(min(jobs, len(items))):
        threading.Thread(target=work, daemon=True).start()
    for number in range(len(items)):
        done[number].wait()
        outcome = outcomes[number]
        if outcome is None:
            return
        if isinstance(outcome, BaseException):
            raise outcome
        yield outcome
