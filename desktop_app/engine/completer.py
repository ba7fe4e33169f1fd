"""Commits what became of attempts, and never lets go of what could not be committed."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from desktop_app.domain.attempt import Completion, Orphan
from desktop_app.domain.clock import Clock
from desktop_app.domain.errors import LocalTrouble
from desktop_app.domain.jobs import Job
from desktop_app.domain.ports import EngineStore, FinishResult
from desktop_app.domain.retry import Draw, spaced
from desktop_app.domain.text import Message, message

_log = logging.getLogger(__name__)

T = TypeVar("T")

APART_MAX_S = 10.0


class Completer:
    """``owed`` counts answers and job ids that are in memory only; nothing new is sent while there
    are any. ``trouble`` says what keeps them there. What a commit takes up again is handed to
    ``follow``."""

    def __init__(
        self,
        store: EngineStore,
        clock: Clock,
        draw: Draw,
        on_change: Callable[[], None],
        follow: Callable[[Orphan], None],
    ) -> None:
        self._store = store
        self._clock = clock
        self._draw = draw
        self._on_change = on_change
        self._follow = follow
        self.owed = 0
        self._why: Message | None = None

    @property
    def trouble(self) -> Message | None:
        """Why answers can't be committed, or None."""
        return (self._why or message("engine.store_trouble")) if self.owed else None

    async def finish(self, completion: Completion) -> FinishResult:
        """Commit an outcome, however often it takes."""
        commit = partial(self._store.finish, completion)
        result = await self._insist(commit, completion.attempt_pk)
        if result.goes_on is not None:
            self._follow(result.goes_on)
        return result

    async def taken(self, attempt_pk: int, job: Job) -> bool:
        """Commit the job that an attempt has become, however often it takes. Whether its row was
        taken up again by that."""
        return await self._takes_up(partial(self._store.job_taken, attempt_pk, job), attempt_pk)

    async def called(self, attempt_pk: int) -> bool:
        """Commit that the provider has called about an attempt, however often it takes. Whether
        its row was taken up again by that."""
        return await self._takes_up(partial(self._store.called, attempt_pk), attempt_pk)

    async def _takes_up(
        self, commit: Callable[[], Awaitable[Orphan | None]], attempt_pk: int
    ) -> bool:
        orphan = await self._insist(commit, attempt_pk)
        if orphan is not None:
            self._follow(orphan)
        return orphan is not None

    async def _insist(self, commit: Callable[[], Awaitable[T]], attempt_pk: int) -> T:
        failures = 0
        try:
            while True:
                try:
                    return await commit()
                except LocalTrouble as trouble:
                    # This machine's fault, and told as one: a stack would say nothing more, and
                    # a line about each try no more than the first.
                    if not failures:
                        _log.warning("attempt %d could not be committed: %s", attempt_pk, trouble)
                    self._why = trouble.message
                except Exception:
                    _log.exception("attempt %d could not be committed", attempt_pk)
                    self._why = None
                failures += 1
                if failures == 1:
                    self.owed += 1
                    self._on_change()
                await self._clock.sleep(spaced(failures - 1, self._draw, cap_s=APART_MAX_S))
        finally:
            if failures:
                self.owed -= 1
                self._on_change()
