"""What services ask of the engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from desktop_app.domain.ports.answers import Preview
from desktop_app.domain.text import Message
from desktop_app.domain.views import Banner, TaskFilter


class EngineControl(Protocol):
    """What services ask of the engine. Everything is safe to call at any time on its loop."""

    async def start(self) -> None: ...
    async def settle(self) -> None:
        """Pause what was unfinished and settle what an earlier run left on its way; nothing runs
        afterwards."""
        ...

    async def resume(self, batch_id: int) -> None: ...
    async def pause(
        self, batch_id: int, *, now: bool = False, reason: Message | None = None
    ) -> None: ...
    async def cancel(self, which: TaskFilter) -> int: ...
    async def ask(self, task_pk: int) -> bool:
        """Ask the provider again what became of an UNCERTAIN row, which runs until that is known.
        False where nothing of it is in doubt any more."""
        ...

    async def drain(self, timeout_s: float | None) -> int:
        """Stop claiming, wait for what is in flight; returns how many are still on the wire."""
        ...

    async def stop(self) -> None:
        """End at once; what is on the wire stays RUNNING in the store and is settled at start."""
        ...

    def wake(self) -> None: ...
    async def look_again(self) -> None:
        """See at once whether this machine's own trouble is mended."""
        ...

    async def retry_account(self, connection_id: int) -> bool: ...
    async def connection_changed(self, connection_id: int) -> None: ...
    def in_flight(self, batch_id: int | None = None) -> int: ...
    def oldest_s(self, batch_id: int | None = None) -> float | None:
        """How long the oldest of those in flight has been out, in seconds; None where none is."""
        ...

    def account_states(self) -> Mapping[int, tuple[str, Message | None]]:
        """connection id -> (AccountState word, why)."""
        ...

    def preview(self, task_pk: int) -> Preview | None:
        """What has come so far of the answer to a row in flight; None where none is coming, or
        nobody hears it come. It is asked for by who looks, so that nothing is done for the many
        rows that nobody looks at."""
        ...

    def rates(self) -> Mapping[str, Any]:
        """``rate``, ``allowed_rate``, ``concurrency``, ``typical_s`` (the usual time of one answer,
        seconds), ``slowed_until``, ``slowed_rate``, ``slowed_number``, ``throttle_reason``,
        ``waits_for`` over active accounts."""
        ...

    def banners(self) -> tuple[Banner, ...]: ...

    def trouble(self) -> Message | None:
        """The local fault that holds the whole engine (disk), or None."""
        ...
