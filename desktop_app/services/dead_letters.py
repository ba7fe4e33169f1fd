"""Dead letters: grouped by cause, each with its next step, requeued without loss or doubling."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from desktop_app.domain.attempt import Billed, Outcome
from desktop_app.domain.clock import Clock
from desktop_app.domain.errors import BadResult, LocalTrouble
from desktop_app.domain.ports import (
    Adapters,
    Capabilities,
    ConnectionStore,
    Pages,
    ResultFiles,
    TaskActions,
)
from desktop_app.domain.task import REQUEUEABLE, TaskState
from desktop_app.domain.text import OperatorError, message
from desktop_app.domain.views import DeadGroup, TaskDetail, TaskFilter


class DeadLetters:
    """What a person decides about rows that need one. ``wake`` tells the engine to look again;
    ``ask`` has it ask a provider what became of a row's call."""

    def __init__(
        self,
        *,
        actions: TaskActions,
        pages: Pages,
        files: ResultFiles,
        connections: ConnectionStore,
        adapters: Adapters,
        clock: Clock,
        wake: Callable[[], None],
        ask: Callable[[int], Awaitable[bool]],
    ) -> None:
        self._actions = actions
        self._pages = pages
        self._files = files
        self._connections = connections
        self._adapters = adapters
        self._clock = clock
        self._wake = wake
        self._ask = ask

    async def groups(self, batch_id: int | None) -> list[DeadGroup]:
        """Grouped by cause, largest first."""
        return await self._pages.dead_groups(batch_id)

    async def requeue(self, which: TaskFilter) -> int:
        """Requeue all that match and still can be; returns how many. Raises OperatorError for an
        unknown batch and for states that can't be requeued."""
        if which.batch_id is not None and await self._pages.batch_summary(which.batch_id) is None:
            raise OperatorError(message("services.no_batch", batch=which.batch_id))
        asked = which.states or REQUEUEABLE - {TaskState.CANCELLED}
        allowed = asked & REQUEUEABLE
        if not allowed:
            raise OperatorError(message("services.requeue_states"))
        narrowed = TaskFilter(
            batch_id=which.batch_id,
            states=allowed,
            cause=which.cause,
            error_class=which.error_class,
            text=which.text,
            pks=which.pks,
            cause_or_class=which.cause_or_class,
        )
        count = await self._actions.requeue(narrowed, self._clock.now())
        if count == 0 and await self._pages.count(narrowed):
            raise OperatorError(message("services.unusable_rows"))
        self._wake()
        return count

    async def edit_and_requeue(self, task_pk: int, prompt: str) -> bool:
        """A new edition with this prompt, requeued. Raises OperatorError for an empty prompt."""
        if not prompt.strip():
            raise OperatorError(message("services.empty_prompt"))
        done = await self._actions.edit_and_requeue(task_pk, prompt, self._clock.now())
        self._wake()
        return done

    async def settle_failed(self, task_pk: int) -> bool:
        """UNCERTAIN -> FAILED on a person's word."""
        note = message("services.settled_failed")
        return await self._actions.settle_failed(task_pk, note, self._clock.now())

    async def settle_resend(self, task_pk: int) -> bool:
        """Send again; may be paid twice."""
        done = await self._actions.settle_resend(task_pk, self._clock.now())
        self._wake()
        return done

    async def settle_attach(self, task_pk: int, file: Path) -> bool:
        """A file found by hand becomes the result. Raises OperatorError if it is none."""
        detail = await self._uncertain(task_pk)
        summary = await self._pages.batch_summary(detail.row.batch_id)
        if summary is None:
            raise OperatorError(message("services.no_task"))
        batch = summary.batch
        makes = await self._makes(batch.connection_id)
        try:
            kept = await self._files.attach(batch.out_dir, detail.file_stem, file, makes)
        except (BadResult, LocalTrouble) as trouble:
            raise OperatorError(trouble.message) from trouble
        return await self._actions.settle_attach(task_pk, kept, self._clock.now())

    async def askable(self, task_pk: int) -> bool:
        """Whether this row's provider can be asked what became of a call: its adapter says so, or
        the call has become a job."""
        detail = await self._pages.detail(task_pk)
        summary = await self._pages.batch_summary(detail.row.batch_id) if detail else None
        if detail is None or summary is None:
            return False
        caps = await self._capabilities(summary.batch.connection_id)
        return caps is not None and any(
            caps.askable or (caps.jobs and attempt.job_id is not None)
            for attempt in detail.attempts
            if attempt.outcome == Outcome.UNKNOWN and attempt.billed != Billed.NO
        )

    async def settle_ask(self, task_pk: int) -> bool:
        """UNCERTAIN -> RUNNING until the provider has said what became of the call. Raises
        OperatorError where it can't be asked."""
        await self._uncertain(task_pk)
        if not await self.askable(task_pk):
            raise OperatorError(message("services.cannot_ask"))
        return await self._ask(task_pk)

    async def _makes(self, connection_id: int) -> str | None:
        caps = await self._capabilities(connection_id)
        return caps.makes if caps is not None else None

    async def _capabilities(self, connection_id: int) -> Capabilities | None:
        connection = await self._connections.get(connection_id)
        if connection is None or connection.adapter not in self._adapters.names():
            return None
        return self._adapters.capabilities(connection.adapter)

    async def _uncertain(self, task_pk: int) -> TaskDetail:
        detail = await self._pages.detail(task_pk)
        if detail is None:
            raise OperatorError(message("services.no_task"))
        if detail.row.state is not TaskState.UNCERTAIN:
            raise OperatorError(message("services.not_uncertain", row=detail.row.row_no))
        return detail
