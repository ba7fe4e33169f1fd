"""Rows read in pages as they scroll by, so that a list of 20,000 opens as fast as one of 20."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex

from desktop_app.domain.views import TaskFilter, TaskRow
from desktop_app.ui.context import UiContext
from desktop_app.ui.ids import same

PAGE = 200
"""Rows read at a time."""

KEPT = 4_000
"""Rows in memory."""


class LazyRowsModel(QAbstractTableModel):
    """The tasks a filter matches, in sheet order.

    Only the pks of all rows are held; the rows themselves are read a page at a time when ``row``
    is first asked for one of them. Every ``load`` makes them old: they are still shown, and read
    again where they are looked at. Subclasses say what a cell shows.
    """

    def __init__(self, context: UiContext, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self._filter = TaskFilter()
        self._pks: Sequence[int] = ()
        self._rows: dict[int, TaskRow | None] = {}  # None: there is no such row any more
        self._read_in: dict[int, int] = {}  # the generation each was read in
        self._asked: set[int] = set()
        self._generation = 0

    @property
    def pks(self) -> Sequence[int]:
        """Every matching pk."""
        return self._pks

    def row(self, index: int) -> TaskRow | None:
        """The row at this position as last read, or None while its page is on the way."""
        if not 0 <= index < len(self._pks):
            return None
        pk = self._pks[index]
        is_old = self._read_in.get(pk) != self._generation
        if is_old and index // PAGE not in self._asked:
            self._asked.add(index // PAGE)
            self.context.spawn(self._load_page(index // PAGE))
        return self._rows.get(pk)

    async def load(self, which: TaskFilter) -> None:
        """Read the matching pks anew; an older load still on its way is ignored, and a list that
        did not change keeps its selection and scroll position."""
        self._generation += 1
        mine = self._generation
        pks = await self._ids(which)
        if mine != self._generation:
            return
        if which == self._filter and same(self._pks, pks):
            self._tell(0, len(pks) - 1)
            return
        self.beginResetModel()
        if which != self._filter:
            self._rows.clear()
            self._read_in.clear()
        self._filter = which
        self._pks = pks
        self._asked.clear()
        self.endResetModel()

    async def _ids(self, which: TaskFilter) -> Sequence[int]:
        """A pk a line, in order."""
        return await self.context.services.queries.ids(which)

    async def _load_page(self, page: int) -> None:
        generation = self._generation
        pks = self._pks[page * PAGE : (page + 1) * PAGE]
        rows = await self.context.services.queries.rows(pks)
        self._asked.discard(page)
        for pk in pks:  # what was read last is dropped last
            self._rows.pop(pk, None)
        self._rows.update(dict.fromkeys(pks))
        self._rows.update((row.pk, row) for row in rows)
        self._read_in.update(dict.fromkeys(pks, generation))
        for pk in list(self._rows)[: max(0, len(self._rows) - KEPT)]:
            del self._rows[pk], self._read_in[pk]
        self._tell(page * PAGE, min((page + 1) * PAGE, len(self._pks)) - 1)

    def _tell(self, first: int, last: int) -> None:
        """Have these lines painted again, and so asked for where they are seen."""
        if first <= last:
            self.dataChanged.emit(self.index(first, 0), self.index(last, self.columnCount() - 1))

    def rowCount(  # noqa: N802 - Qt's name
        self,
        parent: QModelIndex | QPersistentModelIndex = QModelIndex(),  # noqa: B008
    ) -> int:
        """Every matching row, read or not."""
        return 0 if parent.isValid() else len(self._pks)

    def columnCount(  # noqa: N802 - Qt's name
        self,
        parent: QModelIndex | QPersistentModelIndex = QModelIndex(),  # noqa: B008
    ) -> int:
        """One, unless a subclass has more."""
        return 0 if parent.isValid() else 1
