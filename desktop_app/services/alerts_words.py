"""What is said outside the window names causes and numbers, never a prompt, a key or a vendor's
own text: a lock screen or a chat group may show it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from desktop_app.domain.errors import FailureClass
from desktop_app.domain.events import Alert, AlertKind, Notification
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import Message, Translator, message
from desktop_app.domain.views import BatchSummary, DeadGroup

_QUOTING = "_said"  # codes that quote the vendor are named after the one that does not
_PARTS = (
    "alerts.part_uncertain",
    "alerts.part_refused",
    "alerts.part_invalid",
    "alerts.part_dead",
    "alerts.part_failed",
)


def render(tr: Translator, told: Notification) -> tuple[str, str]:
    """Title and body as they are shown."""
    return tr.say(told.title), " · ".join(tr.say(part) for part in told.said)


def word_rows(summary: BatchSummary, groups: Sequence[DeadGroup]) -> Notification | None:
    """All rows of a batch that need a person now, by cause; None when none is left."""
    batch, count = summary.batch, sum(group.count for group in groups)
    if not count:
        return None
    code = "alerts.rows_one" if count == 1 else "alerts.rows"
    title = message(code, batch=batch.name, n=f"{count:,}")
    return Notification(
        _batch_tag(batch.id), AlertKind.ROWS, title, _causes(groups), batch.id, needs_you=True
    )


def word_finished(summary: BatchSummary) -> Notification | None:
    """The end of a batch; None for one that was cancelled before anything came of it."""
    batch, done, need = summary.batch, summary.ledger.success, summary.ledger.dead_letters
    if not done and not need:
        return None
    code = "alerts.finished_all"
    if need:
        code = "alerts.finished_some" if done else "alerts.finished_none"
    said = [message(code, done=f"{done:,}", n=f"{need:,}")]
    if summary.in_part:
        said.append(message("alerts.in_part", n=f"{summary.in_part:,}"))
    title = message("alerts.finished", batch=batch.name)
    return Notification(
        _batch_tag(batch.id), AlertKind.FINISHED, title, tuple(said), batch.id, needs_you=need > 0
    )


def word_stopped(summary: BatchSummary, alert: Alert) -> Notification:
    """A batch that goes no further by itself."""
    batch = summary.batch
    title = message("alerts.paused", name=batch.name)
    return Notification(f"stopped-{batch.id}", alert.kind, title, (alert.said,), batch.id)


def word_account(alert: Alert) -> Notification:
    """An account or connection that takes no calls."""
    title = message("alerts.paused", name=alert.said.values.get("name", ""))
    return Notification(alert.account, alert.kind, title, (unquoted(alert.said),), alert.batch_id)


def word_local(alert: Alert) -> Notification:
    """This machine's own trouble, which holds every batch."""
    title = message("alerts.paused", name="Batchwright")
    return Notification("local", alert.kind, title, (alert.said,))


def unquoted(said: Message) -> Message:
    """The cause in our own words: without what the provider wrote, which may quote anything."""
    why = said.values.get("why")
    why = why if isinstance(why, Message) else said
    if "text" not in why.values:
        return why
    if why.code.endswith(_QUOTING):
        values = {name: value for name, value in why.values.items() if name != "text"}
        return Message(why.code.removesuffix(_QUOTING), values)
    return message("alerts.see_window")


def _batch_tag(batch_id: int) -> str:
    return f"batch-{batch_id}"


def _causes(groups: Iterable[DeadGroup]) -> tuple[Message, ...]:
    counts = dict.fromkeys(_PARTS, 0)
    for group in groups:
        counts[_part(group)] += group.count
    return tuple(message(code, n=f"{n:,}") for code, n in counts.items() if n)


def _part(group: DeadGroup) -> str:
    if group.state is TaskState.UNCERTAIN:
        return "alerts.part_uncertain"
    if group.state is TaskState.DEAD:
        return "alerts.part_dead"
    if group.error_class == FailureClass.REFUSED:
        return "alerts.part_refused"
    if group.error_class == FailureClass.INVALID:
        return "alerts.part_invalid"
    return "alerts.part_failed"
