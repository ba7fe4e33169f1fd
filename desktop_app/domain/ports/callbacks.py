"""What is asked of a provider that calls when a job has ended, and of whoever hears its call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from desktop_app.domain.listening import ListeningPlace as ListeningPlace


@dataclass(frozen=True, slots=True)
class CallbackRule:
    """How a provider's calls are known to be its own. ``signature``: ``none``, ``svix`` (Standard
    Webhooks), ``hmac-sha256`` of the raw body or ``ed25519-jwks``, in ``header`` behind ``prefix``,
    in ``encoding`` (``hex`` or ``base64``); ``tolerance_s``: how old a signed time may be.
    ``time_header``: what is signed is the time in this header, a full stop and the body; for
    ``ed25519-jwks`` the values of the headers ``signs``, the time's among them, and the hex SHA-256
    of the body, each on its line."""

    signature: str
    header: str = ""
    prefix: str = ""
    encoding: str = "hex"
    tolerance_s: float = 300.0
    time_header: str = ""
    signs: tuple[str, ...] = ()

    @property
    def is_signed(self) -> bool:
        """Whether a call without a good signature is nobody's."""
        return self.signature != "none"


@runtime_checkable
class CallbackAdapter(Protocol):
    """An adapter whose ``capabilities.calls_back`` is True: its ``submit`` passes the call's
    ``callback_url`` on."""

    @property
    def callback_rule(self) -> CallbackRule: ...
    def job_called(self, body: Any) -> str | None:
        """The id of the job that a callback's parsed body is about."""
        ...

    async def callback_secret(self) -> str | None:
        """With what the provider signs all its calls, or the public keys of what it signs with,
        with blanks between; None where it does not sign, or signs with what each ``Call``
        brought. Buys nothing. Raises ProviderFailure."""
        ...


@dataclass(frozen=True, slots=True)
class Addressee:
    """The attempt that a call is about, as its address says: ``mark`` is of the attempt's
    idempotency key, so that the same number in a restored store is somebody else."""

    attempt_pk: int
    mark: str


@dataclass(frozen=True, slots=True)
class Caller:
    """How to know the provider's call about one attempt, and about which job it is. ``secret``:
    with what it is signed. ``anew`` asks the provider once more, for it may have changed that; None
    where it has not, or was asked a moment ago."""

    rule: CallbackRule
    secret: str | None = field(repr=False)
    job_called: Callable[[Any], str | None]
    anew: Callable[[], Awaitable[str | None]] | None = None


class Heard(StrEnum):
    """What became of a call."""

    POLLED = "polled"  # its job is looked at now
    KEPT = "kept"  # it came before the submit's answer, which it waits for
    ASKED = "asked"  # nobody knew what had become of the row: its job is asked now
    NOTHING = "nothing"  # no such attempt, or one that is over


class CallbackDesk(Protocol):
    """Who hears calls. A call is never believed: it says where to look, and when."""

    async def caller(self, whose: Addressee) -> Caller | None:
        """None where there is no such attempt, or none that anybody would call about."""
        ...

    async def called(self, whose: Addressee, job_id: str | None) -> Heard:
        """Its provider called, about this job where the body said so. What follows of it is
        stored when this returns."""
        ...


class CallbackAddresses(Protocol):
    """Hands out addresses that providers may call, each for one attempt."""

    def address(self, attempt_pk: int, idempotency_key: str) -> str | None:
        """None while nobody listens."""
        ...

    def addressee(self, attempt_pk: int, idempotency_key: str) -> Addressee: ...
    def secret(self, attempt_pk: int, rule: CallbackRule) -> str:
        """With what calls about this attempt alone are to be signed."""
        ...


class CallbackListener(CallbackAddresses, Protocol):
    """Listens for calls while it is open."""

    async def open(self, place: ListeningPlace) -> None:
        """Raises OperatorError where the address can't be had."""
        ...

    async def close(self) -> None: ...
