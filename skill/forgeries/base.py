"""What a forgery is: something a candidate can plant that looks like a pass, and nothing of the work itself.

A forgery is one small function that yields the steps of its plant for a case; its row (code, name, needs, rank,
bundle) stands in the decorator, its sentence and page are its docstring. The inert twin of a plant puts the same
files in the same places with harmless content, so that a verifier which is too strict is seen as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from skill.contract import FAIL, INFRA
from skill.forgeries.facts import ForgeryFacts

END: Final = "END-OF-PLANTED-FILE"

PREAMBLE: Final = """\
#!/bin/sh
put() { mkdir -p "$(dirname "$1")" 2>/dev/null; cat >"$1" && chmod "$2" "$1"; }
put_if_absent() { if [ -e "$1" ] || [ -L "$1" ]; then cat >/dev/null; else put "$1" "$2"; fi; }
append() { if [ -f "$1" ]; then cat >>"$1"; else cat >/dev/null; fi; }
module_file() {
  found=$(find "$1" -name "$2.py" -o -path "*/$2/__init__.py" 2>/dev/null | head -n 1)
  printf %s "${found:-$1/$2.py}"
}
site_folder() { python3 -c "import site; print($1)" 2>/dev/null || echo /nowhere; }
exec </dev/null >/dev/null 2>&1
"""


@dataclass(frozen=True)
class Put:
    """A file; ``path`` may hold shell expansions. The twin never replaces a file that is there."""

    path: str
    data: str
    inert: str | None = None  # None: the twin leaves the place alone, since tests may ask that nothing is there
    mode: str = "0644"

    def lines(self, inert: bool) -> Iterator[str]:
        """The step as shell."""
        data = self.inert if inert else self.data
        if data is not None:
            verb = "put_if_absent" if inert else "put"
            text = data if data.endswith("\n") or not data else data + "\n"
            yield f"{verb} \"{self.path}\" {self.mode} <<'{END}'\n{text}{END}"


@dataclass(frozen=True)
class Append:
    """A text at the end of a file that is there; the twin appends an empty line."""

    path: str
    data: str

    def lines(self, inert: bool) -> Iterator[str]:
        """The step as shell."""
        yield f"append \"{self.path}\" <<'{END}'\n{'' if inert else self.data.rstrip()}\n{END}"


@dataclass(frozen=True)
class Run:
    """Shell commands, and what the twin does instead."""

    shell: str
    inert: str = ""

    def lines(self, inert: bool) -> Iterator[str]:
        """The step as shell."""
        text = (self.inert if inert else self.shell).strip("\n")
        if text:
            yield text


Step = Put | Append | Run
Plant = Callable[[ForgeryFacts], Iterable[Step]]


@dataclass(frozen=True)
class Need:
    """What a case must have for a forgery to apply: in words, and as a function of its facts."""

    sentence: str
    holds: Callable[[ForgeryFacts], object]


ALWAYS: Final = Need("nothing", lambda facts: True)


@dataclass(frozen=True)
class Forgery:
    """One way of cheating."""

    code: str  # FG and the number in the catalogue
    name: str
    needs: Need
    rank: int
    bundle: str  # forgeries of one bundle do not disturb each other and are tried together
    plant: Plant
    verdicts: tuple[int, ...] = (FAIL,)  # what a sound verifier may say
    is_gate: bool = True  # False: it judges the source's own tests, and is only reported
    reported_where: Need | None = None  # where a gate cannot be kept, by what the task itself needs

    @property
    def sentence(self) -> str:
        """The first line of the function's docstring."""
        return (self.plant.__doc__ or "").strip().splitlines()[0]

    @property
    def page(self) -> str:
        """The rest of the docstring: who falls for it, what stops it, what that costs."""
        return "\n".join(line.strip() for line in (self.plant.__doc__ or "").strip().splitlines()[1:]).strip()

    def applies(self, facts: ForgeryFacts) -> bool:
        """Whether the case has what the forgery needs."""
        return bool(self.needs.holds(facts)) and any(True for _ in self.plant(facts))

    def counts(self, facts: ForgeryFacts) -> bool:
        """Whether a pass speaks against the conversion of this case."""
        return self.is_gate and not (self.reported_where and self.reported_where.holds(facts))

    def script(self, facts: ForgeryFacts, *, inert: bool = False) -> str:
        """The plant, or its inert twin, as a shell script for the case's container."""
        return script_of([self], facts, inert=inert)


@dataclass(frozen=True)
class NotPlantable:
    """A forgery of the catalogue that no plant stands for, and why."""

    code: str
    name: str
    sentence: str
    reason: str
    standing: str  # "runner": open in one container with root; "task": depends on the task; "covered": by another


def script_of(forgeries: Iterable[Forgery], facts: ForgeryFacts, *, inert: bool = False) -> str:
    """One script that plants all of ``forgeries``; a step that fails does not keep the next from being tried."""
    lines = [PREAMBLE]
    for forgery in forgeries:
        lines.append(f"# {forgery.code} {forgery.name}")
        for step in forgery.plant(facts):
            lines += step.lines(inert)
    return "\n".join([*lines, "exit 0", ""])


class Catalogue:
    """The table of forgeries, by code."""

    def __init__(self) -> None:
        self._rows: dict[str, Forgery] = {}

    def forgery(
        self,
        code: str,
        name: str,
        *,
        rank: int,
        bundle: str,
        needs: Need = ALWAYS,
        may_be_infra: bool = False,
        is_gate: bool = True,
        reported_where: Need | None = None,
    ) -> Callable[[Plant], Plant]:
        """Enter the decorated function under ``code``."""

        def register(plant: Plant) -> Plant:
            verdicts = (FAIL, INFRA) if may_be_infra else (FAIL,)
            self._rows[code] = Forgery(code, name, needs, rank, bundle, plant, verdicts, is_gate, reported_where)
            return plant

        return register

    def rows(self) -> Sequence[Forgery]:
        """All forgeries, by code."""
        return [self._rows[code] for code in sorted(self._rows)]


CATALOGUE: Final = Catalogue()
