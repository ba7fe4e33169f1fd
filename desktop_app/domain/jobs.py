"""A job that the provider takes now and finishes later, in the words that adapters and engine
share, so that what was paid for is followed to its end and never bought again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from desktop_app.domain.errors import Failure


@dataclass(frozen=True, slots=True)
class Job:
    """A job the provider has taken.

    ``context`` is whatever the adapter needs to find it again after a restart (status and cancel
    URLs ...): plain JSON, no secrets; it is stored with the id. ``hint_s``: how long the provider
    says to wait before the first poll. ``calls_back``: the provider was given an address to call,
    so polling is the safety net and starts after ``Capabilities.poll_after_s``.
    """

    id: str
    context: Mapping[str, Any] = field(default_factory=dict)
    hint_s: float | None = None
    calls_back: bool = False


@dataclass(frozen=True, slots=True)
class JobRunning:
    """It waits or is being worked on. ``hint_s``: when the provider says to ask again."""

    hint_s: float | None = None


@dataclass(frozen=True, slots=True)
class JobDone:
    """Its result is there. ``context`` is for ``collect`` alone, in memory: result URLs, or the
    body itself. ``kept``: what it has fetched so far; each further ``collect`` of the job gets it,
    so that only the rest is fetched."""

    context: Mapping[str, Any] = field(default_factory=dict)
    kept: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class JobFailed:
    """It ended without a result; ``failure`` is the job's own verdict (refused, invalid,
    transient, unknown ...), never that of the poll."""

    failure: Failure


@dataclass(frozen=True, slots=True)
class JobCancelled:
    """It was cancelled at the provider. ``billed`` None: nobody said whether it was charged."""

    billed: bool | None = None


@dataclass(frozen=True, slots=True)
class JobLost:
    """The provider says that it knows no such job: not yet, or no more. It is believed once that
    was said for ``Capabilities.lost_after_s``, and is then what the adapter says it ``means``, or
    an unknown outcome. What can't be asked, breaks down (5xx), or is not the provider's own word
    (the page of a gateway that does not find it), says no such thing: raise it as a failed poll.
    ``hint_s``: when to ask again."""

    means: JobCancelled | None = None
    hint_s: float | None = None


JobState = JobRunning | JobDone | JobFailed | JobCancelled | JobLost

RESULT_EXPIRED = "expired"
"""``Failure.code`` of a ``collect`` whose URL has run out: the job is polled for a fresh one."""


class Arrival(StrEnum):
    """What the provider says of a request whose answer was lost."""

    ARRIVED = "arrived"
    NOT_ARRIVED = "not_arrived"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Asked:
    """The answer to "did my id arrive?". ``job`` goes with ARRIVED, where there is one to poll.

    NOT_ARRIVED only where the provider could not take the request any more either: the row is
    sent again without a second thought.
    """

    arrival: Arrival
    job: Job | None = None
