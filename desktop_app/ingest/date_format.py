"""Dates and times as a workbook shows them."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from functools import lru_cache, partial

from desktop_app.ingest.number_format import sections_of

Moment = dt.datetime | dt.date | dt.time | dt.timedelta

BUILT_IN = {
    15: "d-mmm-yy",
    16: "d-mmm",
    17: "mmm-yy",
    18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM",
    20: "h:mm",
    21: "h:mm:ss",
    45: "mm:ss",
    46: "[h]:mm:ss",
}
"""By number. The others are shown by the settings of the country, which the file doesn't tell."""

_PIECE = re.compile(
    r"""(?P<quoted>"[^"]*")|\\(?P<escaped>.)|[_*].|\[\$[^\]-]*(?:-(?P<place>[^\]]*))?\]"""
    r"""|\[(?P<elapsed>h+|m+|s+)\]|(?P<half>am/pm|a/p|上午/下午)|(?P<fraction>\.0+)"""
    r"""|(?P<field>y+|m+|d+|h+|s+|a{3,4})|(?P<unknown>[\[a-z0#?@%])|(?P<plain>.)""",
    re.DOTALL | re.IGNORECASE,
)
_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_WEEK = "一二三四五六日"
_ENGLISH = frozenset({"", "409", "809", "F400", "F800"})

Piece = tuple[str, str]
"""(kind, text): ``lit``, ``half``, ``fraction``, ``elapsed``, or a field's letter, a minute's being
``n``."""


@lru_cache(maxsize=512)
def date_format(code: str) -> Callable[[Moment], str | None] | None:
    """What shows a moment under a format code, None for one that it can't show; None where the
    plain form does: other calendars, names in another language, formats of the country."""
    pieces: list[Piece] = []
    english = True
    for found in _PIECE.finditer(sections_of(code)[0]):
        kind = found.lastgroup
        if kind == "unknown":
            return None
        if kind == "place":
            place = found.group("place").upper()
            english = english and (place.lstrip("0") in _ENGLISH or place.startswith("EN"))
            if place.startswith(("F4", "F8")):
                return None
        elif kind == "quoted":
            pieces.append(("lit", found.group()[1:-1]))
        elif kind in {"escaped", "plain"}:
            pieces.append(("lit", found.group(kind)))
        elif kind == "field":
            text = found.group().lower()
            pieces.append((text[0], text))
        elif kind is not None:
            pieces.append((kind, found.group(kind).lower()))
    pieces = _with_minutes(pieces)
    if not any(kind not in {"lit", "half"} for kind, _ in pieces):
        return None
    if not english and any(kind in "md" and len(text) > 2 for kind, text in pieces):
        return None
    return partial(_shown, tuple(pieces))


def _with_minutes(pieces: list[Piece]) -> list[Piece]:
    """An ``m`` after an hour or before a second is a minute."""
    fields = [at for at, (kind, _) in enumerate(pieces) if kind in {*"ymdhsa", "elapsed"}]
    out = list(pieces)
    for place, at in enumerate(fields):
        kind, text = pieces[at]
        if kind != "m" or len(text) > 2:
            continue
        before = pieces[fields[place - 1]] if place else ("", "")
        after = pieces[fields[place + 1]] if place + 1 < len(fields) else ("", "")
        hour = before[0] == "h" or (before[0] == "elapsed" and before[1][0] == "h")
        if hour or after[0] == "s":
            out[at] = ("n", text)
    return out


def _shown(pieces: tuple[Piece, ...], value: Moment) -> str | None:
    kinds = {kind for kind, _ in pieces}
    fraction = next((len(text) - 1 for kind, text in pieces if kind == "fraction"), 0)
    span: dt.timedelta | None = None
    if isinstance(value, dt.timedelta):
        span = value
    elif isinstance(value, dt.time):
        span = dt.timedelta(
            hours=value.hour,
            minutes=value.minute,
            seconds=value.second,
            microseconds=value.microsecond,
        )
    elif not isinstance(value, dt.datetime):
        value = dt.datetime(value.year, value.month, value.day)  # noqa: DTZ001 - a sheet's has none
    if span is not None:
        if kinds & {*"ymda"} or span < dt.timedelta(0):
            return None
        moment = dt.datetime(1900, 1, 1) + span  # noqa: DTZ001
    elif "elapsed" in kinds or not isinstance(value, dt.datetime):
        return None
    else:
        moment = value
    if "s" in kinds or "elapsed" in kinds:
        half = dt.timedelta(microseconds=500_000 // 10**fraction)
        moment += half
        span = None if span is None else span + half
    halved = "half" in kinds
    return "".join(_field(kind, text, moment, span, halved=halved) for kind, text in pieces)


def _field(
    kind: str, text: str, at: dt.datetime, span: dt.timedelta | None, *, halved: bool
) -> str:
    width = min(len(text), 2)
    match kind:
        case "y":
            return f"{at.year:04d}" if len(text) > 2 else f"{at.year % 100:02d}"
        case "m" | "d" if len(text) > 2:
            name = _MONTHS[at.month - 1] if kind == "m" else _DAYS[at.weekday()]
            return name[:3] if len(text) == 3 else name[:1] if len(text) == 5 else name
        case "m":
            return f"{at.month:0{width}d}"
        case "d":
            return f"{at.day:0{width}d}"
        case "h":
            hour = at.hour % 12 or 12 if halved else at.hour
            return f"{hour:0{width}d}"
        case "n":
            return f"{at.minute:0{width}d}"
        case "s":
            return f"{at.second:0{width}d}"
        case "a":
            return ("星期" if len(text) == 4 else "") + _WEEK[at.weekday()]
        case "half":
            first, _, second = text.partition("/")
            chosen = first if at.hour < 12 else second
            return chosen.upper()
        case "fraction":
            return "." + f"{at.microsecond:06d}"[: len(text) - 1]
        case "elapsed":
            unit = {"h": 3600, "m": 60, "s": 1}[text[0]]
            seconds = int((span or dt.timedelta(0)).total_seconds())
            return f"{seconds // unit:0{len(text)}d}"
        case _:
            return text
