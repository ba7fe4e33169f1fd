"""Shortcuts and version: the little there is to look up, since nothing needs a manual."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from desktop_app import __version__
from desktop_app.ui.actions import Actions
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.sheet import Sheet


class ShortcutsDialog(Sheet):
    """Every shortcut, in two columns."""

    def __init__(self, context: UiContext, actions: Actions, parent: QWidget | None) -> None:
        super().__init__(context, parent, width=480)
        self._actions = actions
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(24)
        self._grid.setVerticalSpacing(6)
        self.body.addLayout(self._grid)
        self.shut = self.button(primary=True)
        self.shut.clicked.connect(self.accept)
        self.footer.addStretch(1)
        self.footer.addWidget(self.shut)
        self._labels: list[QLabel] = []
        self.retranslate()

    def retranslate(self) -> None:
        """Say every word again in the language of now."""
        tr = self.context.tr
        self.setWindowTitle(tr("Keyboard shortcuts"))
        self.heading.setText(tr("Keyboard shortcuts"))
        self.lead.setVisible(False)
        self.shut.setText(tr("Close"))
        for label in self._labels:
            label.deleteLater()
        self._labels = []
        for at, (keys, text) in enumerate(self._actions.shortcuts()):
            key, what = QLabel(keys, self), QLabel(text.rstrip("…."), self)
            key.setProperty("tone", "muted")
            column = 2 * (at % 2)
            self._grid.addWidget(key, at // 2, column)
            self._grid.addWidget(what, at // 2, column + 1)
            self._labels += [key, what]


class AboutDialog(Sheet):
    """Name, version, licence."""

    def __init__(self, context: UiContext, parent: QWidget | None) -> None:
        super().__init__(context, parent, width=420)
        self.sign = QLabel(self)
        self.sign.setPixmap(context.icons.app_icon().pixmap(64, 64))
        self.words = QLabel(self)
        self.words.setWordWrap(True)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.body.addWidget(self.sign)
        self.body.addWidget(self.words)
        self.shut = self.button(primary=True)
        self.shut.clicked.connect(self.accept)
        self.footer.addStretch(1)
        self.footer.addWidget(self.shut)
        self.retranslate()

    def retranslate(self) -> None:
        """Say every word again in the language of now."""
        tr = self.context.tr
        self.setWindowTitle(tr("About Batchwright"))
        self.heading.setText("Batchwright")
        self.lead.setText(tr("Version {version}", version=__version__))
        self.words.setText(
            tr("Every picture or answer once, and word of every one that failed. MIT licence.")
        )
        self.shut.setText(tr("Close"))
