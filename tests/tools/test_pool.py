from __future__ import annotations

import threading
import time

import pytest

from tools.pool import ordered


def test_results_keep_the_order_of_the_work() -> None:
    def late(number: int) -> int:
        time.sleep((5 - number) * 0.02)
        return number * 10

    assert list(ordered(late, range(5), jobs=3)) == [0, 10, 20, 30, 40]


def test_no_more_than_jobs_at_a_time() -> None:
    lock, now, most = threading.Lock(), 0, 0

    def count(_: int) -> None:
        nonlocal now, most
        with lock:
            now, most = now + 1, max(most, now + 1)
        time.sleep(0.02)
        with lock:
            now -= 1

    assert len(list(ordered(lambda n: count(n) or n + 1, range(8), jobs=2))) == 8
    assert most == 2


def test_a_failure_comes_at_its_place() -> None:
    def fail_on_two(number: int) -> int:
        if number == 2:
            raise ValueError("two")
        return number

    results = ordered(fail_on_two, range(4), jobs=2)
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(ValueError, match="two"):
        next(results)


def test_a_stop_ends_after_the_work_under_way() -> None:
    stop = threading.Event()

    def work(number: int) -> int:
        if number == 1:
            stop.set()
        return number + 1

    assert list(ordered(work, range(50), jobs=1, stopped=stop.is_set)) == [1, 2]


def test_no_work_at_all() -> None:
    assert list(ordered(str, [], jobs=4)) == []
