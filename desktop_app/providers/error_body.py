"""Vendors put their errors into many shapes; here they become one, before anybody judges them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from desktop_app.providers.json_work import parsed

_TAGS = re.compile(r"<(script|style)\b.*?</\1>|<[^>]+>", re.IGNORECASE | re.DOTALL)
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_NO_TYPE = "about:blank"  # RFC 9457: the status says it all
_LITELLM = re.compile(r"^(?:Error code: \d+ - )?(litellm\.\w+)")


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """``codes`` are the vendor's structured words, the most telling first; ``message`` its
    sentence; ``status`` a status given as a number in the body; ``fields`` the error object."""

    codes: tuple[str, ...] = ()
    message: str = ""
    status: int | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""

    @property
    def code(self) -> str | None:
        """The vendor's own word, to group by."""
        return self.codes[0] if self.codes else None


Reading = Callable[[Any, str], ErrorBody]
"""Finds the error inside parsed JSON; the text is the raw one. Never fails."""


def parse_error(raw: bytes, read: Reading | None = None) -> ErrorBody:
    """Read an error body of any shape; never fails. ``read`` None: as most vendors write it."""
    text = raw[:65536].decode("utf-8", errors="replace")
    try:
        found = parsed(raw)
    except ValueError:
        return ErrorBody(message=_plain(text), text=text)
    return (read or error_of)(found, text)


def error_of(found: Any, text: str = "") -> ErrorBody:
    """The error inside parsed JSON."""
    if isinstance(found, list):  # Google wraps its errors into a list of one
        found = found[0] if found else {}
    if not isinstance(found, Mapping):
        return ErrorBody(message="" if found is None else str(found), text=text)
    inner = found.get("error")
    if isinstance(inner, Mapping):
        return _read(inner, text)
    if isinstance(inner, str):
        return _read({**found, "message": found.get("message") or inner}, text)
    return _read(found, text)


def has_error(found: Mapping[str, Any]) -> bool:
    """Whether a 200 body is an error all the same. Results that came along are not thrown away."""
    if found.get("error"):
        return not found.get("data")
    bare = "code" in found and "message" in found
    return bare and not any(key in found for key in ("choices", "data", "output"))


def _read(fields: Mapping[str, Any], text: str) -> ErrorBody:
    said = _message(fields)
    codes: list[str] = []
    status: int | None = None
    wrapped = _LITELLM.match(said)
    if wrapped:  # the proxy's own status says less than the exception it names
        codes.append(wrapped[1])
    for value in _words(fields):
        number = _number(value)
        if number is None:
            if isinstance(value, str) and value not in ("", _NO_TYPE, *codes):
                codes.append(value)
        elif status is None and 400 <= number <= 599:
            status = number
    return ErrorBody(tuple(codes), said, status, fields, text)


def _words(fields: Mapping[str, Any]) -> list[Any]:
    words = [fields.get("code")]
    for key in ("metadata", "innererror"):
        nested = fields.get(key)
        if isinstance(nested, Mapping):
            words += [nested.get(k) for k in ("limit_source", "error_type", "code")]
    return [*words, *(fields.get(key) for key in ("reason", "type", "status", "name"))]


def _number(value: Any) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 6:
        return int(value)
    return None


def _message(fields: Mapping[str, Any]) -> str:
    for key in ("message", "detail", "error_description", "msg", "errors"):
        value = fields.get(key)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, list) and value:
            first = value[0]
            if isinstance(first, Mapping):
                place = first.get("loc")
                where = ".".join(map(str, place)) if isinstance(place, list) else ""
                said = str(first.get("msg") or first.get("message") or "")
                return f"{where}: {said}" if where else said
            return str(first)
    return ""


def _plain(text: str) -> str:
    """The words of an HTML page or a bare text."""
    if "<" not in text:
        return text.strip()
    title = _TITLE.search(text)
    return " ".join((title[1] if title else _TAGS.sub(" ", text)).split())
