"""What keeps the window from opening is said without it, and mended where that can be done."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from desktop_app.domain.text import Message
from desktop_app.ui.leaving import on_signals
from desktop_app.ui.start import dress
from desktop_app.wiring import (
    HouseOptions,
    StoreDamaged,
    bring_back,
    lone_support,
    resources_dir,
    told,
    translator,
    watched,
)


def refuse(options: HouseOptions, said: Message, code: int) -> int:
    """There is no window to say it in: a box of its own, which signals close as well."""
    # Imported here: a start that succeeds has no use for it.
    from PySide6.QtWidgets import QMessageBox

    tr = translator(options)
    theme = dress(resources_dir())
    theme.set_mode("system")
    box = QMessageBox(QMessageBox.Icon.Information, "Batchwright", tr.say(said))
    box.addButton(tr("Close"), QMessageBox.ButtonRole.RejectRole)
    with on_signals(lambda _number: box.reject()):
        box.exec()
    return code


async def mend(options: HouseOptions, damaged: StoreDamaged) -> Message | None:
    """Offer what can be had of the damaged list. What came of it, None where it was left alone."""
    # Imported here: a start that finds the store whole has no use for it.
    from desktop_app.ui.dialogs.restore import RestoreDialog

    theme = dress(resources_dir())
    theme.set_mode("system")
    came: list[Message] = []

    async def restore() -> None:
        came.append(told(await bring_back(options, fresh=False)))

    async def save(target: Path) -> None:
        await lone_support(options).save(target)

    reason = damaged.message.values.get("reason")
    dialog = RestoreDialog(
        translator(options),
        theme,
        when=None if damaged.backup is None else _near(damaged.backup.made_at),
        reason=None if reason is None else str(reason),
        bring_back=restore,
        save=save,
    )
    with watched(options), on_signals(lambda _number: dialog.reject()):
        dialog.show()
        await dialog.decided
    dialog.deleteLater()
    return came[0] if came else None


def _near(at: float) -> str:
    """The time of day, with its date where that is not today."""
    then = datetime.fromtimestamp(at).astimezone()
    today = datetime.now().astimezone().date()
    return then.strftime("%H:%M" if then.date() == today else "%Y-%m-%d %H:%M")
