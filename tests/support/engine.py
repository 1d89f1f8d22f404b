"""A Docker engine of a test's own, beside the one that everybody shares: it may be stopped and started."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.images import BASE_IMAGE

START_SECONDS = 30
STOP_SECONDS = 60


@dataclass
class Engine:
    """A dockerd below one folder, in a network of its own: one without a bridge removes the host's ``docker0``."""

    root: Path
    process: subprocess.Popen[bytes] | None = None

    @property
    def host(self) -> str:
        """What DOCKER_HOST has to be."""
        return f"unix://{self.root}/s"

    def docker(self, *words: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(["docker", "-H", self.host, *words], input=data, capture_output=True, check=False)

    def start(self) -> bool:
        """Whether it answers in time."""
        folders = [f"--data-root={self.root}/data", f"--exec-root={self.root}/exec", f"--pidfile={self.root}/pid"]
        apart = ["--iptables=false", "--ip6tables=false", "--bridge=none"]
        alone = ["unshare", "--net", "dockerd"]
        with (self.root / "log").open("ab") as log:
            self.process = subprocess.Popen([*alone, *folders, *apart, "-H", self.host], stdout=log, stderr=log)
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            if self.docker("version").returncode == 0:
                return True
            time.sleep(0.2)
        return False

    def stop(self) -> None:
        """As a service manager does it: asked first."""
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            self.process = None


@contextmanager
def own_engine() -> Iterator[Engine]:
    """An engine that has the base image; the test is skipped where none can be started."""
    if shutil.which("dockerd") is None or shutil.which("unshare") is None:
        pytest.skip("no dockerd (or no unshare) on PATH for a second engine")
    root = Path(tempfile.mkdtemp(prefix="engine-"))  # a socket's path has to be short
    engine = Engine(root)
    try:
        if not engine.start():
            pytest.skip(f"a second engine does not start: {(root / 'log').read_text()[-200:]}")
        image = subprocess.run(["docker", "save", BASE_IMAGE], capture_output=True, check=True).stdout
        if engine.docker("load", data=image).returncode != 0:
            pytest.skip("a second engine does not take the base image")
        yield engine
        engine.docker("rm", "-f", *engine.docker("ps", "-aq").stdout.decode().split())
    finally:
        engine.stop()
        shutil.rmtree(root, ignore_errors=True)
