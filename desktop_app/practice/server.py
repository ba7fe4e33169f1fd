"""The practice API: a real server with limits, latency and trouble, on nobody's account."""

from __future__ import annotations

import asyncio
import functools
import hmac
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from desktop_app.domain.text import OperatorError, Translator
from desktop_app.practice import answers
from desktop_app.practice.config import PracticeConfig, from_mapping, to_mapping
from desktop_app.practice.flow import Closing
from desktop_app.practice.jobs import Jobs
from desktop_app.practice.making import Maker
from desktop_app.practice.orders import (
    BadOrder,
    ChatOrder,
    PictureOrder,
    callback_wish,
    chat_order,
    edit_order,
    picture_order,
)
from desktop_app.practice.run import Order, Run
from desktop_app.practice.shown import marks

_BIG_BYTES = 64 * 1024


class PracticeServer:
    """``app`` is the ASGI application; it must be served by ``serve`` (trouble cuts sockets).

    ``font`` is the font file to draw prompts with; ``key`` the one key that is let in. Call
    ``close`` on the loop when the server ends.
    """

    def __init__(
        self,
        config: PracticeConfig,
        *,
        key: str,
        font: Path,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._key = key.encode()
        self._clock = clock
        self._maker = Maker(font)
        self._closing = asyncio.Event()
        self._run = Run(config, clock, self._closing)
        self._jobs = Jobs(self._run, clock)
        self.app = Starlette(
            routes=[
                Route("/v1/images/generations", self._images, methods=["POST"]),
                Route("/v1/images/edits", self._edits, methods=["POST"]),
                Route("/v1/chat/completions", self._chat, methods=["POST"]),
                Route("/v1/jobs", self._job, methods=["POST"]),
                Route("/v1/jobs/{id}", self._job_state, methods=["GET"]),
                Route("/v1/jobs/{id}/cancel", self._job_cancel, methods=["POST"]),
                Route("/v1/models", self._models, methods=["GET"]),
                Route("/files/{name}", self._file, methods=["GET"]),
                Route("/_practice/ledger", self._ledger, methods=["GET"]),
                Route("/_practice/reset", self._reset, methods=["POST"]),
            ],
            exception_handlers={HTTPException: _no_such_page},
        )

    @property
    def run(self) -> Run:
        """What counts since the start or the last reset."""
        return self._run

    def close(self) -> None:
        """Cut every open call, so that the server can end at once."""
        self._closing.set()
        self._jobs.end()
        self._maker.close()

    async def _images(self, request: Request) -> Response:
        return await self._answer(request, "image", lambda body: picture_order(_parsed(body)))

    async def _edits(self, request: Request) -> Response:
        kind = request.headers.get("content-type", "")
        return await self._answer(request, "image", lambda body: edit_order(body, kind))

    async def _chat(self, request: Request) -> Response:
        return await self._answer(request, "chat", lambda body: chat_order(_parsed(body)))

    async def _job(self, request: Request) -> Response:
        def read(body: bytes) -> PictureOrder:
            return replace(picture_order(_parsed(body)), by_url=True, previews=None)

        async def take(order: Order) -> Response:
            return await self._jobs.submit(order, callback_wish(_parsed(await request.body())))

        return await self._answer(request, "image", read, take)

    async def _job_state(self, request: Request) -> Response:
        if not self._let_in(request):
            return answers.error("401")
        return self._jobs.state(request.path_params["id"])

    async def _job_cancel(self, request: Request) -> Response:
        if not self._let_in(request):
            return answers.error("401")
        return self._jobs.cancel(request.path_params["id"])

    async def _answer(
        self,
        request: Request,
        wants: str,
        read: Callable[[bytes], PictureOrder | ChatOrder],
        take: Callable[[Order], Awaitable[Response]] | None = None,
    ) -> Response:
        began = self._clock()
        run = self._run
        line = request.scope[answers.TRANSPORT]
        passage = run.ledger.came(request.headers.get("idempotency-key"), line.peer_port)
        try:
            if not self._let_in(request):
                run.ledger.turn_away()
                answer = answers.error("401")
            else:
                order = await self._read(await request.body(), read)
                answer = await (take or run.take)(self._order(request, wants, order))
        except BadOrder as fault:
            run.ledger.turn_away()
            answer = answers.error("400", text=fault.text, param=fault.param, code=fault.code)
        except (Closing, ClientDisconnect):
            return answers.Cut()
        answers.stamp(answer, self._clock() - began)
        answer.background = BackgroundTask(passage.answered, line)
        return answer

    async def _read(
        self, body: bytes, read: Callable[[bytes], PictureOrder | ChatOrder]
    ) -> PictureOrder | ChatOrder:
        if len(body) <= _BIG_BYTES:
            return read(body)
        # There are pictures in it, which take a while to look at.
        return await self._maker.beside(read, body)

    def _order(self, request: Request, wants: str, order: PictureOrder | ChatOrder) -> Order:
        return Order(
            prompt=order.prompt,
            shown=marks(order.shown),
            model=order.model,
            wants=wants,
            idempotency_key=request.headers.get("idempotency-key"),
            make=self._maker.make(order, str(request.base_url)),
            cut_up=self._maker.cut_up(order),
            client_gone=functools.partial(answers.client_gone, request),
        )

    async def _file(self, request: Request) -> Response:
        found = self._maker.file(request.path_params["name"])
        if found is None:
            return answers.error("404")
        return Response(found[0], media_type=found[1])

    async def _models(self, request: Request) -> Response:
        if not self._let_in(request):
            self._run.ledger.turn_away()
            return answers.error("401")
        names = ("practice", "practice-chat")
        data = [{"id": n, "object": "model", "owned_by": "batchwright"} for n in names]
        return JSONResponse({"object": "list", "data": data})

    async def _ledger(self, request: Request) -> Response:
        if not self._let_in(request):
            return answers.error("401")
        report = self._run.ledger.report(calls=request.query_params.get("calls") == "1")
        return JSONResponse({**report, "jobs": self._jobs.report()})

    async def _reset(self, request: Request) -> Response:
        if not self._let_in(request):
            return answers.error("401")
        body = await request.body()
        config = self._run.config
        if body.strip():
            try:
                config = from_mapping(_parsed(body))
            except OperatorError as fault:
                return answers.error("400", text=Translator().say(fault.message), code="config")
            except BadOrder as fault:
                return answers.error("400", text=fault.text, code=fault.code)
        self._run.end()
        self._jobs.end()
        self._run = Run(config, self._clock, self._closing)
        self._jobs = Jobs(self._run, self._clock)
        return JSONResponse({"config": to_mapping(config)})

    def _let_in(self, request: Request) -> bool:
        given = request.headers.get("authorization", "").removeprefix("Bearer ").strip()
        return hmac.compare_digest(given.encode(), self._key)


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError as error:
        raise BadOrder(
            "We could not parse the JSON body of your request.", "body", "invalid_json"
        ) from error


async def _no_such_page(_: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    return answers.error("405" if status == 405 else "404")
