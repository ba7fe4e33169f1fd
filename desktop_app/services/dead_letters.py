"""Dead letters: grouped by cause, each with its next step, requeued without loss or doubling."""

from __future__ import annotations

from pathlib import Path

from desktop_app.domain.text import Message
from desktop_app.domain.views import DeadGroup, TaskFilter


class DeadLetters:
    """SIGNATURES; bodies follow."""

    async def groups(self, batch_id: int | None) -> list[DeadGroup]:
        """Grouped by cause, largest first."""
        raise NotImplementedError

    async def requeue(self, which: TaskFilter) -> int:
        """Requeue all that match and still can be; returns how many."""
        raise NotImplementedError

    async def edit_and_requeue(self, task_pk: int, prompt: str) -> bool:
        """A new edition with this prompt, requeued."""
        raise NotImplementedError

    async def settle_failed(self, task_pk: int) -> bool:
        """UNCERTAIN -> FAILED on a person's word."""
        raise NotImplementedError

    async def settle_resend(self, task_pk: int) -> bool:
        """Send again; may be paid twice."""
        raise NotImplementedError

    async def settle_attach(self, task_pk: int, file: Path) -> bool:
        """A file found by hand becomes the result. Raises OperatorError if it is none."""
        raise NotImplementedError

    async def settle_ask(self, task_pk: int) -> Message:
        """Ask the provider, where it can be asked; the sentence says what came of it."""
        raise NotImplementedError
