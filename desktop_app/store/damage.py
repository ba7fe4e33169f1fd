"""A damaged store is never replaced in silence: it is told with the copy that could take over."""

from __future__ import annotations

import time
from pathlib import Path

from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.store.backups import Backup, newest_whole

DAMAGED = "store.damaged"


class StoreDamaged(OperatorError):
    """The file can't be used; ``backup`` is the newest whole copy, None where there is none."""

    def __init__(self, said: Message, backup: Backup | None) -> None:
        super().__init__(said)
        self.backup = backup


def with_backup(error: BaseException, path: Path) -> BaseException:
    """StoreDamaged in place of the error that says "damaged"; any other error as it is."""
    if not isinstance(error, OperatorError) or error.message.code != DAMAGED:
        return error
    backup = newest_whole(path)
    reason, folder = error.message.values["reason"], str(path.parent)
    if backup is None:
        said = message("store.damaged_alone", reason=reason, folder=folder)
    else:
        when = spoken_time(backup.made_at)
        said = message("store.damaged_backup", reason=reason, when=when, folder=folder)
    return StoreDamaged(said, backup)


def spoken_time(at: float) -> str:
    """Date and minute on this computer's clock."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))
