"""A direct verifier's script passes exactly when the source's own, run whole, leaves a reward of 1."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from skill.verifier.base import Rewrite
from skill.verifier.rewrite import rewrite
from tests.support.verifiers import verifier

BASH = shutil.which("bash") or "bash"
TXT = "/logs/verifier/reward.txt"
IF = f"if [ $? -eq 0 ]; then echo 1 > {TXT}; else echo 0 > {TXT}; fi\n"
SAVED = f"[ $rc -eq 0 ] && echo 1 > {TXT} || echo 0 > {TXT}\n"
PROBES = ("build", "check", "judge")

SCRIPTS = [
    f"check\n{IF}",
    f"build\ncheck\n{IF}",
    f"build || true\ncheck; rc=$?\n{SAVED}",
    f"set -e\nbuild\ncheck\necho 1 > {TXT}\n",
    f"set -e\nbuild || echo 'no build'\nset +e\ncheck\nrc=$?\nset -e\n{SAVED}",
    f"set -e\nbuild && echo built\ncheck && echo 1 > {TXT}\n",
    f"build && check\n{IF}",
    f"build || check\n{IF}",
    f"cd / && check || rc=$?\nrc=${{rc:-0}}\n{SAVED}",
    f"build | tee /dev/null\ncheck | tee /dev/null\nrc=${{PIPESTATUS[0]}}\n{SAVED}",
    f"set -o pipefail\nbuild | check | tee /dev/null\n{IF}",
    f"( build; check )\n{IF}",
    f"if ! check; then\n  echo 0 > {TXT}\n  exit 1\nfi\necho 1 > {TXT}\njudge\n",
    f'out=$(check)\nrc=$?\necho "$out"\n{SAVED}',
    f"rc=0\nbuild || rc=1\njudge\ncheck || rc=$?\n{SAVED}",
    f"bad=0\nnote() {{ build || bad=1; }}\nnote\ncheck; rc=$?\n[ $bad = 0 ] && {SAVED}",
    f"rc=5\ncase $rc in 5) check ;; esac\n{IF}",
    f"echo 0 > {TXT}\nbuild\ncheck && echo 1 > {TXT}\n",
    f"check; rc=$?\nbuild\njudge\n{SAVED}",
]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(tmp_path)


class Run:
    """Scripts run under bash, with probes that end as they are told."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "bin").mkdir()
        for name in PROBES:
            (root / "bin" / name).write_text(f"#!{BASH}\nexit ${name.upper()}\n")
            (root / "bin" / name).chmod(0o755)

    def passes(self, script: bytes, statuses: Mapping[str, int]) -> bool:
        """Whether the source's whole script leaves a reward of 1."""
        reward = self.root / "reward.txt"
        reward.unlink(missing_ok=True)
        self.status(script.replace(b"/logs/verifier", str(self.root).encode()), statuses)
        return reward.exists() and reward.read_text().strip() == "1"

    def status(self, script: bytes, statuses: Mapping[str, int]) -> int:
        """How a script ends."""
        (self.root / "script.sh").write_bytes(script)
        told = {name.upper(): str(status) for name, status in statuses.items()}
        env = {"PATH": f"{self.root}/bin:{os.environ['PATH']}", "VERDICT_DIR": str(self.root), **told}
        return subprocess.run([BASH, self.root / "script.sh"], env=env, capture_output=True, cwd=self.root).returncode


@pytest.mark.parametrize("script", SCRIPTS)
def test_same_verdict(script: str, run: Run) -> None:
    given = verifier(script)
    found = rewrite(given)
    if not isinstance(found, Rewrite) or found.form != "direct":
        return  # what runs whole, or not at all, cannot differ
    names = [name for name in PROBES if name in script]
    for told in itertools.product((0, 1, 3), repeat=len(names)):
        statuses = dict(zip(names, told, strict=True))
        ours = run.status(found.files["source-test.sh"], statuses) == 0
        assert ours == run.passes(given.script, statuses), statuses


def test_most_of_them_are_direct() -> None:
    forms = [found.form for script in SCRIPTS if isinstance(found := rewrite(verifier(script)), Rewrite)]
    assert forms.count("direct") > len(SCRIPTS) // 2
