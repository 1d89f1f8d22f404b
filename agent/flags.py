"""Flags that several commands share; imports nothing but argparse."""

from __future__ import annotations

import argparse

RUNNERS = ("auto", "docker", "margin")
PROVIDERS = ("anthropic", "bedrock", "vertex")
DEFAULT_MAX_USD = "10"
EFFORTS = ("low", "medium", "high", "xhigh", "max")


def images(verb: argparse.ArgumentParser) -> None:
    """Which images a suite names, and where they are published."""
    add = verb.add_argument
    add(
        "--image",
        choices=("keep", "dockerfile", "publish"),
        default="",
        help="keep images (pinned by digest), build Dockerfiles, or build and publish them",
    )
    add("--registry", default="", metavar="HOST/PATH", help="where --image publish pushes to")
    pins(verb)


def pins(verb: argparse.ArgumentParser) -> None:
    """Where digests are kept, and for which platform."""
    add = verb.add_argument
    add("--pins", default="", metavar="FILE", help="TOML file of image names and their digests, read and added to")
    platform(verb)


def platform(verb: argparse.ArgumentParser) -> None:
    """What images must run on."""
    text = "what images must run on (default: linux/amd64)"
    verb.add_argument("--platform", default="linux/amd64", metavar="OS/ARCH", help=text)


def proof(verb: argparse.ArgumentParser) -> None:
    """What is proved, and by what."""
    add = verb.add_argument
    add(
        "--proof",
        choices=("none", "states", "deep", "source"),
        default="states",
        help="prove a sample (default: states; deep: with mutants, forgeries and all sabotage; "
        "source: beside the dataset's own verifiers)",
    )
    add("--sample", type=natural, default=3, metavar="N", help="cases proved for each shape (default: 3)")
    add(
        "--runner",
        choices=RUNNERS,
        default="auto",
        help="what proves (default: margin where it is, else docker)",
    )
    add("--require-proof", action="store_true", help="no suite without a proof of every shape")


def model(verb: argparse.ArgumentParser) -> None:
    """Which model, and what it may cost."""
    group = verb.add_argument_group("model", "for verifiers that no rule covers; used when there is a key, or --model")
    add = group.add_argument
    add("--model", default="", metavar="NAME", help="which one; none: do without (default: none without a key)")
    add("--provider", choices=PROVIDERS, default="", help="whose endpoint (default: anthropic)")
    add("--effort", choices=EFFORTS, default="", help="how hard it thinks (default: the model's own)")
    add("--max-usd", default="", metavar="USD", help=f"what the whole run may cost (default: {DEFAULT_MAX_USD})")
    add("--max-usd-per-case", default="", metavar="USD", help="what one session, about one case of a shape, may cost")
    add("--max-tokens", type=natural, default=0, metavar="N", help="needed for a model whose price is not known")
    add("--max-requests", type=natural, default=0, metavar="N", help="requests, those without a reply included")
    add("--max-minutes", default="", metavar="M", help="until the last request, counted anew by each resume")


def jobs(verb: argparse.ArgumentParser) -> None:
    """How many at once."""
    verb.add_argument("--jobs", type=natural, default=0, metavar="N", help="side by side (default: by size)")


def output(verb: argparse.ArgumentParser) -> None:
    """How the result is told."""
    verb.add_argument("--json", action="store_true", help="the result as JSON on stdout")
    verb.add_argument("--quiet", action="store_true", help="no progress on stderr")


def natural(text: str) -> int:
    """A whole number from 0 on; ValueError for anything else."""
    number = int(text)
    if number < 0:
        raise ValueError(text)
    return number
