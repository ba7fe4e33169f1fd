"""Twenty thousand dead rows are one thing to tell, so what happens is grouped before it is told."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from desktop_app.domain.events import Alert, AlertKind
from desktop_app.domain.text import Message

QUIET_S = 30.0
QUIET_MAX_S = 1800.0
QUIET_GROWTH = 4.0
PASSING_S = 10.0
"""What a full disk or a held file may take to mend without anybody being called for it."""


@dataclass(slots=True)
class _Rows:
    """Dead rows of one batch. Nothing is told before ``quiet_until`` (monotonic seconds)."""

    waiting: Alert | None
    quiet_until: float
    quiet_s: float = QUIET_S


@dataclass(slots=True)
class _Trouble:
    """This machine's own, which stands since before ``due`` (monotonic seconds)."""

    alert: Alert
    due: float
    is_told: bool = False


class AlertGroups:
    """Takes every alert, gives back the few to tell. Times are monotonic seconds.

    Rows: the first of a batch is due at once; what follows is gathered for half a minute, then
    for longer and longer while rows go on dying. A quiet time without any ends the group. A
    finished batch speaks for its rows too. An account is told once for a reason until it is
    mended; so is this machine's own trouble, whatever its words, once it has lasted a little.
    """

    def __init__(self) -> None:
        self._rows: dict[int, _Rows] = {}
        self._at_once: list[Alert] = []
        self._paused: dict[str, tuple[str, int]] = {}
        self._trouble: _Trouble | None = None

    @property
    def waiting(self) -> bool:
        """Whether something is still to be told."""
        rows = any(group.waiting for group in self._rows.values())
        trouble = self._trouble is not None and not self._trouble.is_told
        return bool(self._at_once) or rows or trouble

    @property
    def paused(self) -> frozenset[int]:
        """Connections that were told of as paused and are not known to be mended."""
        return frozenset(connection_id for _, connection_id in self._paused.values())

    def add(self, alert: Alert, now: float) -> None:
        """Something happened."""
        match alert.kind:
            case AlertKind.ROWS if alert.batch_id is not None:
                self._add_rows(alert, alert.batch_id, now)
            case AlertKind.ACCOUNT:
                self._add_account(alert)
            case _:
                if alert.kind is AlertKind.FINISHED and alert.batch_id is not None:
                    self._rows.pop(alert.batch_id, None)
                self._at_once.append(alert)

    def trouble(self, said: Message | None, now: float) -> None:
        """What of this machine holds everything now, or None."""
        if said is None:
            self._trouble = None
            return
        alert = Alert(said, kind=AlertKind.LOCAL)
        if self._trouble is None:
            self._trouble = _Trouble(alert, now + PASSING_S)
        self._trouble.alert = alert

    def take(self, now: float) -> list[Alert]:
        """What is due; it is not given again."""
        due, self._at_once = self._at_once, []
        trouble = self._trouble
        if trouble is not None and not trouble.is_told and now >= trouble.due:
            trouble.is_told = True
            due.append(trouble.alert)
        for batch_id, group in list(self._rows.items()):
            if now < group.quiet_until:
                continue
            if group.waiting is None:
                del self._rows[batch_id]
                continue
            due.append(group.waiting)
            group.waiting = None
            group.quiet_until = now + group.quiet_s
            group.quiet_s = min(group.quiet_s * QUIET_GROWTH, QUIET_MAX_S)
        return due

    def take_all(self) -> list[Alert]:
        """What is left, due or not, for the program's end."""
        due, self._at_once = self._at_once, []
        due += [group.waiting for group in self._rows.values() if group.waiting is not None]
        self._rows.clear()
        return due

    def mended(self, connection_ids: Collection[int]) -> None:
        """These connections work: their next pause is news again."""
        for account, (_, connection_id) in list(self._paused.items()):
            if connection_id in connection_ids:
                del self._paused[account]

    def _add_rows(self, alert: Alert, batch_id: int, now: float) -> None:
        group = self._rows.get(batch_id)
        if group is None or (group.waiting is None and now >= group.quiet_until):
            self._rows[batch_id] = _Rows(alert, now)
        else:
            group.waiting = alert

    def _add_account(self, alert: Alert) -> None:
        reason = _reason(alert.said)
        known = self._paused.get(alert.account)
        if known is None or known[0] != reason:
            self._paused[alert.account] = (reason, alert.connection_id)
            self._at_once.append(alert)


def _reason(said: Message) -> str:
    """The cause alone: two sentences of one cause may differ in their figures."""
    why = said.values.get("why")
    return why.code if isinstance(why, Message) else said.code
