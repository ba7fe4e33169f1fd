"""What happened, said after the commit that made it true, so that no view runs ahead of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

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


class AlertKind(StrEnum):
    """What an alert is about."""

    ROWS = "rows"  # rows of a batch became dead letters
    STOPPED = "stopped"  # a batch goes no further without a person
    ACCOUNT = "account"  # an account or connection is paused
    FINISHED = "finished"
    LOCAL = "local"  # this machine's own trouble holds everything


@dataclass(frozen=True, slots=True)
class Alert:
    """The engine has something for a person; ``services.alerts`` groups it with what else there is.

    ``account`` names the account or connection that is paused, and is the same for each alert
    about it; ``connection_id`` is one that uses it.
    """

    said: Message
    batch_id: int | None = None
    kind: AlertKind = AlertKind.ROWS
    account: str = ""
    connection_id: int = 0


@dataclass(frozen=True, slots=True)
class Notification:
    """One thing to tell a person who looks elsewhere: a title and a few parts to stand on one
    line. The same ``tag`` replaces the former one; ``needs_you``: what it speaks of is found
    under "Needs you"."""

    tag: str
    kind: AlertKind
    title: Message
    said: tuple[Message, ...]
    batch_id: int | None = None
    needs_you: bool = False


Event = (
    TasksChanged
    | BatchChanged
    | BatchFinished
    | ConnectionsChanged
    | EngineChanged
    | ImportProgress
    | Alert
    | Notification
)
