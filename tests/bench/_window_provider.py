"""The provider of the window's bench: answers after a tenth of a second, and nothing is sent."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from desktop_app.domain.connection import Connection
from desktop_app.domain.ports import Answer, Call, Capabilities, Content, Preset, TestReport
from desktop_app.domain.task import Request

ANSWER_S = 0.1
_CONTENT = Content(b"an answer", "text/plain", "an answer")


class Provider:
    """Adapters and the one Adapter: answers after a tenth of a second."""

    capabilities_ = Capabilities("text", default_timeout_s=300.0)

    def __init__(self, *_: object) -> None:
        """As the registry it stands in for is made."""

    def warm_up(self) -> None:
        """As the one it stands in for: that takes the time of Qt's thread too."""
        import_module("desktop_app.providers.http.client")

    def names(self) -> tuple[str, ...]:
        return ("bench",)

    def presets(self) -> tuple[Preset, ...]:
        return ()

    def prepared(self, connection: Connection) -> Connection:
        return connection

    def capabilities(self, adapter: str, connection: Connection | None = None) -> Capabilities:
        return self.capabilities_

    def open(self, connection: Connection, secret: str | None) -> Opened:
        return Opened()


class Opened:
    """One connection of the provider."""

    capabilities = Provider.capabilities_

    async def submit(self, call: Call) -> Answer:
        call.begin()
        await asyncio.sleep(ANSWER_S)
        return Answer((_CONTENT,))

    async def test(self) -> TestReport:
        return TestReport(True, ())

    def body_preview(self, request: Request) -> Mapping[str, Any]:
        return {}

    async def close(self) -> None:
        return None
