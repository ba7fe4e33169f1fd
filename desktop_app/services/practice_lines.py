"""The practice server is one server with several connections: one for each manner of speaking to
it, so that an operator sees each at work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from desktop_app.domain.connection import (
    PRACTICE_JOBS_NAME,
    PRACTICE_NAME,
    PRACTICE_TEXTS_NAME,
    Connection,
    Limits,
)
from desktop_app.domain.money import Price, PriceUnit


@dataclass(frozen=True, slots=True)
class PracticeServer:
    """A practice server that runs: where it listens, its key, and the limits it tells."""

    base_url: str
    key: str = field(repr=False)
    model: str
    limits: Limits


@dataclass(frozen=True, slots=True)
class PracticeLine:
    """One manner: ``preset`` is its word in the store."""

    name: str
    preset: str
    adapter: str
    unit: PriceUnit
    callbacks: bool = False
    params: Mapping[str, Any] = field(default_factory=dict)

    def connection(self, server: PracticeServer, connection_id: int) -> Connection:
        """The connection to a server that runs; ``connection_id`` 0 for a new one."""
        return Connection(
            name=self.name,
            adapter=self.adapter,
            base_url=server.base_url,
            model=server.model,
            id=connection_id,
            preset=self.preset,
            callbacks=self.callbacks,
            limits=server.limits,
            price=Price(Decimal(0), self.unit, "USD"),
            proxy="none",
            params=self.params,
        )


_SHOWN = {"stream": True}
"""There is nothing to pay for being shown how an answer comes."""

PICTURES = PracticeLine(PRACTICE_NAME, "practice", "openai-images", PriceUnit.IMAGE, params=_SHOWN)
JOBS = PracticeLine(
    PRACTICE_JOBS_NAME, "practice-jobs", "http-job", PriceUnit.IMAGE, callbacks=True
)
TEXTS = PracticeLine(
    PRACTICE_TEXTS_NAME, "practice-texts", "openai-chat", PriceUnit.CALL, params=_SHOWN
)
LINES: Mapping[str, PracticeLine] = {line.preset: line for line in (PICTURES, JOBS, TEXTS)}
"""All of them, by preset."""
