"""A tree with tasks of several frameworks, split by folder: each folder belongs to the one whose marks it bears."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from skill.sources.base import Inventory, Origin, Refusal, Skip, Source, SourceTask, TaskRef, in_order


@dataclass(frozen=True)
class Mixed:
    """Several sources at once; a folder that is a task of two of them is refused, for nothing tells which counts."""

    sources: tuple[Source, ...]

    @property
    def name(self) -> str:
        """The frameworks' names."""
        return "+".join(source.name for source in self.sources)

    def detect(self, root: Path) -> str | None:
        """The evidence of all of them."""
        found = [f"{source.name}: {evidence}" for source in self.sources if (evidence := source.detect(root))]
        return "; ".join(found) or None

    def inventory(self, root: Path) -> Inventory:
        """The tasks of all frameworks; what lies inside a task is none, what one of them finds is not left aside."""
        parts = [source.inventory(root) for source in self.sources]
        every = {ref.id: ref for part in parts for ref in part.tasks}
        refs = {place: ref for place, ref in every.items() if not any(above in every for above in _above(place))}
        skipped = {skip.path: skip for part in parts for skip in part.skipped if not _holds(skip.path, refs)}
        for place in every.keys() - refs.keys():
            skipped[place] = Skip(place, "lies inside a task of another framework")
        return Inventory(
            framework=self.name,
            root=parts[0].root,
            name=parts[0].name,
            description=next((part.description for part in parts if part.description), ""),
            tasks=in_order(iter(refs.values())),
            skipped=tuple(skipped[path] for path in sorted(skipped)),
            findings=tuple(finding for part in parts for finding in part.findings),
        )

    def owners(self, ref: TaskRef) -> tuple[Source, ...]:
        """The sources for which the folder of ``ref`` is a task."""
        return tuple(
            source for source in self.sources if any(own.id == "." for own in source.inventory(ref.root).tasks)
        )

    def origin(self, ref: TaskRef) -> Origin:
        """Where the task's container comes from; one that is refused has no origin."""
        owners = self.owners(ref)
        return owners[0].origin(ref) if len(owners) == 1 else Origin()

    def load(self, ref: TaskRef) -> SourceTask:
        """The task as its framework reads it; one that bears the marks of two is refused."""
        owners = self.owners(ref)
        if len(owners) == 1:
            return owners[0].load(ref)
        names = " and ".join(owner.name for owner in owners) or "no framework any more"
        refusal = Refusal(
            "ambiguous-format", f"the folder bears the marks of {names}; nothing tells which of them counts"
        )
        return SourceTask(
            ref=ref,
            framework=self.name,
            prompt=None,
            description="",
            metadata={},
            image=None,
            dockerfile=None,
            environment=(),
            empty_dirs=(),
            tests=(),
            solution=(),
            workdir=None,
            timeout_sec=None,
            refusals=(refusal,),
        )


def _above(place: str) -> Iterator[str]:
    """The folders above ``place``, the root excepted."""
    parts = place.split("/")
    return ("/".join(parts[:count]) for count in range(1, len(parts)))


def _holds(place: str, refs: dict[str, TaskRef]) -> bool:
    """Whether there is a task in a folder or below it."""
    return place in refs or any(ref.startswith(f"{place}/") for ref in refs)
