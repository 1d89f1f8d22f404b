"""What can be said on the command line; nothing but argparse is needed for it."""

from __future__ import annotations

import argparse
from pathlib import Path

from agent.flags import RUNNERS, images, jobs, model, natural, output, pins, platform, proof

EXITS = """exit status:
  0    clean
  1    findings, or cases that were refused or failed
  2    the command cannot be done as it was given
  3    a choice that belongs to you is open; the message shows the flags
  4    budget spent, or no progress
  5    infrastructure: machine, Docker, margin or model
  130  interrupted; what was done is saved
"""


def parser() -> argparse.ArgumentParser:
    """The whole command line, with no more imported than argparse."""
    top = argparse.ArgumentParser(
        prog="suite-converter",
        description="Turns eval datasets into Margin Eval suites that can be trusted.",
        epilog=EXITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument(
        "--version", action=_Version, nargs=0, default=argparse.SUPPRESS, help="print the version and leave"
    )
    verbs = top.add_subparsers(dest="verb", metavar="COMMAND", required=True)
    _convert(_verb(verbs, "convert", "convert a dataset into a suite"))
    _check(_verb(verbs, "check", "check a suite against every rule"))
    _prove(_verb(verbs, "prove", "run a suite's verifiers in known states"))
    _pin(_verb(verbs, "pin", "ask registries anew which digests image names stand for"))
    _resume(_verb(verbs, "resume", "go on with a conversion that was stopped"))
    _report(_verb(verbs, "report", "show what a conversion did"))
    _rules(_verb(verbs, "rules", "list the rules, or explain one"))
    _rules(_verb(verbs, "forgeries", "list what a candidate may plant to look like a pass, or explain one"))
    _gc(_verb(verbs, "gc", "remove what earlier runs left in the Docker engine"))
    return top


class _Version(argparse.Action):
    """Looks the version up only when it is asked for."""

    def __call__(self, *_: object) -> None:
        from agent.version import NAME, tool_version

        print(NAME, tool_version())
        raise SystemExit(0)


def _verb(verbs: argparse._SubParsersAction[argparse.ArgumentParser], name: str, help_: str) -> argparse.ArgumentParser:
    return verbs.add_parser(name, help=help_, description=help_[0].upper() + help_[1:] + ".")


def _convert(verb: argparse.ArgumentParser) -> None:
    add = verb.add_argument
    add(
        "source",
        type=Path,
        metavar="SOURCE",
        help="folder that holds the dataset, or with --recipe its file (never written to)",
    )
    add("-o", "--output", type=Path, metavar="OUT", help="the suite to make; state and reports go to OUT.run/")
    add("--plan", "--dry-run", action="store_true", help="say what would be done and pushed where; writes nothing")
    add(
        "--recipe",
        default="",
        metavar="FILE",
        help="recipe.toml for a source of no known framework, or a shipped one's name",
    )
    add("--name", default="", help="name of the suite (default: the dataset's)")
    add("--only", default="", metavar="GLOB", help="only tasks whose id or case name matches")
    add("--limit", type=natural, default=0, metavar="N", help="at most N tasks")
    images(verb)
    add(
        "--test-cwd",
        choices=("root", "workdir"),
        default="",
        help="where verifiers are staged (default: root)",
    )
    add(
        "--pass-if",
        default="",
        metavar="EXPR",
        help="what passes when rewards are not 0 or 1, e.g. 'reward>=1'",
    )
    add("--allow", action="append", default=[], metavar="CODE", help="accept the degraded form of a refusal")
    add("--answer", action="append", default=[], metavar="KEY=VALUE", help="answer one question")
    add(
        "--answers",
        type=Path,
        metavar="FILE",
        help="TOML file with answers: image, registry, pins, pass_if, test_cwd, allow, others",
    )
    add("--force", action="store_true", help="replace OUT once the new suite is complete")
    proof(verb)
    model(verb)
    jobs(verb)
    output(verb)


def _check(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("suite", type=Path, metavar="SUITE")
    verb.add_argument("--source", type=Path, metavar="SOURCE", help="compare with the dataset it was made from")
    verb.add_argument("--images", action="store_true", help="look into the images that the Docker engine has")
    platform(verb)
    output(verb)


def _prove(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("suite", type=Path, metavar="SUITE")
    verb.add_argument("--case", default="", metavar="GLOB", help="only cases whose name matches")
    verb.add_argument("--source", type=Path, metavar="SOURCE", help="run the dataset's own verifiers too and compare")
    verb.add_argument("--runner", choices=RUNNERS, default="auto")
    verb.add_argument("--deep", action="store_true", help="mutants, forgeries and every kind of sabotage too")
    verb.add_argument("--forge", action="store_true", help="the battery of forgeries too (part of --deep)")
    verb.add_argument("--mutants", type=natural, default=12, metavar="N", help="of a case, with --deep (default: 12)")
    verb.add_argument("--repeat", type=natural, default=1, metavar="N", help="run the plain states N times")
    verb.add_argument("--again", action="store_true", help="run what was proved before as well")
    verb.add_argument("--require-proof", action="store_true", help="unproved cases count as findings")
    jobs(verb)
    output(verb)


def _pin(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("place", type=Path, metavar="SUITE|SOURCE", help="a suite, or the dataset it is made from")
    pins(verb)
    output(verb)


def _resume(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("run", type=Path, metavar="RUN", help="OUT.run of the conversion")
    model(verb)
    jobs(verb)
    output(verb)


def _report(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("run", type=Path, metavar="RUN", help="OUT.run of the conversion")
    output(verb)


def _rules(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("code", nargs="?", default="", metavar="CODE")
    output(verb)


def _gc(verb: argparse.ArgumentParser) -> None:
    output(verb)
