"""A damaged store is never replaced in silence: it is told with the copy that could take over."""

from __future__ import annotations

import time
from pathlib import Path

from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.store.backups import Backup, newest_whole
from desktop_app.store.set_aside import traces

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
    return told_damage(error.message, path)


def told_damage(said: Message, path: Path) -> StoreDamaged:
    """What SQLite says of the file, with the copy that can take over and how."""
    return _damaged("store.damaged", path, reason=str(said.values.get("reason", "")))


def refuse_lost(path: Path) -> None:
    """The file is gone or has nothing in it. Raise StoreDamaged where something beside it tells
    that there was one: to begin an empty list there would hide the loss."""
    if traces(path):
        raise _damaged("store.lost", path)


def _damaged(code: str, path: Path, **values: str) -> StoreDamaged:
    backup = newest_whole(path)
    folder = str(path.parent)
    if backup is None:
        return StoreDamaged(message(f"{code}_alone", folder=folder, **values), None)
    when = spoken_time(backup.made_at)
    return StoreDamaged(message(f"{code}_backup", when=when, folder=folder, **values), backup)


def spoken_time(at: float) -> str:
    """Date and minute on this computer's clock."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))
