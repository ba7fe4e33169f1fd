"""How lines are opened, in one place: trust, time-outs, and no state kept between calls."""

from __future__ import annotations

import socket
import ssl
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass

import httpx
import truststore

from desktop_app import __version__
from desktop_app.providers.http.direct import DirectLines
from desktop_app.providers.http.small_pools import IDLE_S, SmallPools
from desktop_app.providers.http.tap import TappedLines, lay_taps


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """Bounds of a call. Seconds and bytes.

    ``connect_s`` bounds DNS with TCP, and then TLS; ``download_s`` covers all tries of one result's
    download, ``download_stall_s`` a silence within one; ``answer_bytes`` and ``picture_bytes`` are
    the largest bodies accepted, of an error only ``error_bytes`` are read.
    """

    connect_s: float = 10.0
    answer_bytes: int = 96 * 1024 * 1024
    error_bytes: int = 256 * 1024
    picture_bytes: int = 64 * 1024 * 1024
    download_tries: int = 4
    download_s: float = 60.0
    download_stall_s: float = 15.0

    @property
    def begin_s(self) -> float:
        """By when a request must have begun, whatever a proxy does. Longer than both steps of
        connecting: the library closes its socket at its own time-out, but not when cancelled."""
        return 2.5 * self.connect_s

    def most_bytes(self, status: int) -> int:
        """What is read of the body of an answer with this status."""
        return self.answer_bytes if status < 400 else self.error_bytes


def tls_context() -> ssl.SSLContext:
    """What the operating system trusts, company certificates included. Reads files: may block."""
    return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


HEADERS = {"Accept": "*/*", "Connection": "keep-alive", "User-Agent": f"Batchwright/{__version__}"}


def open_lines(proxy: str | None, tls: ssl.SSLContext) -> httpx.AsyncBaseTransport:
    """Lines without trust in the environment; nothing is connected yet. Idle ones are dropped
    after 1 s, so that a stale socket can't look like a lost answer. Raises ValueError or
    ImportError for a proxy of an unknown kind.
    """
    options = _keep_alive()
    if proxy is None:
        taps = TappedLines()
        return SmallPools(lambda: DirectLines(taps, tls, idle_s=IDLE_S, socket_options=options))
    proxied = httpx.Proxy(proxy, ssl_context=_proxy_tls(proxy, tls))

    def transport() -> httpx.AsyncHTTPTransport:
        made = httpx.AsyncHTTPTransport(
            verify=tls,
            proxy=proxied,
            trust_env=False,
            # The account bounds them, and each call has a transport for itself.
            limits=httpx.Limits(
                max_connections=None, max_keepalive_connections=None, keepalive_expiry=IDLE_S
            ),
            socket_options=options,
        )
        lay_taps(made)
        return made

    return SmallPools(transport)


def request_of(
    method: str,
    url: httpx.URL,
    headers: Mapping[str, str],
    content: bytes | AsyncGenerator[bytes, None] | None,
    limits: HttpLimits,
) -> httpx.Request:
    """What goes over a line of ``open_lines`` as it is: no cookie of an earlier answer, no
    redirect, no user name of the address. Only the connect phase is timed; callers set the
    deadline of the whole."""
    said = {**HEADERS, **headers}
    timed = {"timeout": {"connect": limits.connect_s}}
    if not content or not isinstance(content, bytes):
        return httpx.Request(method, url, headers=said, content=content, extensions=timed)
    # Of a body at hand all is known that the library would find out at three times the cost.
    said = {"Host": url.netloc.decode("ascii"), **said, "Content-Length": str(len(content))}
    stream = httpx.ByteStream(content)
    return httpx.Request(method, url, headers=said, stream=stream, extensions=timed)


def open_client(proxy: str | None, tls: ssl.SSLContext, limits: HttpLimits) -> httpx.AsyncClient:
    """A client without a key or redirects over ``open_lines``, for downloads. Only the connect
    phase is timed."""
    return httpx.AsyncClient(
        transport=open_lines(proxy, tls),
        trust_env=False,
        follow_redirects=False,
        timeout=httpx.Timeout(None, connect=limits.connect_s),
        headers=HEADERS,
    )


def _proxy_tls(proxy: str, tls: ssl.SSLContext) -> ssl.SSLContext | None:
    return tls if proxy.startswith("https:") else None


def _keep_alive() -> list[tuple[int, int, int]]:
    """A picture can take minutes without a byte: probes keep routers from forgetting the line,
    and tell of one that is dead long before the deadline."""
    options = [(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)]
    for names, value in (
        (("TCP_KEEPIDLE", "TCP_KEEPALIVE"), 30),
        (("TCP_KEEPINTVL",), 15),
        (("TCP_KEEPCNT",), 8),
    ):
        known = next((getattr(socket, name) for name in names if hasattr(socket, name)), None)
        if known is not None:
            options.append((socket.IPPROTO_TCP, known, value))
    return options
