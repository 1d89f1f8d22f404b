"""The before and after pairs of references/verifier-rewriting.md, filled in by the code itself.

`python -m tests.support.rewriting_page` from the checkout writes the page anew; a test compares.
"""

from __future__ import annotations

import re
from pathlib import Path

from skill.verifier.base import Asset, Odd, VerifierInput
from skill.verifier.rewrite import rewrite

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "references" / "verifier-rewriting.md"
SECTION = re.compile(r"(?<=^## Shapes: before and after$)(.*?)(?=^## )", re.DOTALL | re.MULTILINE)
PAIR = re.compile(
    r"^```bash\n(.*?)^```\n(?:\n```python\n# tests/(\S+)\n(.*?)^```\n)?\n```sh\n(.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
STAGED = re.compile(r"/tests/([\w.]+)")


def pairs(text: str) -> list[re.Match[str]]:
    section = SECTION.search(text)
    return list(PAIR.finditer(section[1])) if section else []


def filled(text: str) -> str:
    """The page with every generated block as the code writes it today."""

    def fill(match: re.Match[str]) -> str:
        start, end = match.span(4)
        return match[0][: start - match.start()] + generated(match) + match[0][end - match.start() :]

    return SECTION.sub(lambda section: PAIR.sub(fill, section[0]), text)


def generated(match: re.Match[str]) -> str:
    script, name, helper = match[1], match[2], match[3]
    contents = dict.fromkeys(STAGED.findall(script), "") | ({name: helper} if name else {})
    result = rewrite(
        VerifierInput(
            script=script.encode(),
            assets=tuple(Asset(path, data.encode(), 0o644) for path, data in contents.items()),
            cwd="/app",
            test_cwd="/",
            timeout_seconds=900,
            env={},
            pre_verify=(),
            installed=frozenset(),
            image_env={},
            prompt="",
            pass_if=None,
        )
    )
    if isinstance(result, Odd):
        return f"# left to the agent or refused, {result.code}:\n# {result.sentence}\n"
    inner = result.files["source-test.sh"].decode()
    body = re.search(r"^main\(\) \{\n(.*?)^\}$", result.files["test.sh"].decode(), re.DOTALL | re.MULTILINE)
    assert body
    main = re.sub(r"^  ", "", body[1], flags=re.MULTILINE)
    main = re.sub(r"(?<=^begin )(\d+ \d+) [0-9a-f]{64}", r"\1 <manifest>", main)
    unchanged = inner == script
    shown = "# source-test.sh: the script above, unchanged\n" if unchanged else f"# source-test.sh\n{inner}"
    return f"{shown}\n# test.sh, in main\n{main}"


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text()))
