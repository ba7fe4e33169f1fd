"""Which batch goes first, in the same words and signs wherever it is shown or chosen."""

from __future__ import annotations

from collections.abc import Mapping

from desktop_app.domain.batch import BatchPriority
from desktop_app.domain.text import Translator
from desktop_app.domain.views import BatchSummary

CHOICES: Mapping[BatchPriority, str] = {
    priority: f"priority_{priority.word}" for priority in reversed(BatchPriority)
}
"""The window's action for each, in the order of the menus."""

LOOKS = {
    BatchPriority.HIGH: ("priority-high", "accent"),
    BatchPriority.NORMAL: ("priority-normal", "muted"),
    BatchPriority.LOW: ("priority-low", "muted"),
}
"""(icon, colour token) of each."""


def choice_words(tr: Translator) -> Mapping[BatchPriority, str]:
    """What a menu says of each."""
    return {
        BatchPriority.HIGH: tr("High: before other batches"),
        BatchPriority.NORMAL: tr("Normal: in turn with other batches"),
        BatchPriority.LOW: tr("Low: after other batches"),
    }


def shown(summary: BatchSummary) -> BatchPriority:
    """The priority that there is something to say of: none where nothing waits any more."""
    return summary.batch.priority if summary.ledger.unfinished else BatchPriority.NORMAL


def priority_word(tr: Translator, priority: BatchPriority) -> str:
    """In two words; nothing for the usual one."""
    return {
        BatchPriority.HIGH: tr("High priority"),
        BatchPriority.NORMAL: "",
        BatchPriority.LOW: tr("Low priority"),
    }[priority]
