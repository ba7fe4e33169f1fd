"""How long a run will take is said while rows keep ending, and no longer once they don't: a figure
that stands still is no estimate."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from desktop_app.domain.clock import Clock
from desktop_app.domain.views import BatchSummary

WINDOW_S = 120.0
LEAST_ENDED = 3
DOUBT_S = 10.0
"""Rows end in bursts; a pause that is shorter says nothing."""


class TimeLeft:
    """Watches how many rows end, for each batch and for all (None) together."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._ended: dict[int | None, deque[tuple[float, int]]] = {}

    def estimate_s(
        self, batch_id: int | None, running: Sequence[BatchSummary], *, stands: bool = False
    ) -> float | None:
        """Seconds until the last row of these ends, by the pace at which rows ended in the last
        two minutes, counted down since the last of them did. None where too few have ended, where
        a trial's gate holds rows back, and where the time is up and no other row has ended.

        ``stands``: none of their accounts takes calls. That time is no part of the pace."""
        track = self._ended.setdefault(batch_id, deque())
        unfinished = sum(s.ledger.unfinished for s in running)
        ended = sum(s.ledger.imported - s.ledger.unfinished for s in running)
        now = self._clock.monotonic()
        if stands or not unfinished:
            track.clear()
            return None
        if track and ended < track[-1][1]:
            track.clear()
        if not track or track[-1][1] != ended:
            track.append((now, ended))
        while len(track) > 2 and now - track[0][0] > WINDOW_S:
            track.popleft()
        last, advanced = track[-1][0], ended - track[0][1]
        is_gated = any(s.batch.row_gate is not None for s in running)
        if advanced < LEAST_ENDED or last <= track[0][0] or is_gated:
            return None
        left = unfinished * (last - track[0][0]) / advanced
        return max(0.0, left - (now - last)) if now - last <= max(left, DOUBT_S) else None
