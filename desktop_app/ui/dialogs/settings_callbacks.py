"""Where providers may call this computer: an operator with a tunnel or a server of their own
switches it on; everybody else never meets it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from desktop_app.domain.listening import USUAL_HOST, USUAL_PORT
from desktop_app.services.callbacks import HOST, ON, PORT, URL
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.fields import FieldError, FieldGrid, whole_of
from desktop_app.ui.dialogs.style import GAP
from desktop_app.ui.dialogs.tick_box import TickBox

PORT_MAX = 65_535


class CallbackSettings(QWidget):
    """A switch, and under it address, port and public address. ``chosen`` fires when they are
    stored, ``wrong`` with a sentence when one can't be used."""

    chosen = Signal()
    wrong = Signal(str)

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        preferences = context.services.preferences
        self.on = TickBox(context, self)
        self.host = QLineEdit(str(preferences.get(HOST) or USUAL_HOST), self)
        self.port = QLineEdit(str(preferences.get(PORT) or USUAL_PORT), self)
        self.url = QLineEdit(str(preferences.get(URL) or ""), self)
        self.url.setPlaceholderText("https://hooks.example.com")
        self.grid = FieldGrid(self, label_width=96)
        for field in (self.host, self.port, self.url):
            self.grid.add(field)
            field.editingFinished.connect(self._store)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(GAP)
        whole.addWidget(self.on)
        whole.addWidget(self.grid)
        self.setProperty("tall", True)
        self.setFocusProxy(self.on)
        self.on.setChecked(bool(preferences.get(ON)))
        self.grid.setVisible(self.on.isChecked())
        self.on.toggled.connect(self._switch)

    def retranslate(self) -> None:
        """Say every word again."""
        tr = self._context.tr
        self.on.setText(tr("let providers call when a job is done"))
        self.grid.name(tr("Listen at"), tr("Port"), tr("Public address"))
        self.url.setToolTip(
            tr("Where a tunnel or a reverse proxy leads to this computer; empty where none does.")
        )

    def _switch(self, on: bool) -> None:
        self.grid.setVisible(on)
        self._context.services.preferences.set(ON, on)
        self.chosen.emit()

    def _store(self) -> None:
        tr, preferences = self._context.tr, self._context.services.preferences
        wrong = tr("A port is a whole number from 1 to 65,535.")
        try:
            port = whole_of(self.port, wrong, high=PORT_MAX)
            if port is None:
                raise FieldError(wrong, self.port)
        except FieldError as error:
            self.wrong.emit(error.said)
            return
        found = {HOST: self.host.text().strip() or USUAL_HOST, PORT: port}
        found[URL] = self.url.text().strip()
        if any(preferences.get(key) != value for key, value in found.items()):
            for key, value in found.items():
                preferences.set(key, value)
            self.chosen.emit()
