"""A web server takes a while to import, and most programs never listen: it is made when it is to be
opened for the first time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from desktop_app.domain.listening import ListeningPlace
    from desktop_app.domain.ports.callbacks import Addressee, CallbackListener, CallbackRule


class CallbacksLater:
    """Implements ``CallbackListener`` over what ``make`` makes, in a thread."""

    def __init__(self, make: Callable[[], CallbackListener]) -> None:
        self._make = make
        self._made: CallbackListener | None = None

    async def open(self, place: ListeningPlace) -> None:
        if self._made is None:
            self._made = await asyncio.to_thread(self._make)
        await self._made.open(place)

    async def close(self) -> None:
        if self._made is not None:
            await self._made.close()

    def address(self, attempt_pk: int, idempotency_key: str) -> str | None:
        return None if self._made is None else self._made.address(attempt_pk, idempotency_key)

    def addressee(self, attempt_pk: int, idempotency_key: str) -> Addressee:
        if self._made is not None:
            return self._made.addressee(attempt_pk, idempotency_key)
        from desktop_app.domain.ports.callbacks import Addressee

        return Addressee(0, "")  # nobody

    def secret(self, attempt_pk: int, rule: CallbackRule) -> str:
        return "" if self._made is None else self._made.secret(attempt_pk, rule)
