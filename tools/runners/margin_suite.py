"""The temporary files of a ``margin run``: a suite of the wanted cases, an idle agent, limits."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from skill.case import Case
from skill.contract import CASES_DIR, SUITE_FILE
from skill.toml import TomlTable, TomlValue, dump
from tools.errors import CaseUnreadable
from tools.runners.base import Edit, Setup
from tools.runners.docker_engine import container_labels, image_labels

IMAGE_NAMES: Final = "marginlab-local/buildctx"
PREPARE_HOOK: Final = """#!/bin/sh
printf '{"path": "/bin/sh", "args": ["-c", "exit 0"]}'
"""


def write_suite(root: Path, cases: Sequence[Case], edits: Sequence[Edit]) -> None:
    """A suite of ``cases`` at ``root``, their files hard links where that is possible; ``edits`` on copies.

    Raises CaseUnreadable when a case cannot be copied.
    """
    for case in cases:
        target = root / CASES_DIR / case.name
        try:
            shutil.copytree(case.root, target, symlinks=True, copy_function=_link)
            for edit in edits:
                _apply(target / "tests" / edit.path, edit.data)
        except (OSError, shutil.Error) as error:
            raise CaseUnreadable(case.root, f"cannot be copied: {error}") from error
    names: list[TomlValue] = [case.name for case in cases]
    _write(root / SUITE_FILE, {"kind": "test_suite", "name": "proof", "cases": names})


def _link(source: str, target: str) -> None:
    """The same file under another name, or a copy of it on another file system."""
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target)


def _apply(path: Path, data: bytes | None) -> None:
    """Change one staged file without touching what it is linked to."""
    mode = path.stat().st_mode & 0o777
    path.unlink()
    if data is not None:
        path.write_bytes(data)
        path.chmod(mode)


def write_null_agent(root: Path) -> Path:
    """The folder of an agent config whose agent needs no network and no credentials (contract, section 5)."""
    definition, config = root / "definition", root / "config"
    hook = definition / "hooks" / "prepare.sh"
    hook.parent.mkdir(parents=True)
    config.mkdir()
    hook.write_text(PREPARE_HOOK)
    hook.chmod(0o755)
    _write(
        definition / "definition.toml",
        {"kind": "agent_definition", "name": "null-agent", "run": {"prepare": "hooks/prepare.sh"}},
    )
    named: TomlTable = {"kind": "agent_config", "name": "null-agent", "definition": "../definition"}
    _write(config / "config.toml", named | {"mode": "direct", "input": {"noop": True}})
    return config


def write_eval(path: Path, *, concurrency: int, seconds: int) -> None:
    """Limits for one run; nothing is tried twice, so that the first answer stands."""
    table: TomlTable = {
        "kind": "eval_config",
        "name": "proof",
        "max_concurrency": concurrency,
        "instance_timeout_seconds": seconds,
        "retry_count": 0,
    }
    _write(path, table)


@dataclass(frozen=True)
class Shim:
    """What our docker command adds to the real one.

    Besides labels that is ``--force-rm``, without which the legacy builder leaves a container after a failed
    step, what this machine needs to reach its network, and names of images that no other process uses or removes.
    """

    docker: str
    setup: Setup
    call_label: dict[str, str]
    ending: str  # of the names of images that margin builds, which it makes from their content alone

    def lines(self) -> list[str]:
        """The script."""
        network = [f"--network={self.setup.network}"] if self.setup.network else []
        built = image_labels(self.setup.run_id)
        started = container_labels(self.setup.run_id) | self.call_label
        arguments = [f"--build-arg={key}={value}" for key, value in self.setup.build_args]
        return [
            "#!/bin/sh",
            "verb=$1; shift",
            'case "$verb" in',
            f'  build) set -- {_quoted(["--force-rm", *_label_options(built), *network, *arguments])} "$@" ;;',
            f'  run) set -- {_quoted([*_label_options(started), *network])} "$@" ;;',
            "esac",
            "for word; do",
            "  shift",
            f"  case $word in {IMAGE_NAMES}:*) word=$word-{self.ending} ;; esac",
            '  set -- "$@" "$word"',
            "done",
            f'exec {_quoted([self.docker])} "$verb" "$@"',
        ]


def write_shim(path: Path, shim: Shim) -> None:
    """A docker command that labels what margin makes, so that a killed run can be cleaned up after."""
    path.write_text("\n".join(shim.lines()) + "\n")
    path.chmod(0o755)


def _label_options(labels: Mapping[str, str]) -> list[str]:
    return [f"--label={key}={value}" for key, value in labels.items()]


def _quoted(words: Sequence[str]) -> str:
    return " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)


def _write(path: Path, table: TomlTable) -> None:
    path.write_text(dump(table), encoding="utf-8")
