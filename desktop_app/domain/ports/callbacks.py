"""What is asked of a provider that calls when a job has ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class CallbackRule:
    """How a provider's calls are known to be its own. ``signature``: ``none``, ``svix`` (Standard
    Webhooks) or ``hmac-sha256`` of the raw body, in ``header`` behind ``prefix``, in ``encoding``
    (``hex`` or ``base64``); ``tolerance_s``: how old a signed time may be."""

    signature: str
    header: str = ""
    prefix: str = ""
    encoding: str = "hex"
    tolerance_s: float = 300.0


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
        """With what the provider signs all its calls; None where it does not sign, or signs with
        what each ``Call`` brought. Buys nothing. Raises ProviderFailure."""
        ...
