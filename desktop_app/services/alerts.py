"""A person who works elsewhere is told what matters, once and in few words."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from desktop_app.domain.bus import Bus
from desktop_app.domain.clock import Clock
from desktop_app.domain.events import (
    Alert,
    AlertKind,
    ConnectionsChanged,
    EngineChanged,
    Event,
    Notification,
)
from desktop_app.domain.views import AccountState
from desktop_app.services.alerts_grouping import AlertGroups
from desktop_app.services.alerts_words import (
    word_account,
    word_finished,
    word_local,
    word_rows,
    word_stopped,
)
from desktop_app.services.preferences import Preferences

if TYPE_CHECKING:
    from desktop_app.domain.ports import EngineControl, Pages

LOOK_S = 0.5  # also what lets a batch's end swallow the rows that died with it

NOTIFY = "notify"
"""The preference of earlier versions for everything at once: still the default of the switches."""

SWITCHES = ("notify.needs_you", "notify.account", "notify.finished")
"""Preferences, True unless switched off."""

_SWITCH_OF = {
    AlertKind.ROWS: SWITCHES[0],
    AlertKind.STOPPED: SWITCHES[0],
    AlertKind.LOCAL: SWITCHES[0],
    AlertKind.ACCOUNT: SWITCHES[1],
    AlertKind.FINISHED: SWITCHES[2],
}
_WORKS = frozenset({AccountState.OK, AccountState.SLOWED})

_log = logging.getLogger(__name__)


def is_wanted(preferences: Preferences, switch: str) -> bool:
    """Whether the operator wants to be told of this."""
    return bool(preferences.get(switch, preferences.get(NOTIFY, True)))


class Alerts:
    """Hears the engine's alerts on the bus, and publishes a ``Notification`` for each group.
    ``begin`` it on the running loop, ``stop`` it after the engine and before the store."""

    def __init__(
        self,
        *,
        pages: Pages,
        engine: EngineControl,
        preferences: Preferences,
        clock: Clock,
        bus: Bus,
    ) -> None:
        self._pages = pages
        self._engine = engine
        self._preferences = preferences
        self._clock = clock
        self._bus = bus
        self._groups = AlertGroups()
        self._stirred = asyncio.Event()
        self._deaf: Callable[[], None] = lambda: None
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Listen from now on."""
        self._deaf = self._bus.subscribe(self._hear)
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        """Tell what has gathered, and listen no more."""
        self._deaf()
        if self._task is None:
            return
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task
        self._task = None
        for alert in self._groups.take_all():
            await self._tell(alert)

    def _hear(self, event: Event) -> None:
        if isinstance(event, Alert):
            if is_wanted(self._preferences, _SWITCH_OF[event.kind]):
                self._groups.add(event, self._clock.monotonic())
                self._stirred.set()
        elif isinstance(event, EngineChanged):
            if is_wanted(self._preferences, _SWITCH_OF[AlertKind.LOCAL]):
                self._groups.trouble(self._engine.trouble(), self._clock.monotonic())
                self._stirred.set()
        elif isinstance(event, ConnectionsChanged) and self._groups.paused:
            states = self._engine.account_states()
            ok = (AccountState.OK.value, None)
            self._groups.mended({i for i in self._groups.paused if states.get(i, ok)[0] in _WORKS})

    async def _run(self) -> None:
        while True:
            await self._stirred.wait()
            self._stirred.clear()
            while self._groups.waiting:
                await self._clock.sleep(LOOK_S)
                for alert in self._groups.take(self._clock.monotonic()):
                    await self._tell(alert)

    async def _tell(self, alert: Alert) -> None:
        try:
            told = await self._word(alert)
        except Exception:
            _log.exception("a notification could not be put together")
            return
        if told is not None:
            self._bus.publish(told)

    async def _word(self, alert: Alert) -> Notification | None:
        if alert.kind is AlertKind.ACCOUNT:
            return word_account(alert)
        if alert.kind is AlertKind.LOCAL:
            return word_local(alert)
        if alert.batch_id is None:
            return None
        summary = await self._pages.batch_summary(alert.batch_id)
        if summary is None:
            return None
        if alert.kind is AlertKind.STOPPED:
            return word_stopped(summary, alert)
        if alert.kind is AlertKind.FINISHED:
            return word_finished(summary)
        return word_rows(summary, await self._pages.dead_groups(alert.batch_id))
