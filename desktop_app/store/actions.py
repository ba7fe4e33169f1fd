"""What a person does to tasks."""

from __future__ import annotations

from desktop_app.domain.attempt import Kept
from desktop_app.domain.text import Message
from desktop_app.domain.views import TaskFilter
from desktop_app.store.cancel_looks import Cancels
from desktop_app.store.tasks import requeue, settle
from desktop_app.store.tasks.cancel import cancel
from desktop_app.store.writer import Writer


class Actions:
    """Implements TaskActions; each tells how many tasks it changed, or whether it did."""

    def __init__(self, writer: Writer, cancels: Cancels) -> None:
        self._writer = writer
        self._cancels = cancels

    async def requeue(self, which: TaskFilter, now: float) -> int:
        """Requeue all that match and may be requeued."""
        return await self._writer.do(lambda txn: requeue.requeue(txn, which, now))

    async def edit_and_requeue(self, task_pk: int, prompt: str, now: float) -> bool:
        """A new edition with this prompt, requeued."""
        return await self._writer.do(
            lambda txn: requeue.edit_and_requeue(txn, task_pk, prompt, now)
        )

    async def cancel(self, which: TaskFilter, now: float) -> int:
        """Cancel what waits; ask what runs to stop."""
        self._cancels.asked += 1
        return await self._writer.do(lambda txn: cancel(txn, which, now))

    async def settle_failed(self, task_pk: int, note: Message, now: float) -> bool:
        """UNCERTAIN -> FAILED."""
        return await self._writer.do(lambda txn: settle.settle_failed(txn, task_pk, note, now))

    async def settle_failed_all(self, which: TaskFilter, note: Message, now: float) -> int:
        """UNCERTAIN -> FAILED, all that match."""
        return await self._writer.do(lambda txn: settle.settle_failed_all(txn, which, note, now))

    async def settle_resend(self, task_pk: int, now: float) -> bool:
        """UNCERTAIN -> PENDING: sent again, maybe paid twice."""
        return await self._writer.do(lambda txn: requeue.settle_resend(txn, task_pk, now))

    async def settle_attach(self, task_pk: int, kept: Kept, now: float) -> bool:
        """UNCERTAIN -> SUCCESS with a file found by hand."""
        return await self._writer.do(lambda txn: settle.settle_attach(txn, task_pk, kept, now))
