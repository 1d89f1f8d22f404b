"""What a session over a source of no known framework is told first: its task, and the source's files, as data."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from agent.recipes import shipped
from skill.recipe.recipe import NAME
from skill.sources.sample import Piece, listing, pieces
from skill.toml import load
from tools.fence import capped, fenced
from tools.plain import plain

PIECES_CAP: Final = 24_000  # characters of all that is shown of files
PIECE_CAP: Final = 9_000  # of one of them
DRAFTED: Final = 3  # records that become cases in the session
ORDER: Final = f"""\
Write the recipe for this source, whose files are those of no framework that the program knows. It is read-only in \
source/. Nothing is drafted yet: the cases come from the recipe, by program, and from nothing else.

1. Read `skill/references/recipes.md`, the form of a recipe, and the shipped recipe that is nearest to this source \
(below). What has to be found in a source, and when to ask or to refuse, is in `skill/references/unknown-sources.md`.
2. Write `suite/recipe/{NAME}` and the files that it names, beside it. Nothing else can be written in this session. \
`from` takes a file of source/ or of skill/recipes/.
3. Call `draft`. It tells all that is wrong with the recipe. Of a sound one it makes cases of the first {DRAFTED} \
records that can be cases, and tells what becomes of every record of the source.
4. Look at what was drafted with `read`, then call `margin_run`. What is wrong with a case is mended in the recipe, \
and drafted again.

The program applies the recipe to all records, to those too that you have not seen: it may hold nothing about a single \
one, and the first ones need not be like the rest. What it refuses is in the report; most records have to be converted.
The expected answer, the hidden tests and the reference solution belong to `verifier` and `oracle`, never to prompt or \
image; `fields.shared` is for what gives nothing away. The prompt has the source's own words; add only where to put \
the answer. Skip, with a reason, only what can be no case whatever a recipe says.
Where nobody wrote down what is right, end with `REFUSE: ` and the reason; what is a person's choice, `ask`."""
ALONE: Final = (
    "The source is this one file: `rows.files` then counts for nothing (give its name), and a rule with `from` has "
    "nothing to take."
)


def brief(source: Path) -> str:
    """What the session is told first; text of the source stands between marks that it cannot forge."""
    parts = [
        ORDER,
        *([ALONE] if source.is_file() else []),
        "\n".join(["Shipped recipes, each with a small source of its own:", *_shipped()]),
        fenced("\n".join(plain(line) for line in listing(source)), "The files of source/"),
        *_begun(pieces(source)),
    ]
    return "\n\n".join(parts)


def _shipped() -> Iterator[str]:
    for name, folder in shipped().items():
        table = load((folder / NAME).read_bytes())
        rows = table["rows"]
        form = rows["format"] if isinstance(rows, dict) else ""
        yield f"- `skill/recipes/{name}/{NAME}` ({form}): {table.get('description', '')}"


def _begun(found: Iterator[Piece]) -> Iterator[str]:
    """How files begin, as far as there is room."""
    room = PIECES_CAP
    for piece in found:
        shown = capped(piece.text, min(PIECE_CAP, room))
        room -= len(shown)
        head = f"{plain(piece.path)}  {piece.size:,} bytes"
        yield fenced(f"{head}\n\n{shown}", "A file of source/: its name, a blank line, how it begins")
        if room <= 0:
            return
