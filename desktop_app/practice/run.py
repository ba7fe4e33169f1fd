"""One run between two resets: takes each call through limits, trouble, work and the bill."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from starlette.responses import Response

from desktop_app.practice import answers
from desktop_app.practice.config import PracticeConfig
from desktop_app.practice.flow import Closing, Flow, flowing
from desktop_app.practice.ledger import PracticeLedger, Visit
from desktop_app.practice.limits import Gate
from desktop_app.practice.streams import Pieces
from desktop_app.practice.trouble import (
    AT_ONCE,
    OF_JOBS,
    OF_STREAMS,
    QUICK,
    choose,
    latency,
    prompt_hash,
)

T = TypeVar("T")

_REMEMBERED = 5_000
_UNSTREAMED = frozenset({"drop", "504"})
"""Trouble of an answer of which nothing comes."""


@dataclass(frozen=True, slots=True)
class Order:
    """One call. ``make`` does the work and gives the body of a good answer (spoilt when its
    argument is True), ``cut_up`` the same as a stream, where one was asked for; ``client_gone``
    returns when the client has hung up; ``shown`` tells one prompt with other pictures apart."""

    prompt: str
    model: str
    wants: str  # "image" or "chat"
    idempotency_key: str | None
    make: Callable[[bool], Awaitable[bytes]]
    client_gone: Callable[[], Awaitable[None]]
    shown: str = ""
    cut_up: Callable[[bytes], Awaitable[Pieces]] | None = None


class Run:
    """Belongs to the server's loop. ``closing`` is set when the whole server ends."""

    def __init__(
        self, config: PracticeConfig, clock: Callable[[], float], closing: asyncio.Event
    ) -> None:
        self.config = config
        self.ledger = PracticeLedger(clock, config.time_scale)
        self.gate = Gate(config, clock)
        self._clock = clock
        self._closing = closing
        self._over = asyncio.Event()
        self._replies: OrderedDict[str, tuple[str, asyncio.Future[bytes | None]]] = OrderedDict()

    def end(self) -> None:
        """A reset: hung calls are cut, those being worked on end as they would have."""
        self._over.set()

    async def take(self, order: Order) -> Response:
        """Answer one call. Raises Closing when the server ends before the answer."""
        key = order.idempotency_key if self.config.idempotency else None
        if key is None:
            return await self._first_time(order, None)
        name = prompt_hash(f"{order.prompt}\0{order.shown}" if order.shown else order.prompt)
        while (known := self._replies.get(key)) is not None:
            if known[0] != name:
                self.ledger.turn_away()
                text = "This Idempotency-Key was used with another request."
                return answers.error("400", text=text, code="idempotency_key_reuse")
            body = await self.unless_closing(asyncio.shield(known[1]))
            if body is not None:
                self.ledger.close(self.ledger.arrive(order.prompt), "replayed")
                return self.good(body)
        reply: asyncio.Future[bytes | None] = asyncio.get_running_loop().create_future()
        self._replies[key] = (name, reply)
        try:
            return await self._first_time(order, reply)
        finally:
            if not reply.done():
                reply.set_result(None)
                del self._replies[key]
            while len(self._replies) > _REMEMBERED:
                self._replies.popitem(last=False)

    async def _first_time(
        self, order: Order, reply: asyncio.Future[bytes | None] | None
    ) -> Response:
        entered = self.enter(order)
        if isinstance(entered, Response):
            return entered
        visit, kind = entered
        flows = False
        try:
            answer = await self._work(order, visit, None if kind in OF_JOBS else kind, reply)
            flows = isinstance(answer, Flow)
            return answer
        finally:
            # Leaves before a byte of the answer does: a client that keeps exactly to the limit
            # must never be refused for our own slowness. One that flows leaves by itself.
            if not flows:
                self.gate.leave()
                self.ledger.close(visit, "cut")

    def enter(self, order: Order) -> tuple[Visit, str | None] | Response:
        """Past the limits, with the trouble that it is to have; or what refuses it. Whoever is let
        in gives the slot back and closes the visit."""
        visit = self.ledger.arrive(order.prompt)
        attempt = self.ledger.next_attempt(visit)
        kind = choose(order.prompt, attempt, self.config.trouble, self.config.seed)
        if kind in OF_STREAMS and order.cut_up is None:
            kind = None
        if kind in AT_ONCE:
            self.ledger.count_only(visit)
            self.ledger.close(visit, str(kind))
            return answers.trouble(str(kind), order.prompt)
        refusal = self.gate.enter()
        if refusal is not None:
            self.ledger.close(visit, f"429_{refusal.kind}")
            told = self.gate.standing() if self.config.tell_limits else None
            return answers.refusal(refusal, told)
        self.ledger.admit(visit)
        return visit, kind

    async def _work(
        self,
        order: Order,
        visit: Visit,
        kind: str | None,
        reply: asyncio.Future[bytes | None] | None,
    ) -> Response:
        config = self.config
        if kind == "hang":
            self.ledger.bill(visit)
            await self.hang(order)
            self.ledger.close(visit, kind)
            return answers.Cut()
        if kind in QUICK:
            await self.rest(config.quick_s)
            self.ledger.close(visit, str(kind))
            good = kind == "empty"
            return self.told(
                answers.empty(order.wants, order.model)
                if good
                else answers.trouble(str(kind), order.prompt)
            )
        began = self._clock()
        seconds = latency(order.prompt, visit.attempt, config.mean_s, config.sigma, config.seed)
        if kind == "slow":
            seconds *= config.slow_factor
        body = await self.unless_closing(order.make(kind == "badimage"))
        pieces = None
        if order.cut_up is not None and kind not in _UNSTREAMED:
            pieces = await self.unless_closing(order.cut_up(body))
        # What was begun is on the bill: with the first word.
        share = 1.0 if pieces is None else pieces.begins
        await self.rest(share * seconds - self.nominal_since(began))
        self.ledger.bill(visit)
        if reply is not None:
            reply.set_result(body)
        if pieces is not None:
            return self.told(Flow(flowing(self, order, visit, kind, pieces, seconds, began)))
        self.ledger.close(visit, kind or "ok")
        if kind == "drop":
            return answers.Cut()
        if kind == "504":
            return self.told(answers.trouble(kind, order.prompt))
        if kind == "truncated":
            return answers.Cut(body[: len(body) // 2], len(body))
        if kind == "badjson":
            body = body[: len(body) // 2]
        return self.good(body)

    async def hang(self, order: Order) -> None:
        """Until the client hangs up, or the run ends. Raises Closing."""
        gone = asyncio.ensure_future(order.client_gone())
        over = asyncio.ensure_future(self._over.wait())
        try:
            await self.unless_closing(
                asyncio.wait((gone, over), return_when=asyncio.FIRST_COMPLETED)
            )
        finally:
            for waiter in (gone, over):
                waiter.cancel()

    def nominal_since(self, began: float) -> float:
        """Nominal seconds since then, by the server's clock."""
        return (self._clock() - began) / self.config.time_scale

    async def rest(self, nominal_s: float) -> None:
        """Let nominal seconds pass. Raises Closing."""
        if nominal_s > 0:
            await self.unless_closing(asyncio.sleep(nominal_s * self.config.time_scale))

    async def unless_closing(self, work: Awaitable[T]) -> T:
        """Do the work. Raises Closing when the server ends before it is done."""
        task = asyncio.ensure_future(work)
        closing = asyncio.ensure_future(self._closing.wait())
        try:
            await asyncio.wait((task, closing), return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            raise Closing
        finally:
            task.cancel()
            closing.cancel()

    def good(self, body: bytes) -> Response:
        """An answer that holds what was asked for."""
        return self.told(Response(body, media_type="application/json"))

    def told(self, answer: Response) -> Response:
        """The answer with the headers that tell of limits."""
        standing = self.gate.standing() if self.config.tell_limits else None
        if standing is not None:
            answers.tell(answer, standing)
        return answer
