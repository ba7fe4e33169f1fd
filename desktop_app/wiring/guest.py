"""A reader beside whoever works on the folder: looks into the store, and may leave a command."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop_app.domain.clock import SystemClock
from desktop_app.domain.errors import LocalTrouble
from desktop_app.domain.text import Message, OperatorError, Translator, message
from desktop_app.services.export_batch import ExportBatch, Language
from desktop_app.services.queries import Queries
from desktop_app.settings.instance_lock import InstanceLock
from desktop_app.settings.language import pick
from desktop_app.settings.paths import paths
from desktop_app.settings.schema import SettingsFile
from desktop_app.store.store import open_store
from desktop_app.wiring import later
from desktop_app.wiring.options import HouseOptions, locale_dir

LOOK_S = 0.1
HAND_OVER_S = 5.0
LEFT_S = 5.0
"""A window that closes waits for answers that are on their way, but not for long."""
TAKEN_S = 30.0
"""How much longer a command is waited for that was taken and not answered yet."""


@dataclass(frozen=True, slots=True)
class Guest:
    """Reads, exports, and commands to the instance that runs."""

    queries: Queries
    exports: ExportBatch
    database: Path
    lock: InstanceLock

    def is_worked_on(self) -> bool:
        """Whether an engine is on the folder now."""
        return self.lock.is_held()

    async def tell(
        self, verb: str, args: Mapping[str, Any], timeout_s: float
    ) -> Mapping[str, Any] | None:
        """Leave a command and wait for its answer; None when nobody took it in time, or whoever
        works on the folder ended first. It is then taken back: nobody will do it later."""
        clock = SystemClock()
        store = await open_store(self.database, check=False)
        try:
            command = await store.commands.post(verb, args)
            deadline = clock.monotonic() + timeout_s
            while (result := await store.commands.result(command)) is None:
                over = clock.monotonic() >= deadline or not self.is_worked_on()
                if over and await store.commands.withdraw(command):
                    return None
                if clock.monotonic() >= deadline + TAKEN_S:
                    return None
                await asyncio.sleep(LOOK_S)
            return result
        finally:
            await store.close()


async def hand_over(options: HouseOptions, sheets: Sequence[str], leave: str) -> bool | None:
    """Let the window that is open come forward, and ask about these sheets. ``leave``: the
    desktop's to take the keyboard, given to this process. False where there is no window, or it
    closes; None where whoever works on the folder gives no answer."""
    try:
        async with open_guest(options) as guest:
            said = await guest.tell("import", {"paths": list(sheets), "leave": leave}, HAND_OVER_S)
    except (OperatorError, LocalTrouble):
        return False
    return None if said is None else bool(said.get("ok"))


def hangs(options: HouseOptions) -> Message:
    """The sentence for one that gives no answer."""
    process = InstanceLock(paths(options.data_dir).lock).holder()
    return message("services.window_hangs", process=process or "?")


async def is_left(options: HouseOptions, within_s: float = LEFT_S) -> bool:
    """Whether nobody works on the folder any more, now or soon: a window that closes still does."""
    lock = InstanceLock(paths(options.data_dir).lock)
    deadline = SystemClock().monotonic() + within_s
    while lock.is_held():
        if SystemClock().monotonic() >= deadline:
            return False
        await asyncio.sleep(LOOK_S)
    return True


@contextlib.asynccontextmanager
async def open_guest(options: HouseOptions) -> AsyncIterator[Guest]:
    """Open the store for reading, whoever works on it. Raises OperatorError where none is."""
    where = paths(options.data_dir)
    lock = InstanceLock(where.lock)
    store = await open_store(where.database, read_only=True, at_work=lock.is_held())
    try:
        chosen = options.language
        if chosen is None and where.settings.exists():
            chosen = SettingsFile(where.settings).get("language")
        language = Language(Translator(pick(chosen), locale_dir()))
        yield Guest(
            queries=Queries(store.pages),
            exports=ExportBatch(store.pages, later.later(later.sheet_files), language),
            database=where.database,
            lock=lock,
        )
    finally:
        await store.close()
