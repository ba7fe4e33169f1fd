"""Listens for providers' calls on the loop of whoever opens it, and lets go of it at once."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from desktop_app.domain.clock import Clock
from desktop_app.domain.ports import Secrets
from desktop_app.domain.ports.callbacks import (
    Addressee,
    CallbackDesk,
    CallbackRule,
    ListeningPlace,
)
from desktop_app.domain.text import OperatorError, message
from desktop_app.providers.callbacks.receiving import PLACE, Receiving
from desktop_app.providers.callbacks.tokens import Tokens, mark_of

_log = logging.getLogger(__name__)

ENTRY = "callback addresses"
"""What the random secret behind all addresses is called in the password store: as no connection's
``callback_entry`` is."""

HEAD_S = 10.0
"""A request whose head has not come by then never will."""

HEAD_MAX = 16 * 1024
AT_ONCE = 64
SECRET_BYTES = 32


class Listener:
    """Implements ``CallbackListener``."""

    def __init__(self, desk: CallbackDesk, store: Secrets, clock: Clock) -> None:
        self._desk = desk
        self._store = store
        self._clock = clock
        self._tokens: Tokens | None = None
        self._base: str | None = None
        self._server: _Server | None = None
        self._serving: asyncio.Future[None] | None = None

    async def open(self, place: ListeningPlace) -> None:
        """Listen; at another place if it did before. Raises OperatorError where the address or
        the port can't be had, or ``url`` is no address."""
        url = _checked(place.url)
        await self.close()
        tokens = await self._read_tokens()
        try:
            # A name may have to be looked up first, which takes its time.
            listening = await asyncio.to_thread(_listening, place)
        except (OSError, OverflowError, UnicodeError) as error:
            said = message("callbacks.port_taken", host=place.host, port=place.port)
            raise OperatorError(said) from error
        port = listening.getsockname()[1]
        started = asyncio.Event()
        receiving = Receiving(self._desk, tokens, self._clock)
        server = self._server = _Server(_config(receiving), started)
        serving = self._serving = asyncio.ensure_future(_serve(server, listening))
        waiting = asyncio.ensure_future(started.wait())
        await asyncio.wait((serving, waiting), return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if serving.done():
            said = message("callbacks.port_taken", host=place.host, port=place.port)
            raise OperatorError(said)
        host = f"[{place.host}]" if ":" in place.host else place.host
        self._base = (url or f"http://{host}:{port}") + f"/{PLACE}/"
        _log.info("listening for callbacks at %s:%d", place.host, port)

    async def close(self) -> None:
        """Listen no more; calls that are being read are cut."""
        self._base = None
        server, self._server = self._server, None
        serving, self._serving = self._serving, None
        if server is not None and serving is not None:
            server.end()
            await asyncio.wait({serving})

    def address(self, attempt_pk: int, idempotency_key: str) -> str | None:
        """See ``CallbackAddresses``."""
        if self._base is None or self._tokens is None:
            return None
        return self._base + self._tokens.of(self.addressee(attempt_pk, idempotency_key))

    def addressee(self, attempt_pk: int, idempotency_key: str) -> Addressee:
        """See ``CallbackAddresses``."""
        return Addressee(attempt_pk, mark_of(idempotency_key))

    def secret(self, attempt_pk: int, rule: CallbackRule) -> str:
        """See ``CallbackAddresses``."""
        assert self._tokens is not None
        return self._tokens.signing_secret(attempt_pk, rule)

    async def _read_tokens(self) -> Tokens:
        """The secret outlives this process, so that what an earlier one asked for still comes
        home. Where no password store keeps it, a call that comes later finds nobody, and its job
        is polled."""
        if self._tokens is not None:
            return self._tokens
        fresh = secrets.token_hex(SECRET_BYTES)
        try:
            kept = await self._store.get(ENTRY)
            if not kept or len(kept) < SECRET_BYTES:
                kept = fresh
                await self._store.set(ENTRY, fresh)
        except OperatorError:
            kept = fresh
        self._tokens = Tokens(kept.encode())
        return self._tokens


def _checked(url: str) -> str:
    """Without a slash at the end. Raises OperatorError."""
    url = url.strip()
    if not url:
        return ""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise OperatorError(message("callbacks.bad_url", url=url)) from None
    is_plain = not (parts.username or parts.query or parts.fragment)
    if parts.scheme not in ("http", "https") or not parts.hostname or not is_plain:
        raise OperatorError(message("callbacks.bad_url", url=url))
    return url.rstrip("/")


def _listening(place: ListeningPlace) -> socket.socket:
    place.host.encode("idna")  # for what can't be a name the library leaves a socket open
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    return socket.create_server((place.host, place.port), family=family, backlog=AT_ONCE)


async def _serve(server: _Server, listening: socket.socket) -> None:
    with listening:
        try:
            await server.serve(sockets=[listening])
        except Exception:
            _log.exception("the listener for callbacks ended")


def _config(receiving: Receiving) -> uvicorn.Config:
    return uvicorn.Config(
        receiving.app,
        http=_Protocol,
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        timeout_keep_alive=int(HEAD_S),
        timeout_graceful_shutdown=1,
        limit_concurrency=AT_ONCE,
        h11_max_incomplete_event_size=HEAD_MAX,
    )


class _Server(uvicorn.Server):
    """Leaves the signal handlers alone, tells when it listens, and ends when told to."""

    def __init__(self, config: uvicorn.Config, started: asyncio.Event) -> None:
        super().__init__(config)
        self._has_started = started
        self._end = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self._has_started.set()

    async def main_loop(self) -> None:
        # The original wakes ten times a second to look at its own flags and the date.
        await self._end.wait()

    def end(self) -> None:
        """Close every line, also of calls that are being read."""
        self._end.set()
        for line in list(self.server_state.connections):
            if isinstance(line, _Protocol):
                line.transport.abort()


class _Protocol(H11Protocol):
    """Cuts whoever does not come to the end of a request's head."""

    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._patience = self.loop.call_later(HEAD_S, self._lose_patience)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._patience is not None:
            self._patience.cancel()
        super().connection_lost(exc)

    def _lose_patience(self) -> None:
        # ``cycle`` is the request whose head is in.
        if self.cycle is None:
            self.transport.abort()
