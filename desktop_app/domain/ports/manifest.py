"""What keeping a list of results beside them asks of the store and of the disk."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class LandedResult:
    """A result that is committed: ``id`` counts up in the order of commits, ``records`` tell of its
    files, one each, as they stand in the list."""

    id: int
    batch_id: int
    out_dir: str
    records: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class ListedLast:
    """How far a folder's list goes for a batch. ``there``: there is a list; ``result`` and
    ``task_id`` are of the last result of the batch in it."""

    there: bool
    result: int = 0
    task_id: str = ""


class LandedStore(Protocol):
    """Committed results, in order."""

    async def newest(self) -> int:
        """The id of the newest result; 0: there is none."""
        ...

    async def landed(
        self, after: int, limit: int, batch_id: int | None = None
    ) -> list[LandedResult]:
        """Those with a greater id than ``after``, at most ``limit``."""
        ...


class ResultLists(Protocol):
    """``manifest.jsonl`` in a folder of results."""

    async def append(self, out_dir: str, records: Sequence[Mapping[str, Any]]) -> bool:
        """Add lines, all or none. False where that can't be done now."""
        ...

    async def last(self, out_dir: str, batch_id: int) -> ListedLast | None:
        """Mend the end of the list, and say how far it goes. None where that can't be told now."""
        ...

    async def listed(self, out_dir: str, batch_id: int) -> Container[tuple[str, str]]:
        """(task_id, file) of every line of the batch."""
        ...
