"""The entry point: makes sure that ``skill`` and ``tools`` are ours before anything of them is imported.

The top-level names are ordinary words, and another distribution that ships a package of the same name into
the same environment would be imported in our place without a word.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent
NAMES = ("skill", "tools")


def intruder(home: Path = HOME) -> str | None:
    """One line about the first package that would be loaded from somewhere else than ``home``, or None."""
    for name in NAMES:
        spec = importlib.util.find_spec(name)
        if spec is None:
            return f"suite-converter: the package {name!r} is missing beside {home} (reinstall suite-converter)"
        if spec.origin is None or Path(spec.origin).resolve().parent.parent != home:
            where = spec.origin or ", ".join(spec.submodule_search_locations or ())
            return (
                f"suite-converter: another distribution's package {name!r} would be loaded from {where} "
                "(install suite-converter into an environment of its own)"
            )
    return None


def main() -> int:
    """Run the command line and return its exit status."""
    if message := intruder():
        print(message, file=sys.stderr)
        return 5
    from agent.cli import main as run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
