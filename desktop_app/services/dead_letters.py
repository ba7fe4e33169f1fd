"""Dead letters: grouped by cause, each with its next step, requeued without loss or doubling."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

from desktop_app.domain.batch import RunState
from desktop_app.domain.clock import Clock
from desktop_app.domain.errors import BadResult, LocalTrouble
from desktop_app.domain.money import spoken, sums
from desktop_app.domain.ports import (
    Adapters,
    Capabilities,
    ConnectionStore,
    Pages,
    ResultFiles,
    TaskActions,
)
from desktop_app.domain.safe_names import fold
from desktop_app.domain.task import REQUEUEABLE, TaskState
from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.domain.views import DeadGroup, DoubtfulRow, Doubts, TaskDetail, TaskFilter

_DOUBTFUL = frozenset({TaskState.UNCERTAIN})
_UNASKED = REQUEUEABLE - _DOUBTFUL - {TaskState.CANCELLED}
"""What is requeued where neither states nor rows are named: what costs nothing twice."""


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
        """Requeue all that match and still can be; returns how many. Cancelled rows are taken only
        where states or rows are named, UNCERTAIN ones only where that state is. Raises
        OperatorError for an unknown batch and for states that can't be requeued."""
        if which.batch_id is not None and await self._pages.batch_summary(which.batch_id) is None:
            raise OperatorError(message("services.no_batch", batch=which.batch_id))
        asked = which.states or (_UNASKED if which.pks is None else REQUEUEABLE - _DOUBTFUL)
        allowed = asked & REQUEUEABLE
        if not allowed:
            raise OperatorError(message("services.requeue_states"))
        narrowed = replace(which, states=allowed)
        count = await self._actions.requeue(narrowed, self._clock.now())
        if count == 0 and await self._pages.count(narrowed):
            raise OperatorError(message("services.unusable_rows"))
        self._wake()
        return count

    async def held(self, which: TaskFilter) -> tuple[int, ...]:
        """The batches that stand still, of those whose rows match and can be requeued: what is
        requeued in them is sent when a person resumes them. To be asked before the requeue."""
        asked = (which.states or REQUEUEABLE) & REQUEUEABLE
        found = []
        for summary in await self._pages.batches():
            batch = summary.batch
            if batch.run_state is RunState.RUNNING or which.batch_id not in (None, batch.id):
                continue
            if await self._pages.count(replace(which, batch_id=batch.id, states=asked)):
                found.append(batch.id)
        return tuple(found)

    async def edit_and_requeue(self, task_pk: int, prompt: str) -> bool:
        """A new edition with this prompt, requeued; with the prompt it has, the same one again.
        Raises OperatorError for an empty prompt."""
        if not prompt.strip():
            raise OperatorError(message("services.empty_prompt"))
        done = await self._actions.edit_and_requeue(task_pk, prompt, self._clock.now())
        self._wake()
        return done

    async def doubts(self, which: TaskFilter) -> Doubts:
        """What can be done about the UNCERTAIN rows among those that match, and its price."""
        rows = await self._pages.in_doubt(which)
        caps = {one: await self._capabilities(one) for one in {row.connection_id for row in rows}}
        first = await self._pages.detail(rows[0].pk) if rows else None
        return Doubts(
            rows=len(rows),
            askable=tuple(row.pk for row in rows if _is_askable(row, caps[row.connection_id])),
            worst=sums(row.worst for row in rows if row.worst is not None and row.worst.amount),
            unpriced=sum(row.worst is None for row in rows),
            stem="" if first is None else first.file_stem,
        )

    async def settle_failed(self, task_pk: int) -> bool:
        """UNCERTAIN -> FAILED on a person's word."""
        note = message("services.settled_failed")
        return await self._actions.settle_failed(task_pk, note, self._clock.now())

    async def settle_failed_all(self, which: TaskFilter) -> int:
        """The same for all that match; returns how many."""
        note = message("services.settled_failed")
        return await self._actions.settle_failed_all(which, note, self._clock.now())

    async def settle_resend(self, task_pk: int) -> bool:
        """Send again; may be paid twice."""
        done = await self._actions.settle_resend(task_pk, self._clock.now())
        self._wake()
        return done

    async def settle_resend_all(self, which: TaskFilter) -> int:
        """The same for all that match; returns how many."""
        return await self.requeue(replace(which, states=_DOUBTFUL))

    async def settle_attach(self, task_pk: int, file: Path) -> bool:
        """A file found by hand becomes the result. Raises OperatorError if it is none."""
        detail = await self._uncertain(task_pk)
        summary = await self._pages.batch_summary(detail.row.batch_id)
        if summary is None:
            raise OperatorError(message("services.no_task"))
        batch = summary.batch
        makes = await self._makes(batch.connection_id)
        if summary.ledger.success:
            self._files.expect(batch.out_dir)
        try:
            kept = await self._files.attach(batch.out_dir, detail.file_stem, file, makes)
        except (BadResult, LocalTrouble) as trouble:
            raise OperatorError(trouble.message) from trouble
        return await self._actions.settle_attach(task_pk, kept, self._clock.now())

    async def settle_attach_all(self, which: TaskFilter, folder: Path) -> int:
        """Of all that match, those become done whose file is in ``folder`` under the name that is
        reserved for it; returns how many. Raises OperatorError where none can be attached."""
        named = {"": await asyncio.to_thread(_files_by_stem, folder)}
        done, failed = 0, OperatorError(message("services.attach_none", folder=str(folder)))
        for row in await self._pages.in_doubt(which):
            detail = await self._pages.detail(row.pk)
            if detail is None:
                continue
            above, _, name = detail.file_stem.rpartition("/")
            if above not in named:
                named[above] = await asyncio.to_thread(_files_below, folder / above)
            file = named[above].get(fold(name))
            if file is None:
                continue
            try:
                done += await self.settle_attach(row.pk, file)
            except OperatorError as error:
                failed = error
        if not done:
            raise failed
        return done

    async def askable(self, task_pk: int) -> bool:
        """Whether this row's provider can be asked what became of a call: its adapter says so, or
        the call has become a job."""
        return bool((await self.doubts(TaskFilter(pks=(task_pk,)))).askable)

    async def settle_ask(self, task_pk: int) -> bool:
        """UNCERTAIN -> RUNNING until the provider has said what became of the call. Raises
        OperatorError where it can't be asked."""
        await self._uncertain(task_pk)
        if not await self.askable(task_pk):
            raise OperatorError(message("services.cannot_ask"))
        return await self._ask(task_pk)

    async def settle_ask_all(self, which: TaskFilter) -> int:
        """Ask about all that match and can be asked about; returns how many."""
        asked = [await self._ask(pk) for pk in (await self.doubts(which)).askable]
        return sum(asked)

    async def _makes(self, connection_id: int) -> str | None:
        caps = await self._capabilities(connection_id)
        return caps.makes if caps is not None else None

    async def _capabilities(self, connection_id: int) -> Capabilities | None:
        connection = await self._connections.get(connection_id)
        if connection is None or connection.adapter not in self._adapters.names():
            return None
        return self._adapters.capabilities(connection.adapter, connection)

    async def _uncertain(self, task_pk: int) -> TaskDetail:
        detail = await self._pages.detail(task_pk)
        if detail is None:
            raise OperatorError(message("services.no_task"))
        if detail.row.state is TaskState.RUNNING:
            raise OperatorError(message("services.still_running", row=detail.row.row_no))
        if detail.row.state is not TaskState.UNCERTAIN:
            raise OperatorError(message("services.not_uncertain", row=detail.row.row_no))
        return detail


def _files_by_stem(folder: Path) -> dict[str, Path]:
    try:
        return {fold(path.stem): path for path in sorted(folder.iterdir()) if path.is_file()}
    except OSError as error:
        raise OperatorError(message("services.attach_one")) from error


def _files_below(folder: Path) -> dict[str, Path]:
    return _files_by_stem(folder) if folder.is_dir() else {}


def price_of_resending(doubts: Doubts) -> Message:
    """What sending these rows again may cost, as a sentence."""
    total = " + ".join(map(spoken, doubts.worst))
    if total and doubts.unpriced:
        return message("services.resend_up_to_some", sum=total, n=f"{doubts.unpriced:,}")
    if total:
        return message("services.resend_up_to", sum=total)
    return message("services.resend_unpriced" if doubts.unpriced else "services.resend_free")


def _is_askable(row: DoubtfulRow, caps: Capabilities | None) -> bool:
    return row.unknown and caps is not None and (caps.askable or (caps.jobs and row.has_job))
