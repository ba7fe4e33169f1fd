"""An answer that comes bit by bit: sent at its pace, broken where its trouble says so."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from desktop_app.practice.answers import TRANSPORT, until_gone
from desktop_app.practice.streams import ERROR, Pieces, in_bursts

if TYPE_CHECKING:
    from desktop_app.practice.ledger import Visit
    from desktop_app.practice.run import Order, Run

_LEAST_S = 0.04
"""Real seconds between two sends: smooth to look at, and little work."""

_BY_HALF = frozenset({"truncated", "badjson", "stream-silent", "stream-error"})


class Closing(Exception):
    """The server ends while this call is being worked on."""


class Broken(Exception):
    """The line ends here, without a word."""


class Flow(Response):
    """Sends what ``parts`` yields; where they raise, it cuts the line."""

    media_type = "text/event-stream"

    def __init__(self, parts: AsyncGenerator[bytes, None]) -> None:
        super().__init__()
        del self.headers["content-length"]
        self._parts = parts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        is_begun = False
        try:
            async for part in self._parts:
                if not is_begun:
                    is_begun = True
                    await send(start)
                await send({"type": "http.response.body", "body": part, "more_body": True})
        except Broken:
            scope[TRANSPORT].close()
            await until_gone(receive)
            return
        finally:
            await self._parts.aclose()
        await send({"type": "http.response.body", "body": b"", "more_body": False})
        if self.background is not None:
            await self.background()


async def flowing(
    run: Run,
    order: Order,
    visit: Visit,
    kind: str | None,
    pieces: Pieces,
    seconds: float,
    began: float,
) -> AsyncGenerator[bytes, None]:
    """The parts of one answer that takes nominal ``seconds`` from ``began`` (the run's clock) on.

    It gives back the slot, and closes the visit: before all is said, as a client that keeps to the
    limit may come again then. Raises Broken, also where the server ends.
    """
    is_here = True

    def leave(outcome: str) -> None:
        nonlocal is_here
        if is_here:
            is_here = False
            run.gate.leave()
            run.ledger.close(visit, outcome)

    async def due(share: float) -> None:
        await run.rest(share * seconds - run.nominal_since(began))

    ends_early = kind in _BY_HALF
    told = pieces.on_the_way
    if ends_early:
        told = told[: max(1, len(told) // 2)]
    real_s = seconds * run.config.time_scale
    least = _LEAST_S / real_s if real_s > 0 else 1.0
    try:
        for burst in in_bursts(told, least):
            await due(burst.due)
            yield burst.event
        if ends_early:
            if kind == "stream-silent":
                await run.hang(order)
            leave(str(kind))
            if kind == "stream-error":
                yield ERROR
            if kind not in ("badjson", "stream-error"):
                raise Broken
            return
        await due(1)
        leave(kind or "ok")
        yield pieces.ends
        if kind == "stream-unended":
            raise Broken
        if pieces.after:
            yield pieces.after
    except Closing:
        raise Broken from None
    finally:
        leave("cut")
