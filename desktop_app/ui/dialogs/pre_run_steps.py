"""What was found out about a sheet is said with what can be done about it, one press away."""

from __future__ import annotations

from functools import partial

from desktop_app.domain.text import Message, Translator
from desktop_app.ui.dialogs.notice import Notice, Step
from desktop_app.ui.dialogs.pre_run_reading import Reading
from desktop_app.ui.dialogs.pre_run_source import SourceForm
from desktop_app.ui.dialogs.sheet import Sheet

_HEADER_BELOW = "ingest.header_below"
_HIDDEN_LEFT = "ingest.hidden_left"
_ROWS_ABOVE = "ingest.rows_above"
_SHEET_CHANGED = "services.sheet_changed"


class Found:
    """Says in ``notice`` what the last reading warns of, or that the file was changed since."""

    def __init__(self, dialog: Sheet, notice: Notice, source: SourceForm, reading: Reading) -> None:
        self._dialog = dialog
        self._notice = notice
        self._source = source
        self._reading = reading

    def say_warnings(self, tr: Translator) -> None:
        """Nothing where there are none."""
        info = self._reading.info
        warnings = info.warnings if info is not None else ()
        is_grave = any(each.code != _ROWS_ABOVE for each in warnings)
        said = "\n".join(map(tr.say, warnings))
        self._notice.say(said, "warning" if is_grave else "info", self._step(tr, warnings))

    def _step(self, tr: Translator, warnings: tuple[Message, ...]) -> Step | None:
        """What is in the wrong place comes first: the other is found out again below it."""
        step: Step | None = None
        for each in warnings:
            if each.code == _HIDDEN_LEFT:
                step = tr("Import them too"), self._source.take_hidden
            elif each.code == _HEADER_BELOW:
                below = partial(self._reading.open_below, int(each.values["row"]))
                return tr("Use row {n}", n=each.values["row"]), partial(self._dialog.run, below)
        return step

    def say_changed(self, tr: Translator, said: Message) -> bool:
        """Whether it is that the file was changed, and so was said with its step."""
        if said.code != _SHEET_CHANGED:
            return False
        step = tr("Read again"), partial(self._dialog.run, self._reading.open)
        self._notice.say(tr.say(said), "warning", step)
        self._notice.step.setFocus()
        return True
