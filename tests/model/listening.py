"""Where the program listens for calls, by the program's own means but without sockets."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from desktop_app.domain.clock import Clock
from desktop_app.domain.ports.callbacks import Addressee, CallbackDesk, CallbackRule, Caller, Heard
from desktop_app.providers.callbacks.receiving import PLACE, Receiving
from desktop_app.providers.callbacks.tokens import Tokens, mark_of

TOKENS = Tokens(b"a secret that outlives the program")


class Listening:
    """CallbackAddresses of one life, and the desk's door while it ``listens``. ``heard``: what the
    program made of the last call about an attempt."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._desk: CallbackDesk | None = None
        self._app: Any = None
        self.heard: dict[Addressee, Heard] = {}

    @property
    def listens(self) -> bool:
        """Whether anybody can be called."""
        return self._app is not None

    def open(self, desk: CallbackDesk) -> None:
        """Let the shop call."""
        self._desk = desk
        self._app = Receiving(self, TOKENS, self._clock).app

    def close(self) -> None:
        """Nobody is there to be called."""
        self._app = None

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> int:
        """One call; its status."""
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "POST",
            "scheme": "https",
            "path": urlsplit(url).path,
            "root_path": "",
            "query_string": b"",
            "headers": [(k.lower().encode(), v.encode()) for k, v in headers.items()],
        }
        statuses: list[int] = []

        async def receive() -> dict[str, Any]:
            await asyncio.sleep(0.001)
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Mapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        await self._app(scope, receive, send)
        return statuses[0]

    # --- what calls are asked for with -----------------------------------------------------------

    def address(self, attempt_pk: int, idempotency_key: str) -> str | None:
        if not self.listens:
            return None
        return address_of(self.addressee(attempt_pk, idempotency_key))

    def addressee(self, attempt_pk: int, idempotency_key: str) -> Addressee:
        return Addressee(attempt_pk, mark_of(idempotency_key))

    def secret(self, attempt_pk: int, rule: CallbackRule) -> str:
        return TOKENS.signing_secret(attempt_pk, rule)

    # --- the desk, overheard ---------------------------------------------------------------------

    async def caller(self, whose: Addressee) -> Caller | None:
        assert self._desk is not None
        return await self._desk.caller(whose)

    async def called(self, whose: Addressee, job_id: str | None) -> Heard:
        assert self._desk is not None
        heard = self.heard[whose] = await self._desk.called(whose, job_id)
        return heard


def address_of(whose: Addressee) -> str:
    """Where to call about it."""
    return f"https://me.test/{PLACE}/{TOKENS.of(whose)}"
