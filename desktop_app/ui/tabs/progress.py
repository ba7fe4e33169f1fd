"""The grid with its filters: every row of the batch and where it stands now."""

from __future__ import annotations

import base64

from PySide6.QtCore import QByteArray, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QToolButton, QVBoxLayout, QWidget

from desktop_app.domain.ledger import Ledger
from desktop_app.domain.task import TaskState
from desktop_app.domain.views import Sort, TaskFilter
from desktop_app.ui.context import UiContext
from desktop_app.ui.grid.chips import Chips
from desktop_app.ui.grid.columns import AT_ONCE, SORTS, Column
from desktop_app.ui.grid.menu import RowMenu
from desktop_app.ui.grid.model import GridModel
from desktop_app.ui.grid.view import GridView
from desktop_app.ui.thumbnails import Thumbnails

FIND_AFTER_MS = 200
FOLLOW_EVERY_MS = 1500
SAY_AFTER_MS = 300  # what takes less needs no word
HEADER = "grid.columns"


class ProgressTab(QWidget):
    """``cancel_asked`` carries a TaskFilter of the selected rows."""

    cancel_asked = Signal(object)
    follow_changed = Signal(bool)

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._batch_id: int | None = None
        self._was_shown = False
        self._sort, self._descending = Sort.ROW, False
        services = context.services
        self.thumbnails = Thumbnails(
            context.spawn, services.preferences.thumbnails_dir(), context.theme.size("thumb"), self
        )
        self.model = GridModel(context, self)
        self.view = GridView(context, self.model, self.thumbnails, self)
        self.menu = RowMenu(context, self.model, self.view)
        self.chips = Chips(context, self)
        self.search = QLineEdit(self)
        self.busy = QLabel(self)
        self.busy.setProperty("tone", "muted")
        self.follow = QToolButton(self)
        self._find_later = QTimer(self, interval=FIND_AFTER_MS, singleShot=True)
        self._busy_later = QTimer(self, interval=SAY_AFTER_MS, singleShot=True)
        self._follow_timer = QTimer(self, interval=FOLLOW_EVERY_MS)
        self.setProperty("pane", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._lay_out()
        self._connect()
        self.retranslate()

    def _lay_out(self) -> None:
        self.search.setMinimumWidth(120)
        self.search.setMaximumWidth(240)
        self.search.setClearButtonEnabled(True)
        self.search.addAction(
            self._context.icons.icon("search", "faint"), QLineEdit.ActionPosition.LeadingPosition
        )
        self.follow.setCheckable(True)
        self.follow.setProperty("look", "quiet")
        self._context.icons.wear(self.follow, "follow")
        bar = QHBoxLayout()
        bar.setContentsMargins(12, 8, 12, 8)
        bar.setSpacing(8)
        bar.addWidget(self.chips)
        bar.addStretch(1)
        bar.addWidget(self.busy)
        bar.addWidget(self.follow)
        bar.addWidget(self.search, 2)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(bar)
        whole.addWidget(self.view, 1)
        head = self.view.horizontalHeader()
        for one, after in ((self.follow, self.search), (self.search, head), (head, self.view)):
            self.setTabOrder(one, after)
        self._restore_header()

    def _connect(self) -> None:
        self.chips.changed.connect(self._show)
        self.search.textChanged.connect(lambda _text: self._find_later.start())
        self.search.returnPressed.connect(self._show)
        self._find_later.timeout.connect(self._show)
        self._busy_later.timeout.connect(self._say_busy)
        self.model.loaded.connect(self._on_loaded)
        self.follow.toggled.connect(self._follow_toggled)
        self._follow_timer.timeout.connect(lambda: self._context.spawn(self._go_to_running()))
        self.view.opened.connect(self._context.signals.open_task)
        self.menu.cancel_asked.connect(self.cancel_asked)
        head = self.view.horizontalHeader()
        head.sectionClicked.connect(self._sort_by)
        head.sectionResized.connect(self._resized)
        head.sectionMoved.connect(lambda *_: self._remember_header())

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """At first the keys go to the rows: the ring on a filter would look as if it were on."""
        super().showEvent(event)
        if not self._was_shown:
            self._was_shown = True
            self.view.setFocus()

    # --- what is shown ---------------------------------------------------------------------

    def set_batch(self, batch_id: int | None) -> None:
        """Show the rows of this batch, or of all."""
        self._batch_id = batch_id
        self._show_batches()
        self.view.clearSelection()
        self.view.verticalScrollBar().setValue(0)
        self._show()

    def set_batches(self, names: dict[int, str]) -> None:
        """The names of all batches, for rows of several."""
        self.model.batch_names = names
        self._show_batches()

    def _show_batches(self) -> None:
        self.view.show_batches(self._batch_id is None and len(self.model.batch_names) > 1)

    def set_ledger(self, ledger: Ledger) -> None:
        """Counts for the chips."""
        self.chips.set_ledger(ledger)

    def focus_find(self) -> None:
        """Ctrl+F."""
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def retranslate(self) -> None:
        """Every word again."""
        tr = self._context.tr
        self.chips.retranslate()
        self.search.setPlaceholderText(tr("Find a row"))
        self.search.setAccessibleName(tr("Find in prompts, names and row numbers"))
        self.follow.setToolTip(tr("Follow running rows"))
        self.follow.setAccessibleName(tr("Follow running rows"))
        self.view.setAccessibleName(tr("Rows of the batch"))
        self.view.horizontalHeader().setAccessibleName(tr("Sort by a column"))
        self.model.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(Column) - 1)
        self._say_empty()
        if self.busy.text():
            self._say_busy()
        self.view.viewport().update()

    def _show(self) -> None:
        self._find_later.stop()
        which = TaskFilter(
            batch_id=self._batch_id, states=self.chips.states(), text=self.search.text().strip()
        )
        self._say_empty()
        self._busy_later.start()
        self.model.show(which, self._sort, self._descending)

    def _say_busy(self) -> None:
        """All rows of a long list are looked at before the first is shown: say what for."""
        tr = self._context.tr
        if not self.model.is_busy:
            self.busy.clear()
        elif self._sort not in AT_ONCE:
            self.busy.setText(tr("Sorting…"))
        elif self.search.text().strip():
            self.busy.setText(tr("Searching…"))
        else:
            self.busy.clear()  # it was about what was looked for before

    def _on_loaded(self) -> None:
        if not self.model.is_busy:
            self._busy_later.stop()
            self._say_busy()

    def _say_empty(self) -> None:
        tr = self._context.tr
        filtered = bool(self.chips.states() or self.search.text().strip())
        self.view.empty_text = (
            tr("No row matches. Clear the filters to see all rows.")
            if filtered
            else tr("No rows here yet. Drop a sheet on the window to begin.")
        )

    def _sort_by(self, section: int) -> None:
        head = self.view.horizontalHeader()
        sort = SORTS[Column(section)]
        self._descending = sort is self._sort and not self._descending
        self._sort = sort
        order = Qt.SortOrder.DescendingOrder if self._descending else Qt.SortOrder.AscendingOrder
        # Qt has turned its sign already, but by the click before and not by the order in force.
        head.setSortIndicator(section, order)
        # Sheet order is how things are; only another order needs a sign.
        head.setSortIndicatorShown(self._sort is not Sort.ROW or self._descending)
        self._show()

    # --- following -------------------------------------------------------------------------

    def _follow_toggled(self, on: bool) -> None:
        if on:
            self._follow_timer.start()
            self._context.spawn(self._go_to_running())
        else:
            self._follow_timer.stop()
        self.follow_changed.emit(on)

    async def _go_to_running(self) -> None:
        running = TaskFilter(batch_id=self._batch_id, states=frozenset({TaskState.RUNNING}))
        pks = await self._context.services.queries.ids(running)
        if pks and self.isVisible():
            self.view.go_to(pks[0], choose=False)

    # --- remembered ------------------------------------------------------------------------

    def _resized(self, section: int, old: int, new: int) -> None:
        # The last column resizes itself with the window, and one is shown and hidden with the
        # batches; that is nobody's choice.
        if 0 in (old, new):
            return
        head = self.view.horizontalHeader()
        if head.visualIndex(section) != head.count() - 1:
            self._remember_header()

    def _remember_header(self) -> None:
        if self.isVisible() and not self.view.adjusting:
            self.view.fitting = False
            state = self.view.horizontalHeader().saveState().data()
            self._context.services.preferences.set(HEADER, base64.b64encode(state).decode())

    def _restore_header(self) -> None:
        kept = self._context.services.preferences.get(HEADER)
        head = self.view.horizontalHeader()
        if isinstance(kept, str):
            self.view.fitting = not head.restoreState(QByteArray(base64.b64decode(kept)))
        self.view.setColumnHidden(Column.BATCH, True)
        head.setStretchLastSection(True)
        head.setSortIndicatorShown(False)
