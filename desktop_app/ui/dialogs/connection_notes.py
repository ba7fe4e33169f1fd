"""What stands below the key: where it is kept, and where to find it; it goes with the provider."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from desktop_app.domain.ports import Preset
from desktop_app.domain.text import Message
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.style import GAP, set_tone


class KeyNotes(QWidget):
    """A sentence about the key, and a link to the provider's page."""

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.about_key = QLabel(self)
        self.about_key.setProperty("tone", "muted")
        self.about_key.setWordWrap(True)
        self.console = QLabel(self)
        self.console.setProperty("rich", True)
        self.console.setOpenExternalLinks(True)
        self.console.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse
            | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        notes = QVBoxLayout(self)
        notes.setContentsMargins(136, 0, 0, 0)
        notes.setSpacing(GAP // 2)
        notes.addWidget(self.about_key)
        notes.addWidget(self.console)

    def say(self, trouble: Message | None, preset: Preset | None) -> None:
        """``trouble`` is why the key can't be stored."""
        tr = self._context.tr
        self.about_key.setText(
            tr.say(trouble)
            if trouble
            else tr("The key is stored in this computer's password store.")
        )
        set_tone(self.about_key, "warning" if trouble else "muted")
        link = preset.console_url if preset else ""
        colour = self._context.theme.color("accent").name()
        keyless = preset is not None and not preset.needs_key
        words = (
            tr("Which models are there?") if keyless else tr("Where do I find my limits and key?")
        )
        self.console.setText(f'<a style="color:{colour}" href="{link}">{words}</a>')
        self.console.setToolTip(link)
        self.console.setVisible(bool(link))
