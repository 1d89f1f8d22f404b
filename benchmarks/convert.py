"""`make bench`: conversion against ``cp -r`` in the same run, checks a second, start-up, memory.

Every figure is the median of three runs on this machine, caches warm; the bounds are those of the README.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from dataset import make

TASKS, SHAPES, ROUNDS = 1000, 50, 3
BOUNDS = {
    "convert / cp -r": 8.0,
    "start-up CPU s, --help": 0.2,
    "start-up CPU s, check": 0.2,
    "memory 1000 / 100": 1.5,
}
COMMAND = [sys.executable, "-m", "agent"]
ROOT = Path(__file__).resolve().parents[1]
# a person's installation keeps its compiled modules, whatever this shell forbids
ENVIRON = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def timed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def run(*words: str | Path) -> subprocess.CompletedProcess[bytes]:
    done = subprocess.run([*COMMAND, *map(str, words)], cwd=ROOT, env=ENVIRON, capture_output=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr.decode())
    return done


def cpu(*words: str | Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(*words)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def peak(source: Path, out: Path) -> int:
    """The largest resident size of a conversion in one process, in KiB."""
    code = (
        "import resource, sys; from agent.cli import main; main(sys.argv[1:]);"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    words = ["convert", source, "-o", out, "--proof", "none", "--quiet", "--jobs", "1"]
    command = [sys.executable, "-c", code, *map(str, words)]
    done = subprocess.run(command, cwd=ROOT, env=ENVIRON, capture_output=True, check=True, text=True)
    return int(done.stdout.split()[-1])


def measure(place: Path) -> dict[str, float]:
    source, small = place / "source", place / "small"
    files = make(source, TASKS, SHAPES)
    make(small, TASKS // 10, SHAPES)
    (place / "one").mkdir()
    copies, conversions = [], []
    for number in range(ROUNDS):
        copies.append(timed(lambda n=number: subprocess.run(["cp", "-r", source, place / f"copy{n}"], check=True)))
        conversions.append(
            timed(lambda n=number: run("convert", source, "-o", place / f"out{n}", "--proof", "none", "--quiet"))
        )
    books = json.loads((place / "out0.run" / "report.json").read_bytes())["books"]
    run("convert", small, "-o", place / "tiny", "--limit", "3", "--proof", "none", "--quiet")
    checking = statistics.median(timed(lambda: run("check", place / "out0", "--quiet")) for _ in range(ROUNDS))
    return {
        "source files": files,
        "converted": books["converted"],
        "cp -r s": statistics.median(copies),
        "convert s": statistics.median(conversions),
        "convert / cp -r": statistics.median(conversions) / statistics.median(copies),
        "check cases/s": books["converted"] / checking,
        "start-up CPU s, --help": statistics.median(cpu("--help") for _ in range(ROUNDS)),
        "start-up CPU s, check": statistics.median(cpu("check", place / "tiny") for _ in range(ROUNDS)),
        "memory MiB, 1000 tasks": peak(source, place / "peak") / 1024,
        "memory 1000 / 100": peak(source, place / "peak1") / peak(small, place / "peak2"),
    }


def main() -> int:
    place = Path(tempfile.mkdtemp(prefix="bench-", dir=os.environ.get("BENCH_DIR")))
    try:
        figures = measure(place)
    finally:
        shutil.rmtree(place)
    missed = 0
    for name, figure in figures.items():
        bound = BOUNDS.get(name)
        missed += bound is not None and figure > bound
        print(f"{name:26} {figure:10.3f}" + (f"   (bound {bound})" if bound else ""))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
