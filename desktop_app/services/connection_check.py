"""What a connection must be before it is stored: whatever is wrong is said at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from desktop_app.domain.connection import Connection, OnUnknown
from desktop_app.domain.money import PriceUnit
from desktop_app.domain.text import OperatorError, message
from desktop_app.services.budgets import check_budgets

if TYPE_CHECKING:
    from desktop_app.domain.ports import Capabilities

_UNITS = {
    PriceUnit.CALL: "services.unit_call",
    PriceUnit.IMAGE: "services.unit_image",
    PriceUnit.KTOKENS: "services.unit_tokens",
    PriceUnit.MTOKENS: "services.unit_million_tokens",
}
PROXY_SCHEMES = frozenset({"http", "https", "socks", "socks5", "socks5h"})


def check(connection: Connection, adapters: Sequence[str]) -> None:
    """Raise OperatorError unless it can work; ``adapters`` are the known ones."""
    if not connection.name.strip():
        raise OperatorError(message("services.empty_name"))
    if connection.adapter not in adapters:
        known = list(adapters)
        raise OperatorError(
            message("services.unknown_adapter", adapter=connection.adapter, known=known)
        )
    _check_url(connection.base_url)
    if not connection.model.strip():
        raise OperatorError(message("services.empty_model"))
    if connection.on_unknown is OnUnknown.RESEND_BELOW and connection.resend_below is None:
        raise OperatorError(message("services.no_resend_price"))
    check_budgets(connection, None, None)
    if not _is_proxy(connection.proxy):
        raise OperatorError(message("services.bad_proxy"))
    limits = connection.limits
    by_the_minute = (limits.tokens_per_minute, limits.images_per_minute)
    for figure in (limits.concurrency, limits.rate, limits.burst, *by_the_minute):
        if figure is not None and figure <= 0:
            raise OperatorError(message("services.bad_limit", figure=figure))
    if not 0 < limits.headroom <= 1:
        raise OperatorError(message("services.bad_headroom", figure=limits.headroom))


def check_price(connection: Connection, can: Capabilities) -> None:
    """Raise OperatorError for a price by what the provider's answers do not tell: no run could
    say what it cost, and no cap could be kept."""
    price = connection.price
    if price is not None and price.unit not in can.price_units:
        told = "tokens" if price.unit.tokens else "images"
        known = [message(_UNITS[unit]) for unit in can.price_units]
        raise OperatorError(message(f"services.no_{told}_told", known=known))


def _check_url(url: str) -> None:
    bad = OperatorError(message("services.bad_url", url=url))
    try:
        parts = urlsplit(url)
        usable = parts.port != 0 and parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError as error:
        raise bad from error
    if parts.username or parts.password:
        raise OperatorError(message("services.key_in_url"))
    if not usable or set(url) & set(" \t"):
        raise bad


def _is_proxy(setting: str) -> bool:
    """``system``, ``none``, or an address with or without its scheme."""
    if setting in {"system", "none"}:
        return True
    try:
        parts = urlsplit(setting if "://" in setting else f"http://{setting}")
        usable = parts.port is None or parts.port > 0
    except ValueError:
        return False
    host = parts.hostname or ""
    return usable and parts.scheme in PROXY_SCHEMES and bool(host) and not set(host) & set(" \t")
