"""What counts as a candidate's work."""

from __future__ import annotations

import json

import pytest

from skill.work import Changed, Form, Work, by_weight, is_harness, is_noise, work_from_dict


@pytest.mark.parametrize(
    "path",
    [
        "/app/main.py",
        "/app/lib/core.py",
        "/app/bin/run",
        "/etc/nginx/nginx.conf",
        "/root/answer.txt",
        "/usr/local/bin/tool",
        "/srv/site/index.html",
        "/app/.git/HEAD",
        "/app/tmp/x",
        "/home/ann/.bashrc",
        "/var/www/html/a.css",
        "/opt/job/venvs.txt",
    ],
)
def test_work(path: str) -> None:
    assert not is_noise(path)


@pytest.mark.parametrize(
    "path",
    [
        "/tmp/x",
        "/var/cache/apt/pkgcache.bin",
        "/var/lib/dpkg/status",
        "/var/log/dpkg.log",
        "/root/.cache/pip/x",
        "/home/ann/.npm/_logs/x",
        "/app/__pycache__/main.cpython-311.pyc",
        "/app/main.pyc",
        "/app/.git/objects/ab/cdef",
        "/app/.git/index",
        "/app/node_modules/left/index.js",
        "/app/.venv/bin/python",
        "/usr/lib/python3/dist-packages/x.py",
        "/usr/bin/jq",
        "/usr/local/lib/python3.11/site-packages/x.py",
        "/lib/x.so",
        "/logs/verifier/reward.txt",
        "/solution/solve.sh",
        "/etc/ld.so.cache",
        "/root/.bash_history",
        "/app/.pytest_cache/v/x",
    ],
)
def test_by_products(path: str) -> None:
    assert is_noise(path)


def test_what_the_prompt_names_is_work_wherever_it_is() -> None:
    assert not is_noise("/tmp/answer.txt", "Write /tmp/answer.txt now.")
    assert is_noise("/tmp/answer.txt", "Write /tmp/answer.txt2 now.")


def test_what_is_likely_judged_comes_first() -> None:
    paths = ["/app/build/x.o", "/etc/conf", "/app/deep/er/b.py", "/app/a.py", "/srv/report.csv"]
    told = "Write report.csv."
    assert by_weight(paths, "/app", told) == [
        "/srv/report.csv",
        "/app/a.py",
        "/app/deep/er/b.py",
        "/etc/conf",
        "/app/build/x.o",
    ]


def test_work_survives_json() -> None:
    files = (
        Changed("/app/a", Form.FILE, b"\xff\x00", None, 0o755, (1, 2)),
        Changed("/app/b", Form.LINK, b"/x"),
        Changed("/app/c", Form.GONE, before=b"was"),
    )
    work = Work(files, 3)
    assert work_from_dict(json.loads(json.dumps(work.to_dict()))) == work


@pytest.mark.parametrize("table", [{}, {"files": [{}], "left_out": 0}, {"files": [], "left_out": None}])
def test_what_is_no_work_is_refused(table: dict[str, object]) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        work_from_dict(table)


@pytest.mark.parametrize("path", ["/solutions/a", "/solution.txt", "/app/solution", "/app/tests/a.py", "/logs/app.log"])
def test_what_only_looks_like_a_place_of_the_harness(path: str) -> None:
    assert not is_harness(path)


@pytest.mark.parametrize(
    "path", ["/solution", "/solution/solve.sh", "/oracle", "/tests/test.sh", "/logs/verifier/reward.txt"]
)
def test_a_place_of_the_harness_stays_one_whatever_the_prompt_says(path: str) -> None:
    assert is_harness(path)
