"""The head of the grid: how columns begin, who gets the room that is left, and sorting by key."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter
from PySide6.QtWidgets import QHeaderView, QWidget

from desktop_app.ui.context import UiContext
from desktop_app.ui.grid.columns import WIDTHS, Column

LEAST_PROMPT = 110
_KEYS_TO_SORT = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)


class Header(QHeaderView):
    """The columns in their order and widths; the batch is hidden. With the keyboard in it an arrow
    key goes to a column and Space clicks it."""

    def __init__(self, context: UiContext, rows: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, rows)
        self._context = context
        self._rows = rows
        self._column = 0  # where the keyboard is
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def set_up(self) -> None:
        """Once the model is there."""
        self.setSectionsMovable(True)
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setSortIndicatorShown(True)
        self.setStretchLastSection(True)
        self.setMinimumSectionSize(40)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        for column, width in WIDTHS.items():
            self.resizeSection(column, width)
        self.moveSection(self.visualIndex(Column.BATCH), 1)
        self.setSectionHidden(Column.BATCH, True)

    def cells(self) -> list[tuple[Column, int, int]]:
        """(column, x, width) of those that are seen."""
        return [
            (column, self.sectionViewportPosition(column), self.sectionSize(column))
            for column in Column
            if not self.isSectionHidden(column)
        ]

    def prompt_width(self, room: int) -> int:
        """Prompt and note share what the narrow columns leave."""
        wide = (Column.PROMPT, Column.NOTE)
        narrow = sum(
            width
            for column, width in WIDTHS.items()
            if column not in wide and not self.isSectionHidden(column)
        )
        return max(LEAST_PROMPT, (room - narrow) * 3 // 5)

    # --- Qt's events -----------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Left, Right, Home, End; Space and Enter sort; Down goes to the rows."""
        shown = self._shown()
        last, place = len(shown) - 1, shown.index(self._column)
        moves = {
            Qt.Key.Key_Left: max(0, place - 1),
            Qt.Key.Key_Right: min(last, place + 1),
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }
        if event.key() in moves:
            self._column = shown[moves[Qt.Key(event.key())]]
            self.viewport().update()
        elif event.key() in _KEYS_TO_SORT:
            self.sectionClicked.emit(self._column)
        elif event.key() == Qt.Key.Key_Down:
            self._rows.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            event.ignore()

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802 - Qt's name
        """It begins where the list is sorted."""
        super().focusInEvent(event)
        if self.isSortIndicatorShown():
            self._column = self.sortIndicatorSection()
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802 - Qt's name
        """The frame goes."""
        super().focusOutEvent(event)
        self.viewport().update()

    def paintSection(  # noqa: N802 - Qt's name
        self,
        painter: QPainter,
        rect: QRect,
        logicalIndex: int,  # noqa: N803 - Qt's name
    ) -> None:
        """A frame shows where the keyboard is."""
        painter.save()
        super().paintSection(painter, rect, logicalIndex)
        painter.restore()
        if self.hasFocus() and logicalIndex == self._column:
            painter.setPen(self._context.theme.color("accent"))
            painter.drawRoundedRect(rect.adjusted(1, 2, -2, -3), 3, 3)

    def _shown(self) -> list[int]:
        """The columns as they are seen, from the left. The keyboard is in one of them, also when
        the one it was in has been hidden."""
        order = [self.logicalIndex(at) for at in range(self.count())]
        shown = [column for column in order if not self.isSectionHidden(column)]
        if self._column not in shown:
            self._column = shown[0]
        return shown
