"""Long lists of ids are searched without a stall: walking a million of them takes Python 40 ms."""

from __future__ import annotations

import asyncio
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

WALKED = 50_000
"""So many ids are walked over at once; more of them in a thread."""

FEW = 8
"""So many are searched for one by one."""


def same(old: Sequence[int], new: Sequence[int]) -> bool:
    """Whether both hold the same ids in the same order."""
    return len(old) == len(new) and starts_with(new, old)


def starts_with(ids: Sequence[int], head: Sequence[int]) -> bool:
    """Whether ``ids`` begins with all of ``head``."""
    start = ids[: len(head)]
    # Arrays and lists compare at C speed with their own kind only.
    return bool(start == head) if type(start) is type(head) else list(start) == list(head)


class Unlike:
    """A list that grows in chunks beside an older one, and takes memory only from where it is no
    longer the same: a million ids are 8 MB. The older one must not change meanwhile."""

    def __init__(self, old: array[int]) -> None:
        self._old = old
        self._alike = 0
        self._own: array[int] | None = None

    @property
    def is_same(self) -> bool:
        """Whether it came to all of the older one and to nothing else."""
        return self._own is None and self._alike == len(self._old)

    def extend(self, chunk: array[int]) -> None:
        """More of it."""
        if self._own is None:
            end = self._alike + len(chunk)
            if self._old[self._alike : end] == chunk:
                self._alike = end
                return
            self._own = self._old[: self._alike]
        self._own.extend(chunk)

    def whole(self) -> array[int]:
        """All of it, as a list of its own."""
        if self._own is None:
            self._own = self._old[: self._alike]
        return self._own


def positions(ids: Sequence[int], wanted: Iterable[int]) -> dict[int, int]:
    """id -> position, for the wanted ids that are there."""
    found: dict[int, int] = {}
    rest: set[int] = set()
    for each in wanted:
        # Sheet order is the order of ids but for rows added later, so this mostly hits.
        at = bisect_left(ids, each)
        if at < len(ids) and ids[at] == each:
            found[each] = at
        else:
            rest.add(each)
    if rest and len(rest) <= FEW and isinstance(ids, array):
        found.update(_among_bytes(ids, rest))
    elif rest:
        found.update((each, at) for at, each in enumerate(ids) if each in rest)
    return found


def _among_bytes(ids: array[int], wanted: Iterable[int]) -> Iterator[tuple[int, int]]:
    """A million ids are 8 MB, and those are searched in 3 ms instead of 60."""
    size, whole = ids.itemsize, ids.tobytes()
    for each in wanted:
        pattern = array(ids.typecode, (each,)).tobytes()
        at = whole.find(pattern)
        while at % size and at > 0:
            at = whole.find(pattern, at + 1)
        if at >= 0:
            yield each, at // size


async def find(ids: Sequence[int], wanted: set[int]) -> dict[int, int]:
    """``positions``, in a thread where the walk may be long."""
    if len(ids) <= WALKED or not wanted:
        return positions(ids, wanted)
    return await asyncio.to_thread(positions, ids, wanted)
