"""What is done with one call that comes in: as little as can be until it has proved whose it is."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from desktop_app.domain.clock import Clock
from desktop_app.domain.errors import LocalTrouble
from desktop_app.domain.ports.callbacks import Addressee, CallbackDesk, Caller, Heard
from desktop_app.providers.callbacks.replays import Replays
from desktop_app.providers.callbacks.signatures import signed
from desktop_app.providers.callbacks.tokens import Tokens
from desktop_app.providers.json_work import parsed

_log = logging.getLogger(__name__)

PLACE = "callbacks"
"""The part of the path before the token. Logs mask what follows it."""

BODY_MAX = 1024 * 1024
BODY_S = 10.0
"""A body is small and comes at once; whoever sends neither is no provider."""

AT_ONCE = 32
"""Bodies that are read at the same time."""


class Receiving:
    """``app`` is the ASGI application."""

    def __init__(self, desk: CallbackDesk, tokens: Tokens, clock: Clock) -> None:
        self._desk = desk
        self._tokens = tokens
        self._clock = clock
        self._replays = Replays()
        self._open = 0
        self.app = Starlette(
            routes=[Route("/{path:path}", self._called, methods=["POST"])],
            exception_handlers={HTTPException: _nothing_here},
        )

    async def _called(self, request: Request) -> Response:
        whose = self._addressee(request.path_params["path"])
        if whose is None:
            return _answer(404)
        if self._open >= AT_ONCE:
            return _answer(503)
        self._open += 1
        try:
            return await self._hear(whose, request)
        except ClientDisconnect:
            return _answer(400)
        except LocalTrouble:
            return _answer(503)  # it calls again
        except Exception:
            _log.exception("a callback for attempt %d could not be heard", whose.attempt_pk)
            return _answer(500)
        finally:
            self._open -= 1

    def _addressee(self, path: str) -> Addressee | None:
        """A proxy on the way may have put a path of its own before ours."""
        before, _, token = path.rpartition("/")
        if before.rpartition("/")[2] != PLACE:
            return None
        return self._tokens.read(token)

    async def _hear(self, whose: Addressee, request: Request) -> Response:
        try:
            async with asyncio.timeout(BODY_S):
                body = await _body(request)
        except TimeoutError:
            return _answer(408)
        if body is None:
            return _answer(413)
        caller = await self._desk.caller(whose)
        if caller is None:
            # The provider has done its part: told anything else it would only call again.
            _log.info("a callback for attempt %d, which is over: ignored", whose.attempt_pk)
            return _answer(200)
        return await self._act(whose, caller, request.headers, body)

    async def _act(
        self, whose: Addressee, caller: Caller, headers: Mapping[str, str], body: bytes
    ) -> Response:
        known = signed(caller.rule, caller.secret, headers, body, self._clock.now())
        if known is None and caller.anew is not None:
            secret = await caller.anew()
            if secret is not None:
                known = signed(caller.rule, secret, headers, body, self._clock.now())
        if known is None:
            _log.warning("a callback for attempt %d without a good signature", whose.attempt_pk)
            return _answer(401)
        now = self._clock.monotonic()
        if known.id and not self._replays.is_new(whose.attempt_pk, known.id, now):
            _log.info("a callback for attempt %d came again: ignored", whose.attempt_pk)
            return _answer(200)
        heard = await self._desk.called(whose, _job_of(caller, body))
        if known.id and heard is not Heard.NOTHING:
            keep_s = 2 * caller.rule.tolerance_s
            self._replays.heard(whose.attempt_pk, known.id, now, keep_s)
        _log.info("a callback for attempt %d: %s", whose.attempt_pk, heard.value)
        return _answer(200)


async def _body(request: Request) -> bytes | None:
    """None where it is larger than ``BODY_MAX``, whatever it says of itself."""
    told = request.headers.get("content-length", "")
    if told.isdecimal() and int(told[:20]) > BODY_MAX:
        return None
    read = bytearray()
    async for piece in request.stream():
        read += piece
        if len(read) > BODY_MAX:
            return None
    return bytes(read)


def _job_of(caller: Caller, body: bytes) -> str | None:
    """None where the body does not say: then the call means no more than "look"."""
    try:
        return caller.job_called(parsed(body))
    except ValueError:
        return None
    except Exception:
        # What a stranger sends must not become the provider's next call, nor ours.
        _log.exception("a callback's body could not be looked at")
        return None


def _answer(status: int) -> Response:
    return Response(status_code=status, headers={"connection": "close"})


async def _nothing_here(_: Request, __: Exception) -> Response:
    return _answer(404)
