"""The file behind the pre-run sheet: read anew with every choice, each copy of it given back."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from desktop_app.domain.ports import SheetInfo
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.pre_run_source import SourceForm


class Reading(QObject):
    """``info`` is the sheet as it was read last; None before. ``read`` carries it with its first
    rows, numbered as in the sheet: (SheetInfo, Sequence[tuple[int, tuple[str, ...]]])."""

    read = Signal(object, object)

    def __init__(self, context: UiContext, path: Path, source: SourceForm) -> None:
        super().__init__(source)
        self._context = context
        self._source = source
        self._copies: list[SheetInfo] = []
        self._times = 0
        self.path = path
        self.info: SheetInfo | None = None

    async def open(self) -> None:
        """Read the file with the options of now; one that can't be read keeps the last reading.
        Raises OperatorError."""
        self._times += 1
        mine = self._times
        imports = self._context.services.imports
        info = await imports.open(self.path, self._source.options())
        self._copies.append(info)
        head = await imports.head(info)
        if mine == self._times:
            self.info = info
            self.read.emit(info, head)

    def forget(self) -> None:
        """Give the copies back that were made for reading."""
        for info in self._copies:
            self._context.spawn(self._context.services.imports.forget(info))
