"""Stops sending where sending is useless, and finds out with one row when it is useful again."""

from __future__ import annotations

from enum import StrEnum

from desktop_app.domain.clock import Clock
from desktop_app.domain.retry import Draw, spaced
from desktop_app.domain.text import Message

TRANSIENT_MAX = 5
TRANSIENT_WAIT_MAX_S = 15.0
OFFLINE_WAIT_MAX_S = 30.0


class Standing(StrEnum):
    """Whether an account takes calls."""

    OPEN = "open"  # all it allows
    PAUSED = "paused"  # until a person, or its reset time
    NO_KEY = "no_key"
    OFFLINE = "offline"  # one probe at a time
    TROUBLED = "troubled"  # the provider fails: one probe at a time
    PROVING = "proving"  # after "Try again": one other row first


PROBING = frozenset({Standing.OFFLINE, Standing.TROUBLED, Standing.PROVING})
STOPPED = frozenset({Standing.PAUSED, Standing.NO_KEY})


class Breaker:
    """The standing of one account. ``until`` is epoch seconds of a quota window's reset, which was
    ``wait_s`` away when it was told; ``paused_at`` is monotonic."""

    def __init__(self, clock: Clock, draw: Draw) -> None:
        self._clock = clock
        self._draw = draw
        self.standing = Standing.OPEN
        self.reason: Message | None = None
        self.until: float | None = None
        self.wait_s: float | None = None
        self.paused_at = float("-inf")
        self._streak = 0
        self._probes = 0
        self._probe_at = 0.0
        self._probe_out = 0  # its number, 0: none is out
        self._probes_sent = 0
        self._suspects: set[int] = set()
        self._proved = True

    def room(self, most: int) -> int:
        """How many of ``most`` calls may be sent now."""
        if self.standing is Standing.OPEN:
            return most
        if self.standing in STOPPED or self._probe_out:
            return 0
        return min(1, most) if self._clock.monotonic() >= self._probe_at else 0

    def ready_in(self) -> float | None:
        """Seconds until the next probe; None where something else has to happen first."""
        if self.standing in PROBING and not self._probe_out:
            return max(0.001, self._probe_at - self._clock.monotonic())
        return None

    @property
    def is_probing(self) -> bool:
        """Whether single rows are tried."""
        return self.standing in PROBING

    def probe_starts(self) -> int:
        """One row goes out to see; returns the probe's number, from 1."""
        self._probes_sent += 1
        self._probe_out = self._probes_sent
        return self._probe_out

    def probe_ends(self, number: int) -> None:
        """That row is back, whatever came of it. One of an earlier trouble may come late, when
        another probe is out."""
        if number == self._probe_out:
            self._probe_out = 0

    def is_suspect(self, task_pk: int) -> bool:
        """While proving: the row whose refusal paused the account; another goes first."""
        return self.standing is Standing.PROVING and task_pk in self._suspects

    def singled_out(self, task_pk: int) -> bool:
        """Whether the account was proved to work since this row was refused."""
        return self._proved and task_pk in self._suspects

    def answered(self, task_pk: int) -> bool:
        """The provider did its work on a row, or judged it. Whether the standing changed."""
        self._streak = 0
        self._proved = True
        self._suspects.discard(task_pk)
        return self._open() if self.standing in PROBING else False

    def throttled(self) -> bool:
        """Asked to slow down: reachable, but nothing is proved."""
        return self._open() if self.standing is Standing.OFFLINE else False

    def unclear(self) -> bool:
        """A call left and nobody knows what came of it. Whether the standing changed."""
        if self.standing in (Standing.TROUBLED, Standing.PROVING):
            self._probe_later(TRANSIENT_WAIT_MAX_S)
        return self._open() if self.standing is Standing.OFFLINE else False

    def transient(self, said: Message) -> bool:
        """The provider failed. Whether the standing changed."""
        if self.standing in STOPPED:
            return False
        if self.standing in (Standing.TROUBLED, Standing.PROVING):
            self._probe_later(TRANSIENT_WAIT_MAX_S)
            return False
        changed = self._open() if self.standing is Standing.OFFLINE else False
        self._streak += 1
        if self._streak < TRANSIENT_MAX:
            return changed
        self._probe(Standing.TROUBLED, said, TRANSIENT_WAIT_MAX_S)
        return True

    def offline(self, said: Message) -> bool:
        """Nothing could be sent. Whether the standing changed."""
        if self.standing in STOPPED:
            return False
        if self.standing is Standing.OFFLINE:
            self._probe_later(OFFLINE_WAIT_MAX_S)
            return False
        self._probe(Standing.OFFLINE, said, OFFLINE_WAIT_MAX_S)
        return True

    def pause(
        self,
        said: Message,
        *,
        task_pk: int | None = None,
        until: float | None = None,
        wait_s: float | None = None,
        no_key: bool = False,
    ) -> bool:
        """Refused as an account. Whether the standing changed. ``wait_s`` goes with an ``until``
        that was told earlier."""
        if task_pk is not None:
            self._suspects.add(task_pk)
        self._proved = False
        if self.standing in STOPPED:
            return False
        self.standing = Standing.NO_KEY if no_key else Standing.PAUSED
        self.reason = said
        self.until = until
        self.wait_s = wait_s
        self.paused_at = self._clock.monotonic()
        if until is not None and wait_s is None:
            self.wait_s = max(0.0, until - self._clock.now())
        self.clamp()
        return True

    def clamp(self) -> None:
        """No pause is longer than it was told to be: the clock may have been set back since."""
        if self.until is not None and self.wait_s is not None:
            self.until = min(self.until, self._clock.now() + self.wait_s)

    def prove(self) -> None:
        """ "Try again": the test call passed, so one row other than the refused goes next."""
        if self._proved or not self._suspects:
            self._open()
            return
        self.standing = Standing.PROVING
        self.until = None
        self._probes = 0
        self._probe_at = self._clock.monotonic()

    def probe_now(self) -> None:
        """Don't wait for the next probe."""
        self._probe_at = self._clock.monotonic()

    def reset(self) -> None:
        """The connection was changed: nothing known counts any more."""
        self._suspects.clear()
        self._proved = True
        self._open()

    def _open(self) -> bool:
        changed = self.standing is not Standing.OPEN
        self.standing = Standing.OPEN
        self.reason = None
        self.until = None
        self._probes = 0
        self._probe_out = 0
        self._streak = 0
        return changed

    def _probe(self, standing: Standing, said: Message, cap_s: float) -> None:
        self.standing = standing
        self.reason = said
        self._probes = 0
        self._probe_at = self._clock.monotonic()
        self._probe_later(cap_s)

    def _probe_later(self, cap_s: float) -> None:
        now = self._clock.monotonic()
        if now < self._probe_at:
            return  # an echo of calls that were out before
        self._probe_at = now + spaced(self._probes, self._draw, cap_s=cap_s)
        self._probes += 1
