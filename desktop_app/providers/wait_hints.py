"""How long to wait, in the order in which vendors' own clients believe it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from desktop_app.domain.errors import WaitHint
from desktop_app.domain.ports import RateNews
from desktop_app.domain.ports.answers import NO_NEWS
from desktop_app.providers.error_body import ErrorBody

_UNITS = {
    "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 0.001,
    "s": 1.0, "sec": 1.0, "secs": 1.0, "second": 1.0, "seconds": 1.0,
    "m": 60.0, "min": 60.0, "mins": 60.0, "minute": 60.0, "minutes": 60.0,
    "h": 3600.0, "hr": 3600.0, "hrs": 3600.0, "hour": 3600.0, "hours": 3600.0,
    "d": 86400.0, "day": 86400.0, "days": 86400.0,
}  # fmt: skip
_PART = r"\d+(?:\.\d+)?\s*(?:ms|s|m|h|d|secs?|seconds?|mins?|minutes?|hrs?|hours?|days?)\b"
_DURATION = rf"((?:{_PART}[\s,]*)+|\d+(?:\.\d+)?(?:h|m|s|ms)[\dhms.]*)"
_SPOKEN = re.compile(
    rf"(?:try again|retry|resets?|wait|available)[^.\d]{{0,40}}?~?\s*{_DURATION}", re.IGNORECASE
)
_STEP = re.compile(r"(\d+(?:\.\d+)?)\s*([a-zµμ]+)", re.IGNORECASE)
_IN_FLIGHT = re.compile(
    r"concurren|in[- _]?flight|parallel|pending requests|同时|并发", re.IGNORECASE
)
_PER_TIME = re.compile(r"per (?:second|minute|hour|day)|\b[RTI]P[MSD]\b|\bQPS\b")
_BACK_ON = re.compile(r"regain access on (\d{4}-\d\d-\d\d)(?: at (\d\d:\d\d))? UTC", re.IGNORECASE)
_TOKENS = ("tokens", "input-tokens", "output-tokens")
_BUCKETS = ("requests", *_TOKENS, "")
_LEFT = re.compile(r"x-ratelimit-remaining-(.+)|anthropic-ratelimit-(.+)-remaining")
_EPOCH = 1e9  # a larger number is a time, not a duration

MOST_S = 32 * 86_400.0
"""The longest window that anybody counts in is a month: what is longer was meant otherwise, and a
time beyond all calendars can be neither shown nor waited for."""


def wait_hint(headers: Mapping[str, str], body: ErrorBody, now: float) -> WaitHint:
    """The provider's hint. ``now`` is epoch seconds. Header names are lower case."""
    seconds = _from_headers(headers, now)
    if seconds is None:
        seconds = _from_body(body, now)
    if seconds is None:
        seconds = _from_buckets(headers, now)
    seconds = None if seconds is None else min(seconds, MOST_S)
    words = " ".join((*body.codes, body.message))
    concurrency = bool(_IN_FLIGHT.search(words)) and not _PER_TIME.search(words)
    return WaitHint(seconds, concurrency, spare=seconds is None and _has_spare(headers))


def retry_wish(headers: Mapping[str, str]) -> bool | None:
    """Whether the vendor says that another try may help, None where it says nothing."""
    for name in ("x-should-retry", "x-fal-retryable", "x-fal-needs-retry"):
        said = headers.get(name, "").strip().lower()
        if said in ("true", "1"):
            return True
        # Not to need another try is not to forbid it.
        if said in ("false", "0") and name != "x-fal-needs-retry":
            return False
    return None


def rate_news(headers: Mapping[str, str], now: float) -> RateNews:
    """What an answer's headers say about the request bucket, and of tokens that are used up."""
    if not any("ratelimit" in name for name in headers):
        return NO_NEWS
    limit = remaining = reset = None
    for bucket in ("requests", ""):
        limit = _first(limit, number(_of_bucket(headers, "limit", bucket)))
        remaining = _first(remaining, number(_of_bucket(headers, "remaining", bucket)))
        reset = _first(reset, reset_seconds(_of_bucket(headers, "reset", bucket), now))
        if limit is not None and remaining is not None and reset is not None:
            break
    if not any("token" in name for name in headers):
        return RateNews(limit, remaining, reset)
    tokens = [*_TOKENS, *(bucket for bucket in _more_buckets(headers) if "token" in bucket)]
    return RateNews(limit, remaining, reset, no_tokens_s=_longest_reset(headers, tokens, now))


def _more_buckets(headers: Mapping[str, str]) -> list[str]:
    """Of what else a vendor counts (images, what is billed by use), where it tells how much is
    left: ``input-images``, ``tokens_usage_based``."""
    found = (_LEFT.fullmatch(name) for name in headers if "-remaining" in name)
    named = (one[1] or one[2] for one in found if one is not None)
    return [bucket for bucket in named if bucket not in _BUCKETS]


def _of_bucket(headers: Mapping[str, str], what: str, bucket: str) -> str | None:
    """As OpenAI and its kin name a bucket's header, else as Anthropic does."""
    common = headers.get(f"x-ratelimit-{what}-{bucket}" if bucket else f"x-ratelimit-{what}")
    return headers.get(f"anthropic-ratelimit-{bucket}-{what}") if common is None else common


def reset_seconds(value: str | None, now: float) -> float | None:
    """Seconds until a reset given as a Go duration (``6m0s``), a number of seconds, an epoch
    time in s or ms, or an RFC 3339 time. None for anything else, and for nothing to wait."""
    if not value:
        return None
    plain = number(value)
    if plain is not None:
        if plain > _EPOCH * 1000:
            plain /= 1000
        left = plain - now if plain > _EPOCH else plain
    else:
        spelled = duration(value)
        left = spelled if spelled is not None else _timestamp(value, now)
    return left if left > 0 else None


def duration(text: str) -> float | None:
    """Seconds of ``1m12.5s``, ``345ms``, ``6 hours``; None when it is no duration."""
    compact = text.strip().rstrip(",. ")
    steps = _STEP.findall(compact)
    if not steps or _STEP.sub("", compact).strip(" ,"):
        return None
    total = 0.0
    for figure, unit in steps:
        if unit.lower() not in _UNITS:
            return None
        total += float(figure) * _UNITS[unit.lower()]
    return total


def number(value: str | None) -> float | None:
    """A finite number, or None."""
    try:
        found = float(value) if value is not None else math.nan
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def _from_headers(headers: Mapping[str, str], now: float) -> float | None:
    milliseconds = number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return max(0.0, milliseconds / 1000)
    value = headers.get("retry-after")
    if value is None:
        return None
    # A gateway's own word stands beside that of the provider behind it, joined by a comma.
    plain = [found for part in value.split(",") if (found := number(part)) is not None]
    if plain and len(plain) == value.count(",") + 1:
        return max(reset_seconds(str(found), now) or 0.0 for found in plain)
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        spelled = duration(value)
        return reset_seconds(value, now) if spelled is None else spelled
    # A zone of -0000 is no zone to Python, and then this computer's would be taken.
    return max(0.0, _since(date, now))


def _from_body(body: ErrorBody, now: float) -> float | None:
    fields = body.fields
    metadata = fields.get("metadata")
    nested = metadata if isinstance(metadata, Mapping) else {}
    for key in ("resets_at", "reset_at", "retry_after", "retry_after_seconds"):
        value = fields.get(key, nested.get(key))
        if value is not None:
            left = reset_seconds(str(value), now)
            if left is not None:
                return left
    details = fields.get("details")
    for detail in details if isinstance(details, list) else ():
        if isinstance(detail, Mapping) and "retryDelay" in detail:
            return duration(str(detail["retryDelay"]))
    back = _BACK_ON.search(body.message)
    if back is not None:
        left_s = _timestamp(f"{back[1]}T{back[2] or '00:00'}+00:00", now)
        return max(0.0, left_s)
    spoken = _SPOKEN.search(body.message)
    return duration(spoken[1]) if spoken else None


def _from_buckets(headers: Mapping[str, str], now: float) -> float | None:
    """The longest reset among the buckets that are used up (or do not tell)."""
    waits = (
        _longest_reset(headers, _BUCKETS, now, untold=0.0),
        _longest_reset(headers, _more_buckets(headers), now),
    )
    return max((wait for wait in waits if wait is not None), default=None)


def _longest_reset(
    headers: Mapping[str, str], buckets: Sequence[str], now: float, untold: float = 1.0
) -> float | None:
    """Among those that are used up; ``untold`` is taken to be left where none is told."""
    waits: list[float] = []
    for bucket in buckets:
        left = _first(number(_of_bucket(headers, "remaining", bucket)), untold)
        if left is None or left > 0:
            continue
        reset = reset_seconds(_of_bucket(headers, "reset", bucket), now)
        if reset is not None:
            waits.append(reset)
    return max(waits, default=None)


def _has_spare(headers: Mapping[str, str]) -> bool:
    """Whether some bucket tells what is left, and none that tells is used up."""
    buckets = (*_BUCKETS, *_more_buckets(headers))
    told = [number(_of_bucket(headers, "remaining", bucket)) for bucket in buckets]
    left = [figure for figure in told if figure is not None]
    return bool(left) and min(left) >= 1


def _timestamp(value: str, now: float) -> float:
    try:
        return _since(datetime.fromisoformat(value.strip().upper()), now)
    except ValueError:
        return 0.0


def _since(date: datetime, now: float) -> float:
    """Seconds from ``now``; a date without a zone is in UTC."""
    return (date if date.tzinfo is not None else date.replace(tzinfo=UTC)).timestamp() - now


def _first(found: float | None, other: float | None) -> float | None:
    return other if found is None else found
