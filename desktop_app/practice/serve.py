"""Runs the practice server in a process: on a loop of one's own, or as the terminal's verb."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TextIO

import uvicorn
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.practice.answers import TRANSPORT
from desktop_app.practice.config import PROFILES, PracticeConfig, load
from desktop_app.practice.environ import ENV_CHILD, ENV_KEY, new_key
from desktop_app.practice.lines import CountedTransport
from desktop_app.practice.server import PracticeServer


async def serve(
    config: PracticeConfig,
    *,
    font: Path,
    key: str,
    host: str = "127.0.0.1",
    port: int = 0,
    ready: Callable[[int], None] = lambda _: None,
    stop: asyncio.Event | None = None,
) -> dict[str, object]:
    """Serve until ``stop`` is set or the task is cancelled; returns the last ledger.

    ``port`` 0 takes a free one; ``ready`` is told the port once calls are answered. Signal
    handlers are left alone. Raises OperatorError when the port or the font can't be had.
    """
    try:
        practice = PracticeServer(config, key=key, font=font)
    except OSError as error:
        raise OperatorError(message("practice.no_font", file=font.name)) from error
    try:
        listener = socket.create_server((host, port), backlog=512)
    except OSError as error:
        practice.close()
        raise OperatorError(message("practice.port_taken", port=port)) from error
    with listener:
        stop = stop or asyncio.Event()
        server = _Server(
            _uvicorn_config(practice), lambda: ready(listener.getsockname()[1]), stop, practice
        )
        running = asyncio.ensure_future(server.serve(sockets=[listener]))
        try:
            await asyncio.shield(running)
        finally:
            stop.set()
            await running
    return practice.run.ledger.report()


def run_blocking(
    *,
    font: Path,
    say: Callable[[Message], str],
    out: TextIO,
    stdin_fd: int = 0,
    port: int = 0,
    config: str | Path | None = None,
    environ: Mapping[str, str] = os.environ,
) -> int:
    """The verb ``practice``: serve until Ctrl+C or SIGTERM, or, as a child, until stdin ends.

    ``config`` is a profile's name or a file; None is the demo. Prints address and key in words
    to ``out`` (as a child: one line of JSON). Returns the exit code: 0 as a child, else 128 plus
    the signal's number. Must be called on the main thread. Raises OperatorError.
    """
    settings = load(config) if config is not None else PROFILES["demo"]
    child = environ.get(ENV_CHILD) == "1"
    key = environ.get(ENV_KEY) or new_key()

    def ready(found: int) -> None:
        if child:
            out.write(json.dumps({"port": found, "key": key}) + "\n")
        else:
            url = f"http://127.0.0.1:{found}/v1"
            lines = (
                message("practice.ready"),
                message("practice.ready_url", url=url),
                message("practice.ready_key", key=key),
                message("practice.ready_stop"),
            )
            out.writelines(say(line) + "\n" for line in lines)
        out.flush()

    async def main() -> tuple[dict[str, object], int]:
        stop = asyncio.Event()
        with _signals(stop, ignore_interrupt=child) as caught:
            if child:
                _stop_at_end_of(stdin_fd, asyncio.get_running_loop(), stop)
            ledger = await serve(settings, font=font, key=key, port=port, ready=ready, stop=stop)
        return ledger, caught[0] if caught else 0

    ledger, number = asyncio.run(main())
    if not child:
        said = message("practice.stopped", calls=ledger["attempts"], billed=ledger["billed"])
        out.write(say(said) + "\n")
        out.flush()
    return 128 + number if number and not child else 0


def _stop_at_end_of(fd: int, loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    def watch() -> None:
        # os.read on the descriptor: a buffered stdin, blocked at exit, would abort the interpreter.
        with contextlib.suppress(OSError):
            while os.read(fd, 1024):
                pass
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(stop.set)

    threading.Thread(target=watch, name="practice-parent", daemon=True).start()


@contextlib.contextmanager
def _signals(stop: asyncio.Event, *, ignore_interrupt: bool) -> Iterator[list[int]]:
    loop = asyncio.get_running_loop()
    caught: list[int] = []

    def end(number: int, _: object) -> None:
        caught.append(number)
        loop.call_soon_threadsafe(stop.set)

    names = ("SIGINT", "SIGTERM", "SIGBREAK")
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {
        number: signal.signal(
            number, signal.SIG_IGN if ignore_interrupt and number == signal.SIGINT else end
        )
        for number in numbers
    }
    try:
        yield caught
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _uvicorn_config(practice: PracticeServer) -> uvicorn.Config:
    return uvicorn.Config(
        practice.app,
        http=_Protocol,
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=1,
    )


class _Server(uvicorn.Server):
    """Tells when it listens, ends at once when told to, leaves the signal handlers alone."""

    def __init__(
        self,
        config: uvicorn.Config,
        started: Callable[[], None],
        stop: asyncio.Event,
        practice: PracticeServer,
    ) -> None:
        super().__init__(config)
        self._tell_started = started
        self._stop = stop
        self._practice = practice

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self._tell_started()

    async def main_loop(self) -> None:
        # The original wakes ten times a second to look at its own flags and the date.
        await self._stop.wait()
        self._practice.close()


class _Protocol(H11Protocol):
    """Hands each request its connection, so that trouble can cut it."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        line = CountedTransport(transport)
        super().connection_made(line)  # type: ignore[arg-type]
        # Head and body are two writes: without this the second one waits 40 ms for an
        # acknowledgement, since the loop spares sockets whose listener named no protocol.
        sock = transport.get_extra_info("socket")
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        inner = self.app

        async def with_transport(scope: Scope, receive: Receive, send: Send) -> None:
            scope[TRANSPORT] = line
            await inner(scope, receive, send)

        self.app = with_transport
