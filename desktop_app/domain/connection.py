"""How a provider is reached, without its secret, which only the keyring holds."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from typing import Any
from urllib.parse import SplitResult, urlsplit

from desktop_app.domain.money import Price
from desktop_app.domain.text import Message

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
PRACTICE_NAME = "Practice server"
PRACTICE_JOBS_NAME = "Practice server (jobs)"
PRACTICE_TEXTS_NAME = "Practice server (texts)"
_PRACTICE = {
    PRACTICE_NAME: "practice.name",
    PRACTICE_JOBS_NAME: "practice.jobs_name",
    PRACTICE_TEXTS_NAME: "practice.texts_name",
}
PRACTICE_NAMES = frozenset(_PRACTICE)


def parts_of(address: str) -> SplitResult:
    """The parts of an address; none of them where it can't be one, as while it is being typed."""
    try:
        return urlsplit(address.strip())
    except ValueError:
        return urlsplit("")


def spoken_name(name: str) -> str | Message:
    """A connection's name as a sentence takes it: only the practice server's are translated."""
    return Message(_PRACTICE[name]) if name in _PRACTICE else name


class OnUnknown(StrEnum):
    """What to do when nobody can say whether a sent call was billed."""

    HOLD = "hold"
    RESEND = "resend"
    RESEND_BELOW = "resend-below"


class RateUnit(StrEnum):
    """The unit in which the operator's console states the rate."""

    QPS = "qps"
    RPM = "rpm"
    IPM = "ipm"


@dataclass(frozen=True, slots=True)
class Limits:
    """What the operator was told by the console.

    ``concurrency`` calls in flight; ``rate`` in ``rate_unit``; ``burst`` calls at once;
    ``tokens_per_minute`` (read and written) and ``images_per_minute`` hold beside the rate;
    ``headroom`` (0..1] is applied to stated limits only, never below 1. None means: not stated.
    """

    concurrency: int | None = None
    rate: float | None = None
    rate_unit: RateUnit = RateUnit.QPS
    burst: int | None = None
    headroom: float = 0.8
    tokens_per_minute: float | None = None
    images_per_minute: float | None = None

    @property
    def per_second(self) -> float | None:
        """The stated rate in calls a second, before headroom."""
        if self.rate is None:
            return None
        return self.rate if self.rate_unit is RateUnit.QPS else self.rate / 60.0

    def or_preset(self, concurrency: int | None) -> Limits:
        """A preset's calls at once where nothing is stated; being ours and no limit of the
        console's, they need no headroom."""
        stated = (self.rate, self.burst, self.tokens_per_minute, self.images_per_minute)
        if concurrency and self.concurrency is None and all(figure is None for figure in stated):
            return replace(self, concurrency=concurrency, headroom=1.0)
        return self


@dataclass(frozen=True, slots=True)
class Connection:
    """One way to reach one model. ``id`` is 0 before it is stored.

    ``timeout_s`` None means the adapter's default (pictures 600 s, text 300 s).
    ``proxy`` is ``system``, ``none`` or a URL. ``on_unknown`` None means the default: hold where
    a call costs money or its price is unknown, resend where it is free.
    ``callbacks``: its provider may call when a job has ended, where this program listens.
    ``day_budget`` caps what all its calls of one local day may cost, in the price's currency.
    ``params`` are fixed request parameters, ``extra`` goes into the provider's JSON as it is.
    """

    name: str
    adapter: str
    base_url: str
    model: str
    id: int = 0
    preset: str | None = None
    limits: Limits = field(default_factory=Limits)
    price: Price | None = None
    retries: int = 3
    timeout_s: float | None = None
    on_unknown: OnUnknown | None = None
    resend_below: Decimal | None = None
    proxy: str = field(default="system", repr=False)  # its URL may hold a password
    params: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    day_budget: Decimal | None = None
    callbacks: bool = False

    @property
    def host(self) -> str:
        """Host and port of the base URL, lower case; the unit the key may be sent to."""
        return parts_of(self.base_url).netloc.rpartition("@")[2].lower()

    @property
    def is_loopback(self) -> bool:
        """Whether the server runs on this machine."""
        return (parts_of(self.base_url).hostname or "") in LOOPBACK

    @property
    def is_own_server(self) -> bool:
        """Whether the server is taken for the operator's own: on this machine, or spoken to in
        clear. Such a one refuses no call for being one too many, it lets it wait."""
        return self.is_loopback or parts_of(self.base_url).scheme != "https"

    @property
    def is_free(self) -> bool:
        """Known to cost nothing: price 0 whatever the model, or no price on loopback. Unknown
        counts as paid."""
        if self.price is not None:
            return not any(self.price.amounts)
        return self.is_loopback

    @property
    def unknown_policy(self) -> OnUnknown:
        """The policy in force, with the default filled in."""
        if self.on_unknown is not None:
            return self.on_unknown
        return OnUnknown.RESEND if self.is_free else OnUnknown.HOLD


def callback_entry(name: str) -> str:
    """Where the password store has with what a connection's provider signs its calls."""
    return f"callbacks: {name}"


def account_key(host: str, secret: str | None) -> str:
    """The account that limits and breaker belong to: (host, key fingerprint).

    The fingerprint is 16 hex digits of SHA-256 over host and key: it cannot be turned back.
    """
    digest = hashlib.sha256(f"{host}\0{secret or ''}".encode()).hexdigest()[:16]
    return f"{host}#{digest}"
