"""The test of a connection: asks what costs nothing, and says what it found in sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

from desktop_app.domain.errors import Failure, FailureClass, ProviderFailure
from desktop_app.domain.money import PriceUnit, figure
from desktop_app.domain.ports import TestReport
from desktop_app.domain.text import Message, message
from desktop_app.providers.http.client import Wire
from desktop_app.providers.json_work import decode_json
from desktop_app.providers.models import ANY_MODEL
from desktop_app.providers.vendor_line import VendorLine

SKEW_S = 300.0
"""A clock that is further off makes signatures and certificates fail."""

_TIMEOUT_S = 10.0
_NAMED = 3
_UNLISTED = frozenset({400, 404, 405, 410, 422, 501})
_PRICED = {
    PriceUnit.CALL: "providers.test_price_call",
    PriceUnit.IMAGE: "providers.test_price_image",
    PriceUnit.KTOKENS: "providers.test_price_tokens",
    PriceUnit.MTOKENS: "providers.test_price_million_tokens",
}
_REACHED_NOBODY = frozenset({"dns", "connect_timeout", "connect_refused", "read_timeout"})


def openai_names(found: Mapping[str, Any]) -> Iterable[str]:
    """The ids in ``data``."""
    listed = found.get("data")
    entries = listed if isinstance(listed, list) else []
    return (str(one["id"]) for one in entries if isinstance(one, Mapping) and one.get("id"))


@dataclass(frozen=True, slots=True)
class Listing:
    """An adapter's cheapest call: where its vendor lists the models, and how their names are read
    from the answer."""

    path: str = "/models"
    names: Callable[[Mapping[str, Any]], Iterable[str]] = openai_names


OPENAI_LISTING = Listing()


async def probe(line: VendorLine, probe_path: str, listing: Listing = OPENAI_LISTING) -> TestReport:
    """List the models; where that is impossible or proves no key, send an empty body, which no
    provider can turn into a result, and look whether the key or the body is refused. Never
    bills. ``probe_path`` is the endpoint that would be used for real."""
    try:
        wire = await _ask(line, "GET", listing.path, None)
        models = await _models(wire, listing)
        unproven = line.has_key and line.profile.open_models
        if (_good(wire) and (models is None or unproven)) or wire.status in _UNLISTED:
            wire = await _ask(line, "POST", probe_path, b"{}")
            if _good(wire) and models is None and await _parsed(wire) is None:
                return TestReport(False, (no_endpoint(line, wire),), wire.elapsed_s)
    except ProviderFailure as trouble:
        return TestReport(False, unreached(line, trouble.failure))
    said = [_standing(line, wire)]
    ok = said[0].code in ("providers.test_key_ok", "providers.test_answers", "providers.test_busy")
    if ok:
        said.append(_model(line, models or ()))
        said += closing(line, wire)
    return TestReport(ok, tuple(said), wire.elapsed_s, models or ())


async def _ask(line: VendorLine, method: str, path: str, body: bytes | None) -> Wire:
    headers = line.headers()
    if body is not None:
        headers["Content-Type"] = "application/json"
    return await line.http.send(
        method, line.url(path), headers=headers, body=body, timeout_s=_TIMEOUT_S
    )


def _good(wire: Wire) -> bool:
    return 200 <= wire.status < 300


async def _parsed(wire: Wire) -> Mapping[str, Any] | None:
    """The JSON object in an answer; None for a web page, such as a network's sign-in page."""
    try:
        found = await decode_json(wire.body)
    except ValueError:
        return None
    return found if isinstance(found, Mapping) else None


async def _models(wire: Wire, listing: Listing) -> tuple[str, ...] | None:
    found = await _parsed(wire) if _good(wire) else None
    return None if found is None else tuple(listing.names(found))


def no_endpoint(line: VendorLine, wire: Wire) -> Message:
    """What answers there is no such provider: often a network that wants somebody to sign in."""
    if _good(wire) and wire.body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return message("providers.test_web_page", host=line.connection.host)
    return message("providers.test_no_endpoint", host=line.connection.host, status=wire.status)


def _standing(line: VendorLine, wire: Wire) -> Message:
    host = line.connection.host
    if _good(wire) or wire.status in (400, 422):
        if wire.status >= 400:
            failure = line.questions.failure_of(wire)
            if failure.kind is FailureClass.ACCOUNT:
                return failure.said
        return works(line)
    failure = line.questions.failure_of(wire)
    if failure.kind is FailureClass.THROTTLED:
        return message("providers.test_busy", host=host)
    if failure.kind is FailureClass.INVALID:
        # Some servers call it a fault of their own that nothing was asked.
        return no_endpoint(line, wire) if wire.status in _UNLISTED else works(line)
    return failure.said


def works(line: VendorLine) -> Message:
    """That it answers, and the key with it where there is one."""
    code = "providers.test_key_ok" if line.has_key else "providers.test_answers"
    return message(code, host=line.connection.host)


def _model(line: VendorLine, models: tuple[str, ...]) -> Message:
    model = line.connection.model
    if not models:
        return message("providers.test_unlisted", model=model)
    if model.lower() == ANY_MODEL:
        some = ", ".join(models[:_NAMED]) + ("…" if len(models) > _NAMED else "")
        return message("providers.test_model_any", models=some)
    known = {name.lower() for name in models} | {n.lower().removesuffix(":latest") for n in models}
    if model.lower() in known:
        return message("providers.test_model_ok", model=model)
    return message("providers.test_model_missing", model=model, n=len(models))


def closing(line: VendorLine, wire: Wire) -> tuple[Message, ...]:
    """What every test tells in the end: limits, price, clock, time taken, and the way."""
    limits = _limits(line, wire)
    return (*(() if limits is None else (limits,)), *ending(line, wire))


def ending(line: VendorLine, wire: Wire) -> tuple[Message, ...]:
    """The same without limits: of an answer that would not tell them."""
    said = (
        _price(line),
        _skew(line, wire),
        message("providers.test_latency", ms=round(wire.elapsed_s * 1000)),
        _way(line),
    )
    return tuple(one for one in said if one is not None)


def _limits(line: VendorLine, wire: Wire) -> Message | None:
    news = line.news(wire)
    if news.limit_requests is None:
        return None if line.connection.is_free else message("providers.test_no_limit")
    limit = f"{news.limit_requests:g}"
    if news.remaining_requests is None:
        return message("providers.test_limit", limit=limit)
    return message("providers.test_limit_left", limit=limit, left=f"{news.remaining_requests:g}")


def _price(line: VendorLine) -> Message | None:
    price = line.connection.price
    if price is None:
        return None if line.connection.is_free else message("providers.test_no_price")
    return message(_PRICED[price.unit], price=f"{figure(price.amount)} {price.currency}")


def _skew(line: VendorLine, wire: Wire) -> Message | None:
    """None also where the server tells no time."""
    try:
        theirs = parsedate_to_datetime(wire.headers.get("date", "")).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None
    ahead_s = line.http.clock.now() - theirs
    if abs(ahead_s) <= SKEW_S:
        return None
    code = "providers.test_clock_ahead" if ahead_s > 0 else "providers.test_clock_behind"
    return message(code, minutes=round(abs(ahead_s) / 60))


def _way(line: VendorLine) -> Message:
    proxy = line.http.proxy
    if proxy is None:
        return message("providers.test_direct")
    return message("providers.test_proxy", proxy=proxy)


def unreached(line: VendorLine, failure: Failure) -> tuple[Message, ...]:
    """Why nobody could be asked, and what may help."""
    host = line.connection.host
    if failure.sent:
        failure = line.questions.of_a_question(failure)
    if failure.code not in _REACHED_NOBODY or line.http.proxy or line.connection.is_loopback:
        return (failure.said,)
    if failure.code in ("connect_timeout", "read_timeout"):
        limit = _TIMEOUT_S if failure.sent else line.http.limits.connect_s
        return (message("providers.test_unreachable", host=host, seconds=f"{limit:g}"),)
    return (failure.said, message("providers.test_set_proxy"))
