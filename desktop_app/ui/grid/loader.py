"""Reads which rows a list has: one list at a time, left at once where another is wanted."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Coroutine
from contextlib import aclosing
from typing import Any, Protocol

from desktop_app.domain.views import Sort, TaskFilter
from desktop_app.ui.context import UiContext
from desktop_app.ui.ids import Unlike, find
from desktop_app.ui.tasks import Latest

EVERY_S = 0.5
SHARE = 0.2  # of the time at most, when a million ids take a second to read


class Shown(Protocol):
    """Where the ids go."""

    @property
    def ids(self) -> array[int]:
        """The pks shown, in order."""

    @property
    def awaiting(self) -> set[int]:
        """Those held that have not come yet."""

    def held(self) -> set[int]:
        """The pks whose places matter to somebody."""

    def may_grow(self) -> bool:
        """Whether the first part may be shown before all of ``held`` is found."""

    def take(
        self, ids: array[int], places: dict[int, int], sought: set[int], *, more: bool
    ) -> None:
        """Show these instead; ``places`` are those of the ``sought`` among them; ``more`` come."""

    def append(self, ids: array[int], places: dict[int, int]) -> None:
        """Show these below; ``places`` of those awaited, in the whole list."""

    def whole(self) -> None:
        """All have come."""

    def look(self, *, ended: bool) -> None:
        """Rows are there to be fetched; ``ended``: nothing more comes."""


class Loader:
    """``is_known``: the ids were read, so that none means none; ``is_busy``: they are on their
    way."""

    def __init__(self, context: UiContext, shown: Shown) -> None:
        self._context = context
        self._shown = shown
        self._task: asyncio.Task[Any] | None = None
        self.which = TaskFilter()
        self.sort = Sort.ROW
        self.descending = False
        self.is_known = False
        self._stale = False
        self._again = Latest(context.spawn, self._refresh, EVERY_S, SHARE)

    @property
    def is_busy(self) -> bool:
        """Whether a list is being read."""
        return self._task is not None and not self._task.done()

    def show(self, which: TaskFilter, sort: Sort, descending: bool) -> None:
        """Read this list; the ids come later, the first of them soon."""
        self.which, self.sort, self.descending = which, sort, descending
        self.is_known = False
        self._stale = False
        self._start(self._load(as_found=True))

    def refresh(self) -> None:
        """Read the same list again, soon. One on its way is not given up for what has changed
        meanwhile: while rows run that is always something, and its first rows are awaited."""
        if self.is_busy:
            self._stale = True
        else:
            self._again()

    def _start(self, load: Coroutine[Any, Any, None]) -> None:
        if self._task is not None:
            self._task.cancel()
        self._task = self._context.spawn(load)

    async def _refresh(self) -> None:
        self._start(self._load(as_found=False))
        while (task := self._task) is not None and not task.done():
            await asyncio.wait((task,))

    async def _load(self, *, as_found: bool) -> None:
        try:
            await self._read(as_found=as_found)
        except Exception:
            self._end()
            raise
        self.is_known = True
        self._end()

    def _end(self) -> None:
        self._task = None
        self._shown.look(ended=True)
        if self._stale:
            self._stale = False
            self._again()

    async def _read(self, *, as_found: bool) -> None:
        """``as_found``: show each part as it comes. Where something has to be found first, the
        whole list replaces the old one at once, as it does where it was shown already."""
        shown = self._shown
        ids, begun = Unlike(shown.ids), False
        queries = self._context.services.queries
        async with aclosing(queries.id_chunks(self.which, self.sort, self.descending)) as chunks:
            async for chunk in chunks:
                if begun:
                    found = await find(chunk, shown.awaiting)
                    above = len(shown.ids)
                    shown.append(chunk, {pk: above + at for pk, at in found.items()})
                    continue
                ids.extend(chunk)
                begun = as_found and shown.may_grow()
                if begun:
                    await self._take(ids.whole(), more=True)
                    shown.look(ended=False)
        if begun:
            shown.whole()
        elif not ids.is_same:
            await self._take(ids.whole(), more=False)

    async def _take(self, ids: array[int], *, more: bool) -> None:
        sought = self._shown.held()
        self._shown.take(ids, await find(ids, sought), sought, more=more)
