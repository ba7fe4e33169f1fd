"""Rows may name a model of their own: each model is spoken to as if its connection had no other, so
that what differs by model (fields, limits of pictures, words of errors) is asked in one way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from desktop_app.domain.connection import Connection
from desktop_app.domain.ports import Answer, Call, Capabilities, Param, RawAnswer, TestReport
from desktop_app.domain.task import Request
from desktop_app.domain.wording.providers import N_

if TYPE_CHECKING:
    from desktop_app.providers.entry import Opener
    from desktop_app.providers.http.client import HttpClient

MODEL = "model"
MODEL_PARAM = Param(MODEL, "text", (), N_("Model"))

_REMEMBERED = 32
"""Adapters kept beside the connection's own; a column may hold anything."""


class OneModel(Protocol):
    """An adapter that answers at once and speaks to the model of its connection."""

    capabilities: Capabilities

    async def submit(self, call: Call) -> Answer: ...
    async def reread(self, request: Request, raw: RawAnswer) -> Answer: ...
    async def test(self) -> TestReport: ...
    def body_preview(self, request: Request) -> Mapping[str, Any]: ...
    async def close(self) -> None: ...


class RowModels:
    """One connection, asked for the model that a request's parameters name, or for its own. All
    share one line; the connection's own adapter closes it."""

    def __init__(self, make: Callable[[Connection], OneModel], connection: Connection) -> None:
        self._make = make
        self._connection = connection
        self._own = make(connection)
        self._others: dict[str, OneModel] = {}
        self.capabilities = self._own.capabilities

    def body_preview(self, request: Request) -> Mapping[str, Any]:
        """The JSON that ``submit`` sends for this request; it holds no key."""
        return self._of(request).body_preview(request)

    async def submit(self, call: Call) -> Answer:
        """See ``Adapter``. Raises ProviderFailure."""
        return await self._of(call.request).submit(call)

    async def reread(self, request: Request, raw: RawAnswer) -> Answer:
        """See ``RereadingAdapter``. Raises ProviderFailure."""
        return await self._of(request).reread(request, raw)

    async def test(self) -> TestReport:
        """Of the connection's own model."""
        return await self._own.test()

    async def close(self) -> None:
        """Close the line of all."""
        await self._own.close()

    def _of(self, request: Request) -> OneModel:
        model = str(request.params.get(MODEL) or "").strip()
        if not model or model == self._connection.model:
            return self._own
        if model not in self._others:
            if len(self._others) >= _REMEMBERED:
                self._others.clear()
            self._others[model] = self._make(replace(self._connection, model=model))
        return self._others[model]


def by_row(
    of_one: Callable[[Connection, str | None, HttpClient], OneModel],
) -> Opener:
    """The opener of an adapter whose rows may name their model."""

    def open_(connection: Connection, secret: str | None, http: HttpClient) -> RowModels:
        return RowModels(lambda asked: of_one(asked, secret, http), connection)

    return open_
