"""The model holds row ids only and fetches what is looked at, so that a million rows are cheap."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from desktop_app.domain.events import BatchChanged, Event, TasksChanged
from desktop_app.domain.views import Sort, TaskFilter, TaskRow
from desktop_app.ui.context import UiContext
from desktop_app.ui.grid import cells
from desktop_app.ui.grid.columns import MOVING, RIGHT, Column, title
from desktop_app.ui.grid.kept_rows import KeptRows
from desktop_app.ui.grid.loader import Loader
from desktop_app.ui.ids import positions, starts_with
from desktop_app.ui.tasks import Latest

MARGIN = 40  # rows fetched beyond the visible ones, each way
NOWHERE = QModelIndex()

Index = QModelIndex | QPersistentModelIndex


class GridModel(QAbstractTableModel):
    """Ids in order plus a cache of row tuples.

    ``order_about_to_change`` and ``order_changed`` surround every change of the ids: whoever holds
    positions translates them to pks and back. ``holders`` say which pks that will be, so that
    their new places are found beforehand; where all ``patient`` agree a list is shown part by
    part. Then it ``is_partial``, and ``grown`` tells pk -> place of those ``awaiting`` one.
    ``loaded`` fires when visible rows or all ids arrived.
    """

    order_about_to_change = Signal()
    order_changed = Signal()
    grown = Signal(object)
    loaded = Signal()

    def __init__(self, context: UiContext, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._ids: array[int] = array("q")
        self._places: dict[int, int] = {}
        self._sought: set[int] = set()
        self.holders: list[Callable[[], Iterable[int]]] = []
        self.patient: list[Callable[[], bool]] = []
        self.awaiting: set[int] = set()
        self.is_partial = False
        self.batch_names: dict[int, str] = {}
        self._rows = KeptRows()
        self._visible = (0, -1)
        self._fetch = Latest(context.spawn, self._fetch_visible)
        self._loader = Loader(context, self)
        context.signals.events.connect(self._on_events)

    # --- what is shown ---------------------------------------------------------------------

    def show(self, which: TaskFilter, sort: Sort = Sort.ROW, descending: bool = False) -> None:
        """Show these tasks in this order; the ids arrive later, the first of them soon."""
        self._loader.show(which, sort, descending)

    @property
    def which(self) -> TaskFilter:
        """The filter in force."""
        return self._loader.which

    @property
    def is_known(self) -> bool:
        """Whether the ids were read, so that none means none."""
        return self._loader.is_known

    @property
    def is_busy(self) -> bool:
        """Whether ids are on their way."""
        return self._loader.is_busy

    @property
    def ids(self) -> array[int]:
        """The pks shown, in order."""
        return self._ids

    def row_at(self, position: int) -> TaskRow | None:
        """The row if it is at hand."""
        return self._rows.get(self._ids[position]) if 0 <= position < len(self._ids) else None

    def cached(self, pk: int) -> TaskRow | None:
        """The row of a task if it is at hand."""
        return self._rows.get(pk)

    def places(self, pks: Iterable[int]) -> dict[int, int]:
        """pk -> position, for those that are shown."""
        wanted = set(pks)
        if wanted <= self._sought:
            return {pk: self._places[pk] for pk in wanted if pk in self._places}
        return positions(self._ids, wanted)

    def want(self, first: int, last: int) -> None:
        """Say which positions are visible; missing and stale ones are fetched."""
        self._visible = (first, last)
        if self._needed():
            self._fetch()

    # --- Qt's questions --------------------------------------------------------------------

    def rowCount(self, parent: Index = NOWHERE) -> int:  # noqa: N802 - Qt's name
        """Rows shown."""
        return 0 if parent.isValid() else len(self._ids)

    def columnCount(self, parent: Index = NOWHERE) -> int:  # noqa: N802 - Qt's name
        """Columns."""
        return 0 if parent.isValid() else len(Column)

    def headerData(  # noqa: N802 - Qt's name
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Titles of the columns."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return title(self._context.tr, Column(section))
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            return title(self._context.tr, Column(section), said=True)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            flags = Qt.AlignmentFlag
            side = flags.AlignRight if Column(section) in RIGHT else flags.AlignLeft
            return side | flags.AlignVCenter
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Texts for screen readers and tooltips; the view paints rows without asking."""
        row = self.row_at(index.row())
        if row is None:
            return None
        column = Column(index.column())
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return cells.text(self._context.tr, row, column, self.batch_names)
        if role == Qt.ItemDataRole.ToolTipRole:
            return cells.tip(self._context.tr, row, column, self.batch_names)
        return None

    # --- following the store ---------------------------------------------------------------

    def _on_events(self, events: list[Event]) -> None:
        changed = False
        ids = False
        for event in events:
            if not isinstance(event, TasksChanged | BatchChanged):
                continue
            if self.which.batch_id not in (None, event.batch_id):
                continue
            if isinstance(event, BatchChanged):
                ids = True
                continue
            changed = True
            self._rows.outdate(event.pks)
            ids = ids or not event.pks
        if changed and self._needed():
            self._fetch()
        if ids or (changed and self._moves()):
            self._loader.refresh()

    def _moves(self) -> bool:
        """Whether a row that changes may come, go or take another place."""
        return bool(self.which.states or self.which.cause) or self._loader.sort in MOVING

    def _needed(self) -> list[int]:
        first, last = self._visible
        if last < first:
            return []
        return self._rows.lacking(self._ids[max(0, first - MARGIN) : last + 1 + MARGIN])

    async def _fetch_visible(self) -> None:
        needed = self._needed()
        if not needed:
            return
        self._rows.asked_for(needed)
        self._rows.keep(await self._context.services.queries.rows(needed))
        first, last = self._visible
        last = min(last, len(self._ids) - 1)
        if first <= last:
            # The whole row, because a row is painted as one.
            self.dataChanged.emit(self.index(first, 0), self.index(last, len(Column) - 1))
        self.loaded.emit()

    # --- what the loader brings ------------------------------------------------------------

    def held(self) -> set[int]:
        """The pks whose places matter to somebody."""
        held = {pk for holder in self.holders for pk in holder()}
        held.update(self._ids[i.row()] for i in self.persistentIndexList())
        return held

    def look(self, *, ended: bool) -> None:
        """Fetch what is seen of the new ids; ``ended``: no more come."""
        self.want(*self._visible)
        if ended:
            self.loaded.emit()

    def may_grow(self) -> bool:
        """Whether the first part of a list may be shown before all of ``held`` is found."""
        return all(agree() for agree in self.patient)

    def append(self, ids: array[int], places: dict[int, int]) -> None:
        """More ids below; ``places`` of those awaited."""
        count = len(self._ids)
        self.beginInsertRows(NOWHERE, count, count + len(ids) - 1)
        self._ids.extend(ids)
        self._sought.clear()  # the places known are those of the ids so far
        self.endInsertRows()
        self.grown.emit(places)

    def whole(self) -> None:
        """All ids have come."""
        self.is_partial = False
        self.grown.emit({})

    def take(
        self, ids: array[int], places: dict[int, int], sought: set[int], *, more: bool
    ) -> None:
        """These ids instead; ``places`` are those of the ``sought`` pks among them."""
        old = self._ids
        self.is_partial = more
        if len(ids) > len(old) > 0 and starts_with(ids, old):
            self.beginInsertRows(NOWHERE, len(old), len(ids) - 1)
            self._ids, self._places, self._sought = ids, places, sought
            self.endInsertRows()
            self.grown.emit(places)
            return
        self.order_about_to_change.emit()
        self.layoutAboutToBeChanged.emit()
        held = self.persistentIndexList()
        pks = [old[i.row()] if 0 <= i.row() < len(old) else -1 for i in held]
        self._ids, self._places, self._sought = ids, places, sought
        where = self.places(pks)
        moved = [
            self.index(where[pk], i.column()) if pk in where else QModelIndex()
            for pk, i in zip(pks, held, strict=True)
        ]
        self.changePersistentIndexList(held, moved)
        self.layoutChanged.emit()
        self.order_changed.emit()
