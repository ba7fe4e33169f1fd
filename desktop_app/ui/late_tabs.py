"""A tab that nobody has looked at costs nothing: it is made when it is first wanted."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QTabWidget, QWidget


class LateTabs(QTabWidget):
    """Tabs of which some are made late: a blank page stands in for each until then."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._makers: dict[QWidget, Callable[[], QWidget]] = {}
        self.currentChanged.connect(self._looked_at)

    def add_late(self, make: Callable[[], QWidget]) -> QWidget:
        """A tab that ``make`` makes once it is looked at; ``replace`` is how it gets its place.
        Returns the page that stands in for it."""
        blank = QWidget(self)
        self._makers[blank] = make
        self.addTab(blank, "")
        return blank

    def replace(self, blank: QWidget, tab: QWidget) -> None:
        """Put ``tab`` in the place of the page that stood in for it."""
        at = self.indexOf(blank)
        is_current = self.currentIndex() == at
        del self._makers[blank]
        # Before the other goes: so no third tab is shown for a moment.
        self.insertTab(at, tab, self.tabText(at))
        if is_current:
            self.setCurrentIndex(at)
        self.removeTab(at + 1)
        blank.deleteLater()

    def _looked_at(self, at: int) -> None:
        page = self.widget(at)
        if page in self._makers:
            self._makers[page]()
