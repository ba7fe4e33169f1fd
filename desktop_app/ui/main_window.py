"""The window only puts its parts together; each part knows its own business."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QCloseEvent, QHideEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from desktop_app.domain.events import AlertKind, Notification
from desktop_app.domain.views import BatchSummary
from desktop_app.ui.actions import Actions
from desktop_app.ui.banner import BannerBar
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.closing import Closer, OnQuit
from desktop_app.ui.commands import bind
from desktop_app.ui.context import UiContext
from desktop_app.ui.detail_place import DetailPlace
from desktop_app.ui.drop import DropOverlay
from desktop_app.ui.flows import Flows
from desktop_app.ui.footer import Footer
from desktop_app.ui.late_parts import LateParts
from desktop_app.ui.late_tabs import LateTabs
from desktop_app.ui.notifier import Notifier
from desktop_app.ui.panes import DETAIL, SIDE, Panes
from desktop_app.ui.sidebar import Sidebar
from desktop_app.ui.tabs.progress import ProgressTab
from desktop_app.ui.toolbar import RunBar
from desktop_app.ui.watch import Standing, Watch

if TYPE_CHECKING:
    from desktop_app.ui.tabs.gathered import GatheredTab

PROGRESS, NEEDS_YOU, RESULTS = range(3)
"""The tabs, from the left."""


class MainWindow(LateParts):
    """``closed`` fires once, when the window has really gone. ``on_quit`` (see Closer) is awaited
    before. Build it on a running loop: it asks the services at once."""

    closed = Signal()

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self.context = context
        self._wanted: int | None = None
        self._shown = False
        self._listed = False
        self._needs = 0
        self.watch = Watch(context, self)
        self.bridge = Bridge(context.services.bus, context.signals, self)
        self.flows = Flows(context, self.watch, self)
        self.closer = Closer(context, self)
        self.notifier = Notifier(context, self)
        self.actions_ = Actions(context, self)
        self.run_bar = RunBar(context, self.actions_, self)
        self.banner = BannerBar(context, self)
        self.sidebar = Sidebar(context, self)
        self.progress = ProgressTab(context, self)
        self.detail_place = DetailPlace(context, self)
        self.footer = Footer(context, self)
        self.tabs = LateTabs(self)
        self.pages = QStackedWidget(self)
        self.panes = Panes(context.services.preferences, self)
        self.overlay = DropOverlay(context, self)
        self._lay_out()
        self._connect()
        bind(self)
        self.panes.restore(self)
        self._show_toggles()
        self._retranslate()
        self.watch.begin()

    @property
    def batch_id(self) -> int | None:
        """The batch that is shown; None is all."""
        return self._batch_id

    @property
    def quit_now(self) -> bool:
        """Whether the operator would not wait for calls on the wire."""
        return self.closer.quit_now

    @property
    def on_quit(self) -> OnQuit | None:
        """Awaited with ``finish`` or ``quit`` before the window closes."""
        return self.closer.on_quit

    @on_quit.setter
    def on_quit(self, hook: OnQuit | None) -> None:
        self.closer.on_quit = hook

    # --- putting together ------------------------------------------------------------------

    def _lay_out(self) -> None:
        self.setWindowIcon(self.context.icons.app_icon())
        self.setAcceptDrops(True)
        self.setMinimumSize(960, 560)
        self.actions_.fill(self.menuBar())
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.progress, "")
        self._keep_places()
        self.pages.addWidget(QWidget(self.pages))  # until it is known whether there are batches
        self.pages.addWidget(self.tabs)
        self.panes.fill(self.sidebar, self.pages, self.detail_place)
        middle = QWidget(self)
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for part in (self.run_bar, self.banner.slot):
            column.addWidget(part)
        column.addWidget(self.panes, 1)
        column.addWidget(self.footer)
        self.setCentralWidget(middle)
        self.banner.setParent(middle)
        self._settle_in(middle)

    def _connect(self) -> None:
        signals, flows = self.context.signals, self.flows
        self.watch.batches.connect(self._on_batches)
        self.watch.connections.connect(self.sidebar.set_connections)
        self.watch.standing.connect(self._on_standing)
        self.sidebar.selected.connect(signals.batch_selected)
        self.sidebar.add_connection.connect(flows.add_connection)
        self.sidebar.connection_action.connect(flows.connection_action)
        self.sidebar.batch_action.connect(self._batch_action)
        signals.batch_selected.connect(self._show_batch)
        signals.show_needs_you.connect(self._show_needs_you)
        signals.show_progress.connect(lambda: self.tabs.setCurrentWidget(self.progress))
        signals.language_changed.connect(self._retranslate)
        self.progress.cancel_asked.connect(flows.cancel_rows)
        self.banner.acted.connect(flows.banner_action)
        self.notifier.opened.connect(self._show_told)
        self.panes.folded.connect(self._show_toggles)

    # --- what is shown ---------------------------------------------------------------------

    def _show_batch(self, batch_id: int | None) -> None:
        if not self.sidebar.select_batch(batch_id):
            self._wanted = batch_id  # just imported: it is listed in a moment
            return
        self._wanted = None
        if self._shown and batch_id == self._batch_id:
            return
        self._shown = True
        self._batch_id = batch_id
        self.watch.select(batch_id)
        for tab in self._tabs():
            tab.set_batch(batch_id)
        self._clear_detail()
        self._title()

    def _tabs(self) -> list[ProgressTab | GatheredTab]:
        """Those that are made."""
        return [self.progress, *self._gathered]

    def _on_batches(self, summaries: list[BatchSummary]) -> None:
        self.sidebar.set_batches(summaries)
        self._names = {each.batch.id: each.batch.name for each in summaries}
        for tab in self._tabs():
            tab.set_batches(self._names)
        if summaries and not self._listed:
            self._listed = True
            # One batch is what "all" means then, and alone it has a folder and a name.
            if len(summaries) == 1 and self._wanted is None:
                self._wanted = summaries[0].batch.id
        self.pages.setCurrentWidget(self.tabs if summaries else self.first_start)
        self.detail_place.setVisible(bool(summaries))
        if self._wanted is not None or not self._shown:
            self._show_batch(self._wanted)

    def _on_standing(self, standing: Standing) -> None:
        self.run_bar.show_standing(standing)
        self.footer.show_standing(standing)
        self.progress.set_ledger(standing.ledger)
        self._on_needs(standing.ledger.dead_letters)
        self.banner.set_banners(standing.status.banners)
        for name in ("export_results", "export_failures"):
            self.actions_[name].setEnabled(standing.summary is not None)

    def _on_needs(self, count: int) -> None:
        self._needs = count
        tr = self.context.tr
        word = tr("Needs you ({n})", n=f"{count:,}") if count else tr("Needs you")
        self.tabs.setTabText(NEEDS_YOU, word)

    def _show_needs_you(self, batch_id: int | None) -> None:
        if batch_id is not None:
            self.context.signals.batch_selected.emit(batch_id)
        self.tabs.setCurrentWidget(self.needs_you)

    def _show_told(self, told: Notification) -> None:
        if told.needs_you:
            self._show_needs_you(told.batch_id)
            return
        if told.batch_id is not None:
            self.context.signals.batch_selected.emit(told.batch_id)
        finished = told.kind is AlertKind.FINISHED
        self.tabs.setCurrentWidget(self.results if finished else self.progress)

    def _batch_action(self, batch_id: int, word: str) -> None:
        self.context.signals.batch_selected.emit(batch_id)
        self.actions_[word].trigger()

    def _retranslate(self) -> None:
        tr = self.context.tr
        self.actions_.retranslate()
        self.tabs.setTabText(PROGRESS, tr("Progress"))
        self.tabs.setTabText(RESULTS, tr("Results"))
        self._on_needs(self._needs)
        parts: tuple[Any, ...] = (
            self.run_bar,
            self.banner,
            self.sidebar,
            self.progress,
            self.detail_place,
            self.footer,
            *self._late,
        )
        for part in parts:
            part.retranslate()
        self._title()

    def _title(self) -> None:
        summary = self.watch.summary(self._batch_id)
        self.setWindowTitle(f"{summary.batch.name} - Batchwright" if summary else "Batchwright")

    def _show_toggles(self) -> None:
        self.actions_["toggle_sidebar"].setChecked(self.panes.is_open(SIDE))
        self.actions_["toggle_detail"].setChecked(self.panes.is_open(DETAIL))

    # --- Qt's events -----------------------------------------------------------------------

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802 - Qt's name
        """Ask first where calls are on the wire."""
        if not self.closer.done:
            event.ignore()
            self.closer.ask()
            return
        self.watch.stop()
        self.bridge.close()
        event.accept()
        self.closed.emit()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802 - Qt's name
        """However the program ends, the layout is remembered."""
        self.panes.remember(self)
        super().hideEvent(event)
