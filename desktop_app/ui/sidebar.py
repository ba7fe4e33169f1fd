"""Batches and connections, always in sight, because every other pane is about one of them."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from desktop_app.domain.views import BatchSummary, ConnectionView
from desktop_app.ui import words
from desktop_app.ui.context import UiContext
from desktop_app.ui.priorities import priority_word, shown
from desktop_app.ui.sidebar_menus import batch_menu, connection_menu
from desktop_app.ui.sidebar_paint import (
    ITEM,
    BatchLines,
    ConnectionLines,
    account_word,
    batch_percent,
    batch_word,
)


class Sidebar(QWidget):
    """``selected`` int | None. ``batch_action`` (batch id, word) with word in start, pause,
    cancel, priority_high, priority_normal, priority_low, open_folder, export_results,
    export_failures. ``connection_action`` (id, word) with
    word in edit, try_again, remove. ``add_connection`` is the plus button."""

    selected = Signal(object)
    batch_action = Signal(int, str)
    connection_action = Signal(int, str)
    add_connection = Signal()

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.setProperty("pane", "side")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumWidth(180)
        self.batches = QListWidget(self)
        self.connections = QListWidget(self)
        self._batch_lines = BatchLines(context)
        self._connection_lines = ConnectionLines(context)
        self.batches.setItemDelegate(self._batch_lines)
        self.connections.setItemDelegate(self._connection_lines)
        self.heading = QLabel(self)
        self.heading.setProperty("tone", "heading")
        self.heading.setFont(context.theme.font("small", bold=True))
        self.no_connection = QLabel(self)
        self.no_connection.setProperty("tone", "faint")
        self.no_connection.setWordWrap(True)
        self.no_connection.setContentsMargins(16, 0, 16, 8)
        self.add = QToolButton(self)
        self.add.setProperty("look", "quiet")
        self.add.setIconSize(QSize(14, 14))
        context.icons.wear(self.add, "plus")
        self._lay_out()
        self._connect()
        self.batches.addItem(QListWidgetItem())
        self.batches.setCurrentRow(0)
        self.retranslate()

    def _lay_out(self) -> None:
        for view in (self.batches, self.connections):
            view.setMouseTracking(True)
            view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            view.setUniformItemSizes(False)
        title = QHBoxLayout()
        title.setContentsMargins(16, 8, 10, 4)
        title.addWidget(self.heading, 1)
        title.addWidget(self.add)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 8)
        column.setSpacing(0)
        column.addWidget(self.batches, 1)
        column.addLayout(title)
        column.addWidget(self.no_connection)
        column.addWidget(self.connections)

    def _connect(self) -> None:
        self.batches.currentItemChanged.connect(lambda *_: self.selected.emit(self.batch_id()))
        self.batches.customContextMenuRequested.connect(self._batch_menu)
        self.connections.customContextMenuRequested.connect(self._connection_menu)
        self.connections.itemActivated.connect(
            lambda item: self.connection_action.emit(item.data(ITEM).id, "edit")
        )
        self.add.clicked.connect(self.add_connection)
        self._context.theme.changed.connect(self._repaint)

    # --- what is shown ---------------------------------------------------------------------

    def batch_id(self) -> int | None:
        """The selected batch; None is all."""
        item = self.batches.currentItem()
        data = item.data(ITEM) if item is not None else None
        return data.batch.id if isinstance(data, BatchSummary) else None

    def select_batch(self, batch_id: int | None) -> bool:
        """Select a batch; False while it is not listed."""
        for at in range(self.batches.count()):
            data = self.batches.item(at).data(ITEM)
            if (data.batch.id if data is not None else None) == batch_id:
                self.batches.setCurrentRow(at)
                return True
        return False

    def set_batches(self, summaries: list[BatchSummary]) -> None:
        """Show these batches; the selection stays."""
        old = [self.batches.item(at).data(ITEM) for at in range(1, self.batches.count())]
        if [s.batch.id for s in old] != [s.batch.id for s in summaries]:
            chosen = self.batch_id()
            self.batches.blockSignals(True)
            while self.batches.count() > 1:
                self.batches.takeItem(1)
            for _ in summaries:
                self.batches.addItem(QListWidgetItem())
            self._fill(summaries)
            kept = self.select_batch(chosen)
            self.batches.blockSignals(False)
            if not kept:
                self.batches.setCurrentRow(0)
                self.selected.emit(None)
        else:
            self._fill(summaries)

    def _fill(self, summaries: list[BatchSummary]) -> None:
        for at, summary in enumerate(summaries, start=1):
            item = self.batches.item(at)
            if item.data(ITEM) != summary:
                item.setData(ITEM, summary)
                self._word_batch(item, summary)

    def _word_batch(self, item: QListWidgetItem, summary: BatchSummary) -> None:
        word = batch_word(self._context.tr, summary)
        said = [f"{batch_percent(summary)}%", word]
        if first := priority_word(self._context.tr, shown(summary)):
            said.append(first)
            word = f"{word}\n{first}"
        read = ", ".join((summary.batch.name, *said))
        item.setData(Qt.ItemDataRole.AccessibleTextRole, read)
        connection = words.connection_name(self._context.tr, summary.connection_name)
        item.setToolTip(f"{summary.batch.name}\n{connection}\n{word}")

    def set_connections(self, views: list[ConnectionView]) -> None:
        """Show these connections; the selection stays."""
        while self.connections.count() > len(views):
            self.connections.takeItem(self.connections.count() - 1)
        while self.connections.count() < len(views):
            self.connections.addItem(QListWidgetItem())
        for at, view in enumerate(views):
            item = self.connections.item(at)
            item.setData(ITEM, view)
            self._word_connection(item, view)
        self.no_connection.setVisible(not views)
        self.connections.setVisible(bool(views))
        self.connections.setFixedHeight(min(6, len(views)) * 36 + 4)

    def _word_connection(self, item: QListWidgetItem, view: ConnectionView) -> None:
        tr = self._context.tr
        word = account_word(tr, view.state)
        name = words.connection_name(tr, view.name)
        item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{name}, {word}")
        why = f"\n{tr.say(view.said)}" if view.said is not None else ""
        item.setToolTip(f"{name}: {word}\n{view.model}\n{view.base_url}{why}")

    def retranslate(self) -> None:
        """Every word again."""
        tr = self._context.tr
        self.batches.item(0).setText(tr("All batches"))
        self.batches.setAccessibleName(tr("Batches"))
        self.connections.setAccessibleName(tr("Connections"))
        self.heading.setText(tr("Connections"))
        self.no_connection.setText(tr("None yet. The practice server needs none."))
        self.add.setAccessibleName(tr("Add a connection"))
        self.add.setToolTip(tr("Add a connection"))
        for at in range(1, self.batches.count()):
            item = self.batches.item(at)
            self._word_batch(item, item.data(ITEM))
        for at in range(self.connections.count()):
            item = self.connections.item(at)
            self._word_connection(item, item.data(ITEM))
        self._repaint()

    def _repaint(self) -> None:
        self.batches.viewport().update()
        self.connections.viewport().update()

    # --- menus -----------------------------------------------------------------------------

    def _batch_menu(self, at: QPoint) -> None:
        item = self.batches.itemAt(at)
        summary = item.data(ITEM) if item is not None else None
        if isinstance(summary, BatchSummary):
            self.batch_menu(summary).popup(self.batches.viewport().mapToGlobal(at))

    def batch_menu(self, summary: BatchSummary) -> QMenu:
        """What can be done with a batch."""
        batch_id = summary.batch.id
        return batch_menu(
            self._context, summary, lambda word: self.batch_action.emit(batch_id, word), self
        )

    def _connection_menu(self, at: QPoint) -> None:
        item = self.connections.itemAt(at)
        view = item.data(ITEM) if item is not None else None
        if isinstance(view, ConnectionView):
            self.connection_menu(view).popup(self.connections.viewport().mapToGlobal(at))

    def connection_menu(self, view: ConnectionView) -> QMenu:
        """What can be done with a connection."""
        return connection_menu(
            self._context, view, lambda word: self.connection_action.emit(view.id, word), self
        )
