"""State words, icons and times are said in one place, so that every pane says them alike."""

from __future__ import annotations

import time
from datetime import datetime
from pathlib import Path

from desktop_app.domain.connection import spoken_name
from desktop_app.domain.errors import FailureClass
from desktop_app.domain.flags import flags_note
from desktop_app.domain.ledger import Ledger
from desktop_app.domain.task import REQUEUEABLE, TaskState
from desktop_app.domain.text import Message, Translator
from desktop_app.domain.views import EngineStatus, TaskRow

UNKNOWN = "-"  # an unknown sum or time is never shown as 0

PICTURES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".avif"})

_LOOKS = {
    TaskState.PENDING: ("waiting", "state_waiting"),
    TaskState.RUNNING: ("running", "state_running"),
    TaskState.RETRYING: ("retrying", "state_retrying"),
    TaskState.SUCCESS: ("done", "state_done"),
    TaskState.FAILED: ("failed", "state_failed"),
    TaskState.DEAD: ("dead", "state_dead"),
    TaskState.UNCERTAIN: ("uncertain", "state_uncertain"),
    TaskState.CANCELLED: ("cancelled", "state_cancelled"),
}


def look(state: TaskState) -> tuple[str, str]:
    """(icon name, colour token) of a state."""
    return _LOOKS[state]


def state_word(tr: Translator, state: TaskState) -> str:
    """The state in one or two words."""
    return {
        TaskState.PENDING: tr("Waiting"),
        TaskState.RUNNING: tr("Running"),
        TaskState.RETRYING: tr("Retrying"),
        TaskState.SUCCESS: tr("Done"),
        TaskState.FAILED: tr("Failed"),
        TaskState.DEAD: tr("Dead"),
        TaskState.UNCERTAIN: tr("Uncertain"),
        TaskState.CANCELLED: tr("Cancelled"),
    }[state]


def row_word(tr: Translator, row: TaskRow, now: float) -> str:
    """The state of a row, with what makes it particular: the countdown, the refusal."""
    if row.state is TaskState.RETRYING and row.due_at is not None and row.due_at > now:
        return tr("Retry in {time}", time=duration(tr, max(1.0, row.due_at - now), whole=True))
    if row.state is TaskState.RUNNING and row.cancel_requested:
        return tr("Stopping")
    if row.state is TaskState.FAILED and row.error_class == FailureClass.REFUSED:
        return tr("Refused")
    if row.state is TaskState.FAILED and row.error_class == FailureClass.INVALID:
        return tr("Invalid")
    return state_word(tr, row.state)


def is_unsendable(state: TaskState, code: str) -> bool:
    """Whether it never was a request, so that requeueing it would send nothing."""
    return state is TaskState.FAILED and code.startswith(("ingest.", "store."))


def may_requeue(row: TaskRow) -> bool:
    """Whether requeueing this row may send it; what may have been billed is settled instead."""
    if row.state is TaskState.UNCERTAIN:
        return False
    code = row.note.code if row.note is not None else ""
    return row.state in REQUEUEABLE and not is_unsendable(row.state, code)


def tries(row: TaskRow) -> str:
    """``2/3`` retries while it retries or after it gave up, else how often it was sent."""
    if row.tries == 0:
        return ""
    if row.state in (TaskState.RETRYING, TaskState.DEAD):
        return f"{row.retries_spent}/{row.retries_max}"
    return str(row.tries)


def took(tr: Translator, row: TaskRow, now: float) -> str:
    """How long the last attempt took, or has taken so far."""
    if row.state is TaskState.RUNNING and row.started_at is not None:
        return duration(tr, max(0.0, now - row.started_at), whole=True)
    if row.state in (TaskState.PENDING, TaskState.RETRYING):
        return UNKNOWN if row.tries else ""
    return duration(tr, row.elapsed_s) if row.tries and row.elapsed_s is not None else ""


def note(tr: Translator, row: TaskRow) -> str:
    """Why the row is where it is; empty when there is nothing to say."""
    said = flags_note(row.flags) if row.state is TaskState.SUCCESS else row.note
    return tr.say(said) if said is not None else ""


def duration(tr: Translator, seconds: float, *, whole: bool = False) -> str:
    """``0.2 s``, ``28 s``, ``4 min 5 s``, ``2 h 10 min``."""
    if seconds < 9.95 and not whole:
        return tr("{s} s", s=f"{seconds:.1f}")
    total = round(seconds)
    if total < 60:
        return tr("{s} s", s=total)
    if total < 3600:
        minutes, rest = divmod(total, 60)
        return tr("{m} min {s} s", m=minutes, s=rest) if rest else tr("{m} min", m=minutes)
    hours, rest = divmod(total // 60, 60)
    return tr("{h} h {m} min", h=hours, m=rest) if rest else tr("{h} h", h=hours)


def about(tr: Translator, seconds: float) -> str:
    """A rough duration: ``30 s``, ``4 min``, ``2 h 10 min``."""
    fives = max(5, round(seconds / 5) * 5)
    if fives < 60:
        return tr("{s} s", s=fives)
    return duration(tr, round(fives / 60) * 60)


def time_left(tr: Translator, ledger: Ledger, status: EngineStatus) -> str:
    """How long it still takes; at the end, where nobody can know, how long it has taken so far."""
    if not status.active:
        return ""
    if status.eta_s is not None:
        at = clock(now() + status.eta_s)
        return tr("about {time} left ({at})", time=about(tr, status.eta_s), at=at)
    if ledger.pending:
        return ""
    if ledger.running and status.oldest_s is not None:
        so_far = duration(tr, status.oldest_s, whole=True)
        return tr.plural(
            "finishing: {n} row, running {time}",
            "finishing: {n} rows, the longest running {time}",
            ledger.running,
            time=so_far,
        )
    return tr.plural(
        "finishing: {n} row to retry", "finishing: {n} rows to retry", ledger.unfinished
    )


def relative(tr: Translator, then: float, now: float) -> str:
    """``just now``, ``12 s ago``, ``3 min ago``, ``2 h ago``, then the date."""
    ago = max(0.0, now - then)
    if ago < 5:
        return tr("just now")
    if ago < 60:
        return tr("{time} ago", time=tr("{s} s", s=int(ago)))
    if ago < 3600:
        return tr("{time} ago", time=tr("{m} min", m=int(ago // 60)))
    if ago < 86_400:
        return tr("{time} ago", time=tr("{h} h", h=int(ago // 3600)))
    return f"{_local(then):%Y-%m-%d}"


def exact(then: float) -> str:
    """Local date and time to the second."""
    return f"{_local(then):%Y-%m-%d %H:%M:%S}"


def started(then: float, now: float) -> str:
    """``08:56`` for a time of today, ``11-30`` before."""
    day = _local(then)
    return f"{day:%H:%M}" if day.date() == _local(now).date() else f"{day:%m-%d}"


def clock(then: float, *, seconds: bool = False) -> str:
    """Local time of day."""
    return f"{_local(then):%H:%M:%S}" if seconds else f"{_local(then):%H:%M}"


def ledger_line(tr: Translator, ledger: Ledger) -> str:
    """``200 = 148 done + 3 failed + 40 waiting``: the rows by state, and they add up."""
    templates = (
        (ledger.success, tr("{n} done")),
        (ledger.failed, tr("{n} failed")),
        (ledger.dead, tr("{n} dead")),
        (ledger.uncertain, tr("{n} uncertain")),
        (ledger.cancelled, tr("{n} cancelled")),
        (ledger.running, tr("{n} running")),
        (ledger.retrying, tr("{n} retrying")),
        (ledger.pending, tr("{n} waiting")),
    )
    parts = [text.format(n=f"{count:,}") for count, text in templates if count]
    return f"{ledger.imported:,} = {' + '.join(parts)}" if parts else tr("No rows yet")


def connection_name(tr: Translator, name: str) -> str:
    """A connection's name; the practice server's in the language of now."""
    spoken = spoken_name(name)
    return tr.say(spoken) if isinstance(spoken, Message) else spoken


def is_picture(path: str) -> bool:
    """Whether a result file can be shown as a picture."""
    return Path(path).suffix.lower() in PICTURES


def now() -> float:
    """Epoch seconds; the one clock of the window."""
    return time.time()


def _local(then: float) -> datetime:
    return datetime.fromtimestamp(then).astimezone()
