"""What the program knows of the shop's adapters."""

from __future__ import annotations

from collections.abc import Callable

from desktop_app.domain.connection import Connection
from desktop_app.domain.ports import Capabilities, Preset
from desktop_app.domain.text import OperatorError, message
from tests.model.jobs import JobAdapter
from tests.model.life import Life
from tests.model.shop import JOB_DEADLINE_S, JOB_S, TIMEOUT_S, Shop


class Adapters:
    """The registry of one life of the program."""

    def __init__(self, shop: Shop, life: Life, noted: Callable[[], int]) -> None:
        self.shop = shop
        self.life = life
        self.noted = noted
        self.capabilities_ = Capabilities(
            "picture",
            TIMEOUT_S,
            idempotent_s=shop.idempotent_s,
            jobs=shop.jobs,
            cancel=shop.jobs,
            several_results=shop.several > 1,
            calls_back=bool(shop.calls),
            callback_secret_entered=shop.calls == "entered",
            askable=shop.askable,
            polls_many=2,
            typical_job_s=JOB_S,
            job_deadline_s=JOB_DEADLINE_S,
        )

    def names(self) -> tuple[str, ...]:
        return ("fake",)

    def presets(self) -> tuple[Preset, ...]:
        return ()

    def prepared(self, connection: Connection) -> Connection:
        return connection

    def capabilities(self, adapter: str, connection: Connection | None = None) -> Capabilities:
        if adapter not in self.names():
            raise OperatorError(message("engine.connection_unusable"))
        return self.capabilities_

    def open(self, connection: Connection, secret: str | None) -> JobAdapter:
        return JobAdapter(self, connection, secret)
