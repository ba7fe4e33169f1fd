"""A line that fails before the request leaves costs nothing; after that, nobody can say."""

from __future__ import annotations

import socket
import ssl
from dataclasses import dataclass, replace

import httpx

from desktop_app.domain.errors import Failure, FailureClass
from desktop_app.domain.text import Message, message
from desktop_app.providers.redact import Scrubber

_UNKNOWN, _OTHER_NAME = "tls_unknown", "tls_other_name"
_EXPIRED, _NOT_YET = "tls_expired", "tls_not_yet"
# What verifiers call it: OpenSSL, the Security framework of macOS, Windows.
_DISTRUST = {
    **dict.fromkeys((18, 19, 20, 21, -67843, 0x800B0109, 0x800B010A), _UNKNOWN),
    **dict.fromkeys((62, 64, -67602, 0x800B010F), _OTHER_NAME),
    **dict.fromkeys((10, -67818, 0x800B0101), _EXPIRED),
    **dict.fromkeys((9, -67819), _NOT_YET),
}


@dataclass(frozen=True, slots=True)
class Line:
    """The line that failed. ``proxy`` is the label without its password, None for direct."""

    host: str
    proxy: str | None
    connect_s: float
    timeout_s: float


def transport_failure(
    trouble: BaseException, line: Line, scrub: Scrubber, *, begun: bool
) -> Failure:
    """Classify an exception of the HTTP library, or a TimeoutError of the deadline."""
    detail = scrub(f"{type(trouble).__name__}: {trouble}", 2000)
    if begun:
        return _after_sending(trouble, line, detail)
    code, said = _before_sending(trouble, line, scrub)
    return Failure(FailureClass.OFFLINE, code, said, body=detail, sent=False, billed=False)


def upload_cut(failure: Failure, line: Line) -> Failure:
    """What a failure after sending is where the request had not left whole: no server works on
    half of one. It may have been an answer that nobody could read any more."""
    said = message("providers.upload_cut", host=line.host)
    return replace(failure, kind=FailureClass.TRANSIENT, code="upload_cut", said=said, billed=False)


def fell_silent(failure: Failure, line: Line, idle_s: float | None) -> Failure:
    """What a failure after sending is where an answer had begun to come, and then nothing did."""
    said = message("providers.fell_silent", host=line.host, seconds=f"{idle_s or 0:g}")
    return replace(failure, code="fell_silent", said=said, timeout=True)


def too_large(status: int, bound: int) -> Failure:
    """What a good answer of more than ``bound`` bytes is: it was billed."""
    said = message("providers.too_large", megabytes=bound // (1024 * 1024))
    return Failure(FailureClass.UNKNOWN, "too_large", said, http_status=status, billed=True)


def setup_failure(code: str, said: Message) -> Failure:
    """The connection's own settings are wrong: the account waits for a person, no row is lost."""
    return Failure(FailureClass.ACCOUNT, code, said, sent=False, billed=False)


def _after_sending(trouble: BaseException, line: Line, detail: str) -> Failure:
    timed_out = isinstance(trouble, TimeoutError | httpx.TimeoutException)
    if timed_out:
        code, said = (
            "read_timeout",
            message("providers.read_timeout", seconds=f"{line.timeout_s:g}"),
        )
    else:
        code, said = "dropped", message("providers.dropped", host=line.host)
    return Failure(FailureClass.UNKNOWN, code, said, body=detail, timeout=timed_out)


def _before_sending(trouble: BaseException, line: Line, scrub: Scrubber) -> tuple[str, Message]:
    causes = causes_of(trouble)
    timed_out = isinstance(trouble, TimeoutError | httpx.TimeoutException)
    certificate = next((c for c in causes if isinstance(c, ssl.SSLError)), None)
    if not timed_out and certificate is not None:
        return _no_trust(certificate, line, scrub)
    if line.proxy is not None:
        return "proxy", message("providers.proxy", host=line.host, proxy=line.proxy)
    if any(isinstance(c, socket.gaierror) for c in causes):
        return "dns", message("providers.dns", host=line.host)
    if timed_out:
        return "connect_timeout", message(
            "providers.connect_timeout", host=line.host, seconds=f"{line.connect_s:g}"
        )
    return "connect_refused", message("providers.connect_refused", host=line.host)


def _no_trust(trouble: ssl.SSLError, line: Line, scrub: Scrubber) -> tuple[str, Message]:
    """Each has its own way out: the IT department, the address, or the clock."""
    known = _DISTRUST.get(getattr(trouble, "verify_code", 0))
    if known is not None:
        return known, message(f"providers.{known}", host=line.host)
    reason = getattr(trouble, "verify_message", "") or trouble.reason or ""
    return "tls", message("providers.tls", host=line.host, text=scrub.line(str(reason)))


def causes_of(trouble: BaseException) -> list[BaseException]:
    """An exception and all that led to it."""
    seen: list[BaseException] = []
    queue: list[BaseException | None] = [trouble]
    while queue:
        one = queue.pop()
        if one is not None and one not in seen:
            seen.append(one)
            queue += [one.__cause__, one.__context__]
            queue += getattr(one, "exceptions", ())
    return seen
