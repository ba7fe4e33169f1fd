"""Start, pause, resume, cancel: the engine's levers as an operator means them."""

from __future__ import annotations

from desktop_app.domain.text import Message
from desktop_app.domain.views import EngineStatus, TaskFilter


class RunControl:
    """SIGNATURES; bodies follow. ``batch_id`` None acts on every unfinished batch."""

    async def start(self, batch_id: int | None) -> None:
        """Run (or resume) the batch; opens nothing beyond its row gate."""
        raise NotImplementedError

    async def run_rest(self, batch_id: int) -> None:
        """After a trial: open the gate and run; rows already done are not run again."""
        raise NotImplementedError

    async def pause(self, batch_id: int | None, *, now: bool = False) -> None:
        """Stop claiming; ``now`` also gives back what has not begun."""
        raise NotImplementedError

    async def cancel(self, which: TaskFilter) -> int:
        """Cancel waiting tasks; running ones are asked to stop by the rules. Returns how many."""
        raise NotImplementedError

    async def status(self, batch_id: int | None) -> EngineStatus:
        """The engine at a glance, with banners, for the batch or all."""
        raise NotImplementedError

    def in_flight(self) -> int:
        """Calls on the wire now."""
        raise NotImplementedError

    async def finish_estimate_s(self) -> float | None:
        """How long the calls on the wire will still take, about."""
        raise NotImplementedError

    async def drain(self, timeout_s: float | None) -> int:
        """Claim nothing more, wait for the wire; returns how many are still out."""
        raise NotImplementedError

    async def stay_paused(self) -> None:
        """Dismiss the start banner; nothing is sent."""
        raise NotImplementedError

    async def retry_account(self, connection_id: int) -> Message | None:
        """ "Try again": the cheap test call, then one row. None when it works, else why not."""
        raise NotImplementedError
