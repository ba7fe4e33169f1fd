"""The job shape of the practice API: taken now, made later, asked for or called about."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections import Counter
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from starlette.responses import JSONResponse, Response

from desktop_app.practice import answers
from desktop_app.practice.answer_words import error_to
from desktop_app.practice.calling import call, signed
from desktop_app.practice.flow import Closing
from desktop_app.practice.ledger import Visit
from desktop_app.practice.orders import CallbackWish
from desktop_app.practice.run import Order, Run
from desktop_app.practice.trouble import QUICK, latency

POLLS_FAILED = 3
"""Answers with 500 that a ``poll-500`` gets."""

CALLS_MAX = 3
"""Times that a call is tried whose answer is no 2xx."""


@dataclass(slots=True)
class Job:
    """``output`` are addresses; ``asked`` counts questions since its end; ``known`` False: the
    server has forgotten it."""

    id: str
    order: Order
    visit: Visit
    kind: str | None
    wish: CallbackWish | None
    status: str = "queued"
    output: list[str] = field(default_factory=list)
    error: dict[str, str] | None = None
    asked: int = 0
    known: bool = True
    work: asyncio.Task[None] | None = None

    @property
    def is_over(self) -> bool:
        """Whether it has ended, however."""
        return self.status not in ("queued", "running")

    def told(self) -> dict[str, Any]:
        """As submit, poll and callback tell it."""
        return {"id": self.id, "status": self.status, "output": self.output, "error": self.error}


class Jobs:
    """Belongs to one ``Run`` and its loop. A job holds its slot from submit to its end."""

    def __init__(self, run: Run, clock: Callable[[], float]) -> None:
        self._run = run
        self._clock = clock
        self._jobs: dict[str, Job] = {}
        self._by_key: dict[str, Job] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._calls: Counter[str] = Counter()

    def end(self) -> None:
        """Stop all work and all calls."""
        for task in list(self._tasks):
            task.cancel()

    def report(self) -> dict[str, Any]:
        """What became of jobs, and how calls were answered, for the ledger."""
        return {
            "made": len(self._jobs),
            "states": dict(sorted(Counter(job.status for job in self._jobs.values()).items())),
            "callbacks": dict(sorted(self._calls.items())),
        }

    async def submit(self, order: Order, wish: CallbackWish | None) -> Response:
        """Take a job, or give it the trouble that it is to have. Raises Closing."""
        run = self._run
        key = order.idempotency_key if run.config.idempotency else None
        known = self._by_key.get(key) if key is not None else None
        if known is not None:
            run.ledger.close(run.ledger.arrive(order.prompt), "replayed")
            return _json(known.told())
        entered = run.enter(order)
        if isinstance(entered, Response):
            return entered
        visit, kind = entered
        if kind in QUICK and kind != "empty":
            try:
                await run.rest(run.config.quick_s)
                run.ledger.close(visit, str(kind))
                return run.told(answers.trouble(str(kind), order.prompt))
            finally:
                self._leave(visit, "cut")
        job = Job(f"job_{secrets.token_hex(8)}", order, visit, kind, wish)
        self._jobs[job.id] = job
        if key is not None:
            self._by_key[key] = job
        job.work = self._begin(self._make(job))
        job.work.add_done_callback(lambda _: self._over(job))
        return await self._answer(job)

    def state(self, job_id: str) -> Response:
        """What a poll is told."""
        job = self._jobs.get(job_id)
        if job is None or not job.known:
            return answers.error("job_not_found")
        if job.is_over:
            job.asked += 1
            if job.kind == "poll-500" and job.asked <= POLLS_FAILED:
                return answers.trouble("500", job.order.prompt)
        return _json(job.told())

    def cancel(self, job_id: str) -> Response:
        """Stop it, where it is not over: then nothing is charged."""
        job = self._jobs.get(job_id)
        if job is None or not job.known:
            return answers.error("job_not_found")
        if job.is_over or job.work is None:
            return answers.error("job_over")
        job.status = "cancelled"
        job.work.cancel()
        return _json(job.told())

    async def _answer(self, job: Job) -> Response:
        run, kind = self._run, job.kind
        whole = json.dumps(job.told()).encode()
        if kind == "hang":
            await run.hang(job.order)
            return answers.Cut()
        if kind == "callback-early" and job.work is not None:
            await run.unless_closing(asyncio.wait({job.work}))
            if job.wish is not None:
                await run.unless_closing(self._call(job.wish, _body(job)))
        else:
            await run.rest(run.config.quick_s)
        if kind == "drop":
            return answers.Cut()
        if kind == "504":
            return run.told(answers.trouble(kind, job.order.prompt))
        if kind == "truncated":
            return answers.Cut(whole[: len(whole) // 2], len(whole))
        if kind == "badjson":
            return run.good(whole[: len(whole) // 2])
        return run.good(whole)

    async def _make(self, job: Job) -> None:
        run, order, config = self._run, job.order, self._run.config
        job.status = "running"
        began = self._clock()
        attempt = job.visit.attempt
        seconds = latency(order.prompt, attempt, config.mean_s, config.sigma, config.seed)
        if job.kind == "slow":
            seconds *= config.slow_factor
        try:
            body = await run.unless_closing(order.make(job.kind == "badimage"))
            await run.rest(seconds - (self._clock() - began) / config.time_scale)
        except Closing:
            return
        if job.kind == "job-failed":
            job.status = "failed"
            said = error_to(job.order.prompt, "model_error") or "The model stopped with an error."
            job.error = {"code": "model_error", "message": said}
            return
        job.status = "succeeded"
        if job.kind != "empty":
            run.ledger.bill(job.visit)
            job.output = [one["url"] for one in json.loads(body)["data"]]
        job.known = job.kind != "job-lost"

    def _over(self, job: Job) -> None:
        if job.status == "cancelled":
            self._leave(job.visit, "cancelled")
        elif job.is_over:
            self._leave(job.visit, job.kind or "ok")
            if job.wish is not None and job.known:
                self._begin(self._call_as_it_should(job, job.wish))
        else:
            self._leave(job.visit, "cut")

    def _leave(self, visit: Visit, outcome: str) -> None:
        self._run.gate.leave()
        self._run.ledger.close(visit, outcome)

    # --- calls -------------------------------------------------------------------------------

    async def _call_as_it_should(self, job: Job, wish: CallbackWish) -> None:
        kind, config = job.kind, self._run.config
        if kind == "callback-lost":
            self._calls["lost"] += 1
            return
        if kind == "callback-early":
            return  # it is made before the submit is answered
        if kind == "callback-late":
            await asyncio.sleep(config.callback_late_s * config.time_scale)
        body = _body(job)
        headers = await self._call(wish, body)
        if kind == "callback-doubled":
            await self._call(wish, body, headers)
            await self._call(wish, body)

    async def _call(
        self, wish: CallbackWish, body: bytes, headers: dict[str, str] | None = None
    ) -> dict[str, str]:
        """The headers of the call, so that it can be made once more as it was."""
        sent = headers or signed(wish, body)
        for _ in range(CALLS_MAX):
            status = await call(wish.url, body, sent)
            self._calls[str(status or "unanswered")] += 1
            if status is not None and 200 <= status < 300:
                break
            await asyncio.sleep(self._run.config.time_scale)
        return sent

    def _begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _body(job: Job) -> bytes:
    return json.dumps(job.told()).encode()


def _json(told: dict[str, Any]) -> Response:
    return JSONResponse(told)
