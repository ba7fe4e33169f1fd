"""One question, with a name to give where it needs one; what is wrong with it is said beside it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from PySide6.QtWidgets import QLineEdit, QWidget

from desktop_app.domain.mapping_file import LONGEST_NAME
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.sheet import Sheet


class NameQuestion(Sheet):
    """``act`` gets the name, or an empty one where ``name`` is None and none is asked for; the
    dialog closes when that is done, and stays where it raises OperatorError. ``lead`` says what
    that does."""

    def __init__(
        self,
        context: UiContext,
        title: str,
        verb: str,
        act: Callable[[str], Awaitable[None]],
        parent: QWidget,
        *,
        name: str | None,
        danger: bool = False,
        lead: str = "",
    ) -> None:
        super().__init__(context, parent, width=420)
        self._act = act
        self.setWindowTitle(title)
        self.heading.setText(title)
        self.lead.setText(lead)
        self.lead.setVisible(bool(lead))
        self.field = QLineEdit(name or "", self)
        self.field.setMaxLength(LONGEST_NAME)
        self.field.setVisible(name is not None)
        self.body.addWidget(self.field)
        self.body.addStretch(1)
        self.back = self.button()
        self.go = self.button(primary=not danger, danger=danger)
        self.go.setText(verb)
        self.footer.addStretch(1)
        self.footer.addWidget(self.back)
        self.footer.addWidget(self.go)
        self.back.clicked.connect(self.reject)
        self.go.clicked.connect(lambda: self.run(self._do))
        self.field.textChanged.connect(self._look)
        self.retranslate()
        self._look()
        if name is not None:
            self.field.setFocus()
            self.field.selectAll()

    def retranslate(self) -> None:
        """Say every word again in the language of now."""
        self.back.setText(self.context.tr("Cancel"))
        self.field.setAccessibleName(self.context.tr("Name"))
        self.field.setPlaceholderText(self.context.tr("Name"))

    def _look(self) -> None:
        self.go.setEnabled(self.field.isHidden() or bool(self.field.text().strip()))

    async def _do(self) -> None:
        await self._act("" if self.field.isHidden() else self.field.text())
        self.accept()
