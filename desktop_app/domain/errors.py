"""The failure taxonomy: what went wrong decides what happens next, so it has exactly one list."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from desktop_app.domain.text import Message, message

_NO_ROOM = frozenset({errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)})


class FailureClass(StrEnum):
    """The classes of the design's table; the engine acts on these and on nothing finer."""

    THROTTLED = "throttled"
    TRANSIENT = "transient"
    OFFLINE = "offline"
    UNKNOWN = "unknown"
    REFUSED = "refused"
    INVALID = "invalid"
    ACCOUNT = "account"
    LOCAL = "local"


@dataclass(frozen=True, slots=True)
class WaitHint:
    """How long the provider asks to wait.

    ``seconds`` is None when it gave no figure. ``concurrency`` is True for a refusal of the
    number in flight rather than of the rate. ``until`` is a wall-clock time (epoch seconds) for
    quota windows. ``spare``: it named no wait, and by its own figures calls were left.
    """

    seconds: float | None = None
    concurrency: bool = False
    until: float | None = None
    spare: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """One try's failure, as the adapter classified it.

    ``code`` is the vendor's own word (``content_policy_violation``, ``http_500`` ...), used to
    group; ``said`` is the sentence for the operator; ``body`` is the beginning of the raw answer,
    or what had come of one that broke off, already free of secrets. ``sent`` tells whether the
    request had begun to leave.
    ``billed`` is False only when the provider is known not to charge for this outcome.
    ``limit_by_itself`` marks "this request exceeds the limit by itself". ``lost`` is the folder
    (or drive) that is gone where a file of the row is missing for that alone.
    """

    kind: FailureClass
    code: str
    said: Message
    http_status: int | None = None
    request_id: str | None = None
    body: str = ""
    wait: WaitHint = field(default_factory=WaitHint)
    sent: bool = True
    billed: bool | None = None
    limit_by_itself: bool = False
    timeout: bool = False
    lost: str = ""


INTERNAL = "internal"
"""The code of a fault of the program itself: it says nothing of the provider's answer."""


def broken(error: Exception) -> Failure:
    """A fault of the program itself, or of an adapter, met after the call had begun."""
    said = message("engine.internal", what=type(error).__name__)
    return Failure(FailureClass.UNKNOWN, INTERNAL, said)


def wait_s(failure: Failure, now: float) -> float | None:
    """The longest wait the provider named, in seconds; None where it named none."""
    hints = []
    if failure.wait.seconds is not None:
        hints.append(failure.wait.seconds)
    if failure.wait.until is not None:
        hints.append(failure.wait.until - now)
    return max(0.0, *hints) if hints else None


class ProviderFailure(Exception):
    """Raised by adapters; carries the classified Failure."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(f"{failure.kind}: {failure.code}")
        self.failure = failure


class LocalTrouble(Exception):
    """This machine's fault (disk full, folder gone): pauses the engine, blames no row."""

    def __init__(self, said: Message) -> None:
        super().__init__(said.code)
        self.message = said


def is_disk_full(error: BaseException | None) -> bool:
    """Whether a full disk is behind this error, however far."""
    return any(isinstance(one, OSError) and one.errno in _NO_ROOM for one in behind(error))


def behind(error: BaseException | None, *, only_causes: bool = False) -> Iterator[BaseException]:
    """The error and those it came of, each once: ``raise error from error`` makes a ring.
    ``only_causes``: without those that it merely came after."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or (None if only_causes else error.__context__)


class BadResult(Exception):
    """A paid answer that is no picture or text: an unknown outcome, since it was billed."""

    def __init__(self, said: Message) -> None:
        super().__init__(said.code)
        self.message = said
