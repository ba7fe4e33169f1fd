"""An urgent batch goes before the others, or one that can wait after them, without a stop."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from desktop_app.domain.batch import BatchPriority, RunState
from desktop_app.domain.bus import Bus
from desktop_app.domain.events import BatchChanged
from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.domain.views import BatchSummary

if TYPE_CHECKING:
    from desktop_app.domain.ports import EngineControl, EngineStore


def priority_of(word: object) -> BatchPriority:
    """The priority that a command names. Raises OperatorError for a word that is none."""
    known = {priority.word: priority for priority in reversed(BatchPriority)}
    found = known.get(str(word))
    if found is None:
        raise OperatorError(message("services.bad_priority", word=word, known=list(known)))
    return found


def goes_after(summary: BatchSummary, others: Iterable[BatchSummary]) -> Message | None:
    """Of a batch that runs and has no row on its way: the one of a higher priority that is at work
    on its connection meanwhile. None where there is none."""
    mine, ledger = summary.batch, summary.ledger
    if mine.run_state is not RunState.RUNNING or ledger.running or not ledger.pending:
        return None
    for other in others:
        theirs = other.batch
        above = theirs.priority > mine.priority and theirs.connection_id == mine.connection_id
        if above and theirs.run_state is RunState.RUNNING and other.ledger.running:
            return message("services.goes_after", batch=theirs.name)
    return None


class Priorities:
    """Which batches go first where several want the slots of one account."""

    def __init__(self, *, store: EngineStore, engine: EngineControl, bus: Bus) -> None:
        self._store = store
        self._engine = engine
        self._bus = bus

    async def set(self, batch_id: int, priority: BatchPriority) -> None:
        """Counts from the next slot that falls free; what is on the wire goes on. Raises
        OperatorError for an unknown batch."""
        if not await self._store.set_priority(batch_id, priority):
            raise OperatorError(message("services.no_batch", batch=batch_id))
        self._bus.publish(BatchChanged(batch_id))
        self._engine.wake()
