"""What happened, said after the commit that made it true, so that no view runs ahead of it."""

from __future__ import annotations

from dataclasses import dataclass

from desktop_app.domain.text import Message


@dataclass(frozen=True, slots=True)
class TasksChanged:
    """These tasks of a batch changed; empty ``pks`` means many: read again."""

    batch_id: int
    pks: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class BatchChanged:
    """A batch appeared, was sealed, started, paused, finished, or removed."""

    batch_id: int


@dataclass(frozen=True, slots=True)
class BatchFinished:
    """No row of the batch has work to come."""

    batch_id: int


@dataclass(frozen=True, slots=True)
class ConnectionsChanged:
    """A connection or its account's standing changed."""


@dataclass(frozen=True, slots=True)
class EngineChanged:
    """Rate, wait, banners: ask for the status again."""


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """Rows read so far of an import; ``total`` None while unknown."""

    batch_id: int
    rows: int
    total: int | None


@dataclass(frozen=True, slots=True)
class Alert:
    """One grouped notice for a person."""

    said: Message
    batch_id: int | None = None


Event = (
    TasksChanged
    | BatchChanged
    | BatchFinished
    | ConnectionsChanged
    | EngineChanged
    | ImportProgress
    | Alert
)
