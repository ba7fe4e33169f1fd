"""Whether a connection's provider may call when a job has ended: shown for providers that do."""

from __future__ import annotations

from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from desktop_app.domain.connection import Connection
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.fields import FieldGrid
from desktop_app.ui.dialogs.tick_box import TickBox


class CallbackFields(QWidget):
    """The switch, and the secret with which the provider signs, where a person enters it."""

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.wanted = TickBox(context, self)
        self.secret_field = QLineEdit(self)
        self.secret_field.setEchoMode(QLineEdit.EchoMode.Password)
        self.secret_field.setMaxLength(100_000)
        self.grid = FieldGrid(self)
        self.grid.add(self.wanted)
        self._secret_label = self.grid.add(self.secret_field)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.grid)
        self._signs = False
        self.wanted.toggled.connect(self._toggle)
        self.hide()

    def look_at(self, adapter: str, preset: str | None) -> None:
        """Another provider was chosen."""
        callbacks = self._context.services.callbacks
        self._signs = bool(adapter) and callbacks.wants_secret(adapter, preset)
        self.setVisible(bool(adapter) and callbacks.can_call(adapter, preset))
        self._toggle()

    def show_connection(self, connection: Connection) -> None:
        """Show stored values; the secret stays in the keyring."""
        self.wanted.setChecked(connection.callbacks)

    def chosen(self) -> bool:
        """Whether the provider may call."""
        return not self.isHidden() and self.wanted.isChecked()

    def secret(self) -> str | None:
        """The secret as typed, None where the stored one is to stay."""
        if not self.chosen() or not self._signs:
            return None
        return self.secret_field.text().strip() or None

    def forget(self) -> None:
        """Empty the field and its undo history."""
        self.secret_field.setText("")

    def retranslate(self) -> None:
        """Say every word again."""
        tr = self._context.tr
        self.grid.name(tr("Callbacks"), tr("Signing secret"))
        self.wanted.setText(tr("the provider may call when a job is done"))
        self.wanted.setToolTip(
            tr("Only while Settings let providers call. Jobs are asked for as well: none is lost.")
        )
        self.secret_field.setPlaceholderText(tr("Leave empty to keep the stored one"))
        self.secret_field.setToolTip(
            tr("With what the provider signs its calls; kept in the password store like the key.")
        )

    def _toggle(self) -> None:
        shown = self._signs and self.wanted.isChecked()
        self.secret_field.setVisible(shown)
        self._secret_label.setVisible(shown)
