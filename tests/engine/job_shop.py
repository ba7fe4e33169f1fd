"""A provider that works on jobs: one shop behind every adapter that was opened on it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import FailureClass
from desktop_app.domain.jobs import (
    Arrival,
    Asked,
    Job,
    JobCancelled,
    JobDone,
    JobRunning,
    JobState,
)
from desktop_app.domain.ports import Answer, Call, CallbackRule, Capabilities, RawAnswer
from desktop_app.domain.task import Request
from tests.engine.fakes import PICTURE, Opened, Provider, failure
from tests.engine.house import House

TAKES_S = 20.0


@dataclass
class Made:
    """A job as the shop sees it. ``takes_s`` counts from ``at``."""

    id: str
    key: str
    at: float
    takes_s: float
    cancelled: bool = False


class Shop(Provider):
    """Takes jobs. ``on_submit``, ``on_poll`` and ``on_collect`` run first, and may raise or answer
    instead: ``on_poll`` is handed the job and how often it was asked for."""

    def __init__(self, takes_s: float = TAKES_S, **capabilities: Any) -> None:
        declared = {"jobs": True, "cancel": True, "typical_job_s": takes_s, **capabilities}
        super().__init__(self._take, Capabilities("picture", 60.0, **declared))
        self.takes_s = takes_s
        self.made: dict[str, Made] = {}
        self.polls: list[tuple[float, tuple[str, ...]]] = []
        self.contexts: list[Mapping[str, Any]] = []
        self.collects: list[float] = []
        self.cancels: list[str] = []
        self.asked: list[str] = []
        self.on_submit: Callable[[Made, int], Awaitable[None]] = _nothing
        self.on_poll: Callable[[Made, int], JobState | None] = lambda _made, _nth: None
        self.on_collect: Callable[[int], Answer | None] = lambda _nth: None
        self.on_ask: Callable[[int], Asked | None] = lambda _nth: None
        self.calls_back = False
        self.told: list[tuple[str | None, str | None]] = []
        self.rule = CallbackRule("none")
        self.signs_with: Callable[[], Awaitable[str | None]] = _nobody
        self.asked_with: str | None = None

    def open(self, connection: Connection, secret: str | None) -> JobOpened:
        self.secrets.append(secret)
        return JobOpened(self, secret)

    async def _take(self, call: Call, nth: int) -> Job:
        at = asyncio.get_running_loop().time()
        made = Made(f"job-{len(self.calls)}", call.idempotency_key, at, self.takes_s)
        self.made[made.id] = made
        await asyncio.sleep(0.2)
        await self.on_submit(made, nth)
        call.whole(RawAnswer(200, {}, made.id.encode(), 0.2))
        self.told.append((call.callback_url, call.callback_secret))
        calls_back = self.calls_back or call.callback_url is not None
        return Job(made.id, {"url": f"https://jobs/{made.id}"}, calls_back=calls_back)

    def asked_for(self, job_id: str) -> list[float]:
        """When this job was polled."""
        return [at for at, ids in self.polls if job_id in ids]


class JobOpened(Opened):
    """An adapter of the shop, with one key."""

    def __init__(self, shop: Shop, secret: str | None) -> None:
        super().__init__(shop)
        self._shop = shop
        self.secret = secret

    @property
    def callback_rule(self) -> CallbackRule:
        return self._shop.rule

    def job_called(self, body: Any) -> str | None:
        return body.get("id") if isinstance(body, dict) else None

    async def callback_secret(self) -> str | None:
        return await self._shop.signs_with()

    async def reread(self, request: Request, raw: RawAnswer) -> Job:
        return Job(raw.body.decode())

    async def poll(self, jobs: Sequence[Job]) -> Mapping[str, JobState]:
        shop = self._shop
        assert 0 < len(jobs) <= shop.caps.polls_many
        shop.polls.append((asyncio.get_running_loop().time(), tuple(job.id for job in jobs)))
        shop.contexts.extend(job.context for job in jobs)
        shop.asked_with = self.secret
        await asyncio.sleep(0.1)
        return {job.id: self._state(shop.made[job.id]) for job in jobs}

    def _state(self, made: Made) -> JobState:
        special = self._shop.on_poll(made, len(self._shop.asked_for(made.id)))
        if special is not None:
            return special
        if made.cancelled:
            return JobCancelled(billed=False)
        if asyncio.get_running_loop().time() < made.at + made.takes_s:
            return JobRunning()
        return JobDone({"result": made.id})

    async def collect(self, job: Job, done: JobDone) -> Answer:
        shop = self._shop
        assert done.context["result"] == job.id
        shop.collects.append(asyncio.get_running_loop().time())
        await asyncio.sleep(0.1)
        return shop.on_collect(len(shop.collects)) or Answer((PICTURE,))

    async def cancel(self, job: Job) -> None:
        shop = self._shop
        shop.cancels.append(job.id)
        made = shop.made[job.id]
        if asyncio.get_running_loop().time() < made.at + made.takes_s:
            made.cancelled = True

    async def ask(self, idempotency_key: str) -> Asked:
        shop = self._shop
        shop.asked.append(idempotency_key)
        await asyncio.sleep(0.1)
        special = shop.on_ask(len(shop.asked))
        if special is not None:
            return special
        for made in shop.made.values():
            if made.key == idempotency_key:
                return Asked(Arrival.ARRIVED, Job(made.id, {"url": f"https://jobs/{made.id}"}))
        return Asked(Arrival.NOT_ARRIVED)


def job_house(shop: Shop, rows: int = 1, concurrency: int = 1, **connection: Any) -> House:
    """A house whose one connection is to the shop."""
    house = House(shop.script, provider=shop)
    house.connect(concurrency, **connection)
    house.store.add_batch(rows)
    return house


async def loses(_made: Made, _nth: int) -> None:
    """The job is taken, and the answer to its submit is lost."""
    await asyncio.sleep(5)
    raise failure(FailureClass.UNKNOWN, "dropped")


async def _nobody() -> str | None:
    return None


async def _nothing(_made: Made, _nth: int) -> None:
    return None
