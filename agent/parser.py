"""What can be said on the command line; imports nothing but argparse."""

from __future__ import annotations

import argparse
from pathlib import Path

RUNNERS = ("auto", "docker", "margin")
PROVIDERS = ("anthropic", "bedrock", "vertex")
DEFAULT_MAX_USD = "10"
EFFORTS = ("low", "medium", "high", "xhigh", "max")
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
    add("--limit", type=_natural, default=0, metavar="N", help="at most N tasks")
    _images(verb)
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
    _proof(verb)
    _model(verb)
    _jobs(verb)
    _output(verb)


def _images(verb: argparse.ArgumentParser) -> None:
    add = verb.add_argument
    add(
        "--image",
        choices=("keep", "dockerfile", "publish"),
        default="",
        help="keep images (pinned by digest), build Dockerfiles, or build and publish them",
    )
    add("--registry", default="", metavar="HOST/PATH", help="where --image publish pushes to")
    _pins(verb)


def _pins(verb: argparse.ArgumentParser) -> None:
    add = verb.add_argument
    add("--pins", default="", metavar="FILE", help="TOML file of image names and their digests, read and added to")
    _platform(verb)


def _platform(verb: argparse.ArgumentParser) -> None:
    text = "what images must run on (default: linux/amd64)"
    verb.add_argument("--platform", default="linux/amd64", metavar="OS/ARCH", help=text)


def _proof(verb: argparse.ArgumentParser) -> None:
    add = verb.add_argument
    add(
        "--proof",
        choices=("none", "states", "deep", "source"),
        default="states",
        help="prove a sample (default: states; deep: with mutants, forgeries and all sabotage; "
        "source: beside the dataset's own verifiers)",
    )
    add("--sample", type=_natural, default=3, metavar="N", help="cases proved for each shape (default: 3)")
    add(
        "--runner",
        choices=RUNNERS,
        default="auto",
        help="what proves (default: margin where it is, else docker)",
    )
    add("--require-proof", action="store_true", help="no suite without a proof of every shape")


def _model(verb: argparse.ArgumentParser) -> None:
    group = verb.add_argument_group("model", "for verifiers that no rule covers; used when there is a key, or --model")
    add = group.add_argument
    add("--model", default="", metavar="NAME", help="which one; none: do without (default: none without a key)")
    add("--provider", choices=PROVIDERS, default="", help="whose endpoint (default: anthropic)")
    add("--effort", choices=EFFORTS, default="", help="how hard it thinks (default: the model's own)")
    add("--max-usd", default="", metavar="USD", help=f"what the whole run may cost (default: {DEFAULT_MAX_USD})")
    add("--max-usd-per-case", default="", metavar="USD", help="what one session, about one case of a shape, may cost")
    add("--max-tokens", type=_natural, default=0, metavar="N", help="needed for a model whose price is not known")
    add("--max-requests", type=_natural, default=0, metavar="N", help="requests, those without a reply included")
    add("--max-minutes", default="", metavar="M", help="until the last request, counted anew by each resume")


def _check(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("suite", type=Path, metavar="SUITE")
    verb.add_argument("--source", type=Path, metavar="SOURCE", help="compare with the dataset it was made from")
    verb.add_argument("--images", action="store_true", help="look into the images that the Docker engine has")
    _platform(verb)
    _output(verb)


def _prove(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("suite", type=Path, metavar="SUITE")
    verb.add_argument("--case", default="", metavar="GLOB", help="only cases whose name matches")
    verb.add_argument("--source", type=Path, metavar="SOURCE", help="run the dataset's own verifiers too and compare")
    verb.add_argument("--runner", choices=RUNNERS, default="auto")
    verb.add_argument("--deep", action="store_true", help="mutants, forgeries and every kind of sabotage too")
    verb.add_argument("--forge", action="store_true", help="the battery of forgeries too (part of --deep)")
    verb.add_argument("--mutants", type=_natural, default=12, metavar="N", help="of a case, with --deep (default: 12)")
    verb.add_argument("--repeat", type=_natural, default=1, metavar="N", help="run the plain states N times")
    verb.add_argument("--again", action="store_true", help="run what was proved before as well")
    verb.add_argument("--require-proof", action="store_true", help="unproved cases count as findings")
    _jobs(verb)
    _output(verb)


def _pin(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("place", type=Path, metavar="SUITE|SOURCE", help="a suite, or the dataset it is made from")
    _pins(verb)
    _output(verb)


def _resume(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("run", type=Path, metavar="RUN", help="OUT.run of the conversion")
    _model(verb)
    _jobs(verb)
    _output(verb)


def _report(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("run", type=Path, metavar="RUN", help="OUT.run of the conversion")
    _output(verb)


def _rules(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("code", nargs="?", default="", metavar="CODE")
    _output(verb)


def _gc(verb: argparse.ArgumentParser) -> None:
    _output(verb)


def _jobs(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--jobs", type=_natural, default=0, metavar="N", help="side by side (default: by size)")


def _output(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--json", action="store_true", help="the result as JSON on stdout")
    verb.add_argument("--quiet", action="store_true", help="no progress on stderr")


def _natural(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError(text)
    return number
