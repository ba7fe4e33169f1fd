"""A provider, files, keys and a computer that take no time, so that store and engine are what is
measured."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from desktop_app.domain.attempt import Claim, Kept
from desktop_app.domain.connection import Connection
from desktop_app.domain.ports import Answer, Call, Capabilities, Content, Preset, TestReport
from desktop_app.domain.task import Request

KEPT = Kept("x.txt", 1, "text/plain", text="x", sha256="ab")
_CONTENT = Content(b"x", "text/plain", "x")


class NoAdapter:
    """Adapters and the one Adapter: answers at once."""

    capabilities_ = Capabilities("text", default_timeout_s=300.0)

    def names(self) -> tuple[str, ...]:
        return ("none",)

    def presets(self) -> tuple[Preset, ...]:
        return ()

    def prepared(self, connection: Connection) -> Connection:
        return connection

    def capabilities(self, adapter: str, connection: Connection | None = None) -> Capabilities:
        return self.capabilities_

    def open(self, connection: Connection, secret: str | None) -> NoAdapterOpened:
        return NoAdapterOpened()


class NoAdapterOpened:
    """Takes one turn of the loop, as the quickest answer would."""

    capabilities = NoAdapter.capabilities_

    async def submit(self, call: Call) -> Answer:
        call.begin()
        await asyncio.sleep(0)
        return Answer((_CONTENT,))

    async def test(self) -> TestReport:
        return TestReport(True, ())

    def body_preview(self, request: Request) -> Mapping[str, Any]:
        return {}

    async def close(self) -> None:
        return None


class NoFiles:
    """ResultFiles that write nothing."""

    def expect(self, out_dir: str) -> None:
        pass

    async def check_folder(self, out_dir: str) -> None:
        return None

    async def stage(self, claim: Claim, *contents: Content) -> None:
        return None

    async def keep(self, claim: Claim, *contents: Content, flags: tuple[str, ...] = ()) -> Kept:
        return KEPT

    async def find(self, claim: Claim) -> Kept | None:
        return None

    async def named(self, claim: Claim) -> Kept | None:
        return None

    async def settled(self, claim: Claim) -> None:
        return None

    async def sweep(self, out_dir: str) -> int:
        return 0

    async def attach(self, out_dir: str, stem: str, source: Path, makes: str | None = None) -> Kept:
        raise NotImplementedError


class NoSecrets:
    """A key that is always there."""

    async def get(self, connection: str) -> str | None:
        return "key"

    async def set(self, connection: str, secret: str) -> bool:
        return True

    async def delete(self, connection: str) -> None:
        return None

    async def available(self) -> None:
        return None


class NoAwake:
    """Lets the computer sleep."""

    def hold(self) -> None:
        return None

    def release(self) -> None:
        return None
