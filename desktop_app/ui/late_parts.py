"""What the first look at the window has no need of is imported and made when it is first wanted."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMainWindow, QPushButton, QStackedWidget, QWidget

if TYPE_CHECKING:
    from desktop_app.ui.context import UiContext
    from desktop_app.ui.detail import DetailPane
    from desktop_app.ui.detail_place import DetailPlace
    from desktop_app.ui.empty import FirstStart
    from desktop_app.ui.flows import Flows
    from desktop_app.ui.late_tabs import LateTabs
    from desktop_app.ui.tabs.gathered import GatheredTab
    from desktop_app.ui.tabs.needs_you import NeedsYouTab
    from desktop_app.ui.tabs.results import ResultsTab


class LateParts(QMainWindow):
    """The parts of the window that are made late, each put in the place that is kept for it."""

    context: UiContext
    flows: Flows
    tabs: LateTabs
    pages: QStackedWidget
    detail_place: DetailPlace

    def __init__(self) -> None:
        super().__init__()
        self._batch_id: int | None = None
        self._names: dict[int, str] = {}
        self._late: list[FirstStart | GatheredTab | DetailPane] = []
        self._gathered: list[GatheredTab] = []

    def _keep_places(self) -> None:
        self._needs_you_place = self.tabs.add_late(lambda: self.needs_you)
        self._results_place = self.tabs.add_late(lambda: self.results)
        self.context.signals.open_task.connect(self._open_task)

    @staticmethod
    def load_ahead() -> None:
        """Import what ``make_ready`` makes, in any thread."""
        import_module("desktop_app.ui.detail")

    def make_ready(self) -> None:
        """Make what the next click is likely to want. Call it once the window is seen."""
        _ = self.detail

    @staticmethod
    def _settle_in(part: QWidget) -> None:
        """What holds for every part of the window."""
        for child in (part, *part.findChildren(QWidget)):
            child.setAcceptDrops(False)  # a sheet may be dropped anywhere: the window takes it
        for button in part.findChildren(QPushButton):
            button.setAutoDefault(True)  # Enter presses it, as in a dialog

    # --- the tabs --------------------------------------------------------------------------

    @cached_property
    def needs_you(self) -> NeedsYouTab:
        """The tab of what a person must decide."""
        from desktop_app.ui.tabs.needs_you import NeedsYouTab

        tab = NeedsYouTab(self.context, self)
        self._put_late(self._needs_you_place, tab)
        return tab

    @cached_property
    def results(self) -> ResultsTab:
        """The tab of what came out."""
        from desktop_app.ui.tabs.results import ResultsTab

        tab = ResultsTab(self.context, self)
        self._put_late(self._results_place, tab)
        return tab

    def _put_late(self, place: QWidget, tab: GatheredTab) -> None:
        self._late.append(tab)
        self._gathered.append(tab)
        self._settle_in(tab)
        tab.set_batches(self._names)
        tab.set_batch(self._batch_id)
        self.tabs.replace(place, tab)

    # --- the detail pane -------------------------------------------------------------------

    @cached_property
    def detail(self) -> DetailPane:
        """One row, whole."""
        from desktop_app.ui.detail import DetailPane

        pane = DetailPane(self.context, self)
        self._late.append(pane)
        self._settle_in(pane)
        self.detail_place.fill(pane)
        return pane

    def _open_task(self, pk: int) -> None:
        if "detail" not in vars(self):  # else it hears of it itself
            self.detail.show_task(pk)

    def _clear_detail(self) -> None:
        if "detail" in vars(self):
            self.detail.clear()

    # --- the first start -------------------------------------------------------------------

    @cached_property
    def first_start(self) -> FirstStart:
        """What stands where there is no batch yet."""
        from desktop_app.ui.empty import FirstStart

        page = FirstStart(self.context, self)
        page.sample.connect(self.flows.try_sample)
        page.connect_account.connect(self.flows.add_connection)
        page.browse.connect(self.flows.browse)
        self._late.append(page)
        self._settle_in(page)
        self.pages.addWidget(page)
        return page
