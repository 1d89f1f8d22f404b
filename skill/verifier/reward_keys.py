"""Can a verifier write a reward under a name? Answered with yes whenever it may be so."""

from __future__ import annotations

import ast
import re
from pathlib import PurePosixPath

from skill import bash
from skill.verifier import python
from skill.verifier.base import Asset
from skill.verifier.rewards import toolkit

TEXT_FILE = b"reward.txt"  # its number has the name "reward"
WHOLE = "reward"
REMARKS = ("#", "//")
NAMES_OF_ITS_OWN = re.compile(rb"\b(?:locals|vars|globals|asdict|__dict__|_asdict|model_dump)\b")


def may_be_written(key: str, script: bash.Script, assets: tuple[Asset, ...]) -> bool:
    """Whether anything in tests/ could write a reward called ``key``; False only where no file of it says the name.

    Comments, docstrings and names of variables do not count, a name put together at run time is not seen.
    """
    if key == WHOLE and any(TEXT_FILE in data for data in (script.data, *(asset.data for asset in assets))):
        return True
    word = re.compile(rf"(?<![\w.-]){re.escape(key)}(?![\w-]|\.(?:txt|json)\b)")
    if _in_shell(word, script):
        return True
    return any(_named_after(key, asset, script) or _says(word, asset) for asset in assets)


def _named_after(key: str, asset: Asset, script: bash.Script) -> bool:
    """Whether the toolkit would name a reward after the folder of the file, or, of one beside test.sh, "reward"."""
    parts = PurePosixPath(asset.path).parts
    return key in parts[:-1] or (key == WHOLE and len(parts) == 1 and toolkit(script) > 0)


def _says(word: re.Pattern[str], asset: Asset) -> bool:
    """Whether the file says the name where it could become a key."""
    if asset.path.endswith((".md", ".rst")):
        return False
    if asset.path.endswith(".sh"):
        return _in_shell(word, bash.parse(asset.data))
    module = python.tree(asset.data) if asset.path.endswith(".py") else None
    if module is None or NAMES_OF_ITS_OWN.search(asset.data):
        lines = asset.data.decode("utf-8", "replace").splitlines()
        return any(word.search(line) for line in lines if not line.lstrip().startswith(REMARKS))
    return any(word.search(text) for text in _key_words(module))


def _in_shell(word: re.Pattern[str], script: bash.Script) -> bool:
    return word.search(bash.without_comments(script).decode("utf-8", "replace")) is not None


def _key_words(module: ast.Module) -> list[str]:
    """What may become a key in Python: strings, named arguments, declared fields."""
    found = [str(node.value) for node in python.strings(module)]
    for node in ast.walk(module):
        if isinstance(node, ast.keyword) and node.arg:
            found.append(node.arg)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.append(node.target.id)
    return found
