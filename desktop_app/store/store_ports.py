"""One object a port over the store's threads, each made and imported once it is wanted: whoever
only looks at rows waits for no more."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_app.store import leftovers

if TYPE_CHECKING:
    from desktop_app.domain.clock import Clock
    from desktop_app.domain.ports import (
        CommandStore,
        ConnectionStore,
        EngineStore,
        ImportStore,
        Pages,
        TaskActions,
    )
    from desktop_app.domain.ports.failure_store import FailureStore
    from desktop_app.domain.ports.manifest import LandedStore
    from desktop_app.store.cancel_looks import Cancels
    from desktop_app.store.raw_answers import RawAnswers
    from desktop_app.store.reader import Reader
    from desktop_app.store.wire_log import WireLog
    from desktop_app.store.writer import Writer


class StorePorts:
    """``quick`` serves what is on screen, ``slow`` walks whole batches. ``at_work``: an engine is,
    here or in another process."""

    def __init__(
        self,
        path: Path,
        writer: Writer,
        quick: Reader,
        slow: Reader,
        wire: WireLog,
        answers: RawAnswers,
        clock: Clock,
        *,
        at_work: bool,
    ) -> None:
        self._threads = (writer, quick, slow)
        self._wire = wire
        self._answers = answers
        self._path = path
        self._clock = clock
        self._at_work = at_work

    @cached_property
    def engine(self) -> EngineStore:
        """For the engine."""
        from desktop_app.store.engine_store import TaskStore

        writer, quick, _ = self._threads
        return TaskStore(writer, quick, self._wire, self._answers, self._clock, self._cancels)

    @cached_property
    def commands(self) -> CommandStore:
        """What other processes ask for."""
        from desktop_app.store.commands import Commands

        writer, quick, _ = self._threads
        return Commands(writer, quick, self._clock)

    @cached_property
    def imports(self) -> ImportStore:
        """For the import of sheets."""
        from desktop_app.store.imports import Imports

        writer, quick, _ = self._threads
        return Imports(writer, quick, self._clock)

    @cached_property
    def actions(self) -> TaskActions:
        """What a person does to rows."""
        from desktop_app.store.actions import Actions

        return Actions(self._threads[0], self._cancels)

    @cached_property
    def _cancels(self) -> Cancels:
        from desktop_app.store.cancel_looks import Cancels

        return Cancels()

    @cached_property
    def pages(self) -> Pages:
        """For whoever looks."""
        from desktop_app.store.pages import PageReader

        _, quick, slow = self._threads
        return PageReader(quick, slow, self._clock, at_work=self._at_work)

    @cached_property
    def connections(self) -> ConnectionStore:
        """Connections without their keys."""
        from desktop_app.store.connections import Connections

        writer, quick, _ = self._threads
        return Connections(writer, quick)

    @cached_property
    def returned(self) -> FailureStore:
        """For failure sheets that come back."""
        from desktop_app.store.returned import Returned

        writer, _, slow = self._threads
        return Returned(writer, slow)

    @cached_property
    def landed(self) -> LandedStore:
        """For the lists of results."""
        from desktop_app.store.landed import Landed

        return Landed(self._threads[2])

    async def discard_unsealed(self) -> int:
        """As ``imports`` does it, at the start, when nothing is imported yet."""
        return await self._threads[0].do(leftovers.discard_unsealed)

    async def is_commanded(self) -> bool:
        """Whether ``commands`` has one that nobody took."""
        return await self._threads[1].read(leftovers.is_commanded)
