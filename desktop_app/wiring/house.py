"""What window and verbs are handed: one process's rooms, and how its engine starts and ends."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_app.domain.batch import RunState
from desktop_app.domain.clock import Clock
from desktop_app.domain.errors import LocalTrouble
from desktop_app.domain.text import message
from desktop_app.services.alerts import Alerts
from desktop_app.services.bundle import Services
from desktop_app.settings.paths import Paths
from desktop_app.wiring.options import FolderInUse

if TYPE_CHECKING:
    from desktop_app.domain.ports import CommandStore, EngineControl, EngineStore
    from desktop_app.services.obey_commands import ObeyCommands


@dataclass(slots=True)
class House:
    """What window and verbs are handed. ``alone`` is False beside a running instance, where
    only connections may be changed and the engine must not be started. ``warm_up`` imports what
    calls need, in any thread, so that the first call need not wait for it. A window is among
    ``sheets_asked``: it comes forward for a second start, and asks about the sheets that one was
    given, with the desktop's leave to take the keyboard. ``begin_lists`` is called before the
    engine is started."""

    services: Services
    engine: EngineControl
    obey: ObeyCommands
    commands: CommandStore
    store: EngineStore
    clock: Clock
    paths: Paths
    locale_dir: Path
    resources_dir: Path
    alone: bool
    alerts: Alerts
    store_is_checked: Callable[[], bool]
    warm_up: Callable[[], None]
    sheets_asked: list[Callable[[list[str], str], None]] = field(default_factory=list)
    begin_lists: Callable[[], None] = lambda: None
    _prepared: asyncio.Future[None] | None = None
    _started: list[bool] = field(default_factory=list)

    @property
    def data_dir(self) -> Path:
        """The folder that holds all state."""
        return self.paths.data

    async def was_cut_short(self) -> bool:
        """Whether an earlier run ended without a word: the store says of it that it runs."""
        summaries = await self.services.queries.batches()
        return any(s.batch.run_state is RunState.RUNNING or s.ledger.running for s in summaries)

    async def start_engine(self) -> None:
        """Settle what an earlier run left, then wait for resume. Nothing is sent before. Raises
        StoreDamaged where the look for damage was put off and finds some."""
        if not self.alone:
            raise FolderInUse
        if not self._started:
            if self._prepared is not None:
                await asyncio.shield(self._prepared)
            self._started.append(True)
            self.begin_lists()
            await self.services.callbacks.begin()
            await self.engine.start()

    async def settle_orphans(self) -> None:
        """Settle what an earlier run left, for a verb that runs nothing."""
        if not self._started:
            await self.engine.settle()

    async def stop_engine(self) -> None:
        """End the engine by its rules, and close the lines that were opened even if it was never
        started."""
        await self.services.callbacks.stop()
        await self.engine.stop()
        self._started.clear()
        if self.alone and self.store_is_checked():
            # What the next start would find anyway, so that readers meanwhile see the truth.
            with contextlib.suppress(LocalTrouble):
                await self.store.pause_all_unfinished(message("engine.restarted"))

    async def tell_others(self, connection_id: int) -> None:
        """A connection changed: let an instance that runs beside this one look at it again."""
        if not self.alone:
            await self.commands.post("connection", {"id": connection_id})
