"""Whose fault a build that failed is: the Dockerfile's, or the engine's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skill.case import Case
from tools.errors import BuildFailed, EngineFailed
from tools.runners.base import Setup
from tools.runners.docker_build import build, context_of


class Engine:
    """Answers a build with one error."""

    def __init__(self, error: str) -> None:
        self.error = error

    def build(self, **_: Any) -> Iterator[dict[str, str]]:
        yield {"stream": "Step 1/1 : FROM debian:12\n"}
        yield {"error": self.error}

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: []


ENDINGS = [
    ("The command '/bin/sh -c make' returned a non-zero code: 2", BuildFailed),
    ('OCI runtime create failed: exec: "/bin/bash": stat /bin/bash: no such file or directory', BuildFailed),
    ("failed to create endpoint x on network bridge: adding interface veth to bridge docker0 failed", EngineFailed),
    ("could not find bridge docker0: route ip+net: no such network interface", EngineFailed),
    ("write /usr/lib/x: no space left on device", EngineFailed),
]


@pytest.mark.parametrize(("error", "kind"), ENDINGS)
def test_whose_fault_it_is(error: str, kind: type[Exception], tmp_path: Path) -> None:
    env = tmp_path / "cases" / "quay" / "env"
    env.mkdir(parents=True)
    (env / "Dockerfile").write_text("FROM debian:12\n")
    engine: Any = Engine(error)
    with pytest.raises(kind) as caught:
        build(engine, context_of(Case(tmp_path, "quay", 0)), "suite-converter/env:x", Setup(run_id="r"))
    assert type(caught.value) is kind
