"""What a rewrite of a source's verifier is given and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from skill.finding import Finding
from skill.sources.base import EnvValue


@dataclass(frozen=True)
class Asset:
    """A file of tests/ as the analysis sees it."""

    path: str
    data: bytes
    mode: int


@dataclass(frozen=True)
class VerifierInput:
    """All that a verifier's meaning depends on; equal inputs give equal rewrites."""

    script: bytes  # tests/test.sh of the source
    assets: tuple[Asset, ...]  # every other file of tests/
    cwd: str  # where the source's verifier ran
    test_cwd: str  # where Margin will start ours
    timeout_seconds: int  # test_timeout_seconds of the case
    env: Mapping[str, EnvValue]  # exported before the source's script
    pre_verify: tuple[str, ...]
    installed: frozenset[str]  # tools that the Dockerfile is known to install
    image_env: Mapping[str, str]
    prompt: str
    pass_if: str | None  # an answer such as "reward>=1"
    without: frozenset[str] = frozenset()  # hardening patterns that are not to be used
    around: str = ""  # Dockerfile and solution script: what a right candidate and its image may have set up
    with_bash: bool = False  # the source hands its script to bash, whatever its first line says
    parser: str = ""  # what the source reads its verdict from the output with; empty: from a reward file


@dataclass(frozen=True)
class Rewrite:
    """A verifier in Margin's terms: files to put below tests/, the rest being byte copies."""

    form: str  # "direct" or "wrapped"
    shape: str  # the name under which cases are grouped in reports and samples
    rule: str  # the id that ledger rows carry
    files: Mapping[str, bytes]  # written executable; test.sh among them
    findings: tuple[Finding, ...] = ()
    patterns: tuple[str, ...] = ()  # hardening beyond what every verifier carries


@dataclass(frozen=True)
class Odd:
    """No rule covers this verifier; ``code`` is the refusal, ``facts`` say why."""

    code: str  # "needs-agent", "reward-not-binary", "agent-log", …
    sentence: str
    facts: tuple[str, ...] = ()
    shape: str = "odd"
