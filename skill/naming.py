"""Case names: file-safe, unique in every file system, the same whatever else is converted and in what order.

A name that is unique after cleaning stays as it is. When several tasks want names that a file system could
take for one (equal, or equal but for case or Unicode form), *every* one of them gets a suffix made from its
own source id (short id, digest or path), so that none depends on which was met first.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from skill.sources.base import TaskRef

MAX_LENGTH: Final = 100
HASH: Final = 8
UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")
RESERVED: Final = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))}
)


def case_names(refs: Iterable[TaskRef]) -> dict[str, str]:
    """A case name for every task id; equal sets of tasks give equal names in any order.

    A suffix that happens to collide again, with a task that is called so by nature, is lengthened for both.
    """
    tasks = {ref.id: ref for ref in refs}
    strength = dict.fromkeys(tasks, 0)
    while True:
        names = {key: _with_suffix(ref, strength[key]) for key, ref in tasks.items()}
        groups: defaultdict[str, list[str]] = defaultdict(list)
        for key, name in names.items():
            groups[name.lower()].append(key)
        clashing = [key for group in groups.values() if len(group) > 1 for key in group]
        if not clashing:
            return names
        for key in clashing:
            strength[key] += 1


def safe_name(wished: str) -> str:
    """``wished`` as a file-safe name of at most 100 characters, with a hash for what ASCII cannot spell."""
    plain = unicodedata.normalize("NFC", wished)
    letters = [char for char in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(char)]
    lost = any(ord(char) > 127 for char in letters)
    name = UNSAFE.sub("-", "".join(letters)).lstrip("._-").rstrip(".-")
    if not name or name.partition(".")[0].lower() in RESERVED:
        name, lost = f"task-{name}".rstrip("-"), True
    if lost or len(name) > MAX_LENGTH:
        return _join(name, _hash(plain, HASH))
    return name


def _with_suffix(ref: TaskRef, strength: int) -> str:
    name = safe_name(ref.name)
    if strength == 0:
        return name
    seed = ref.salt if strength == 1 else f"{ref.salt}\0{ref.id}"
    return _join(name, _hash(seed, min(HASH * strength, 64)))


def _join(name: str, suffix: str) -> str:
    return f"{name[: MAX_LENGTH - len(suffix) - 1].rstrip('.-')}-{suffix}"


def _hash(text: str, length: int) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:length]
