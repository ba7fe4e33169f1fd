"""The shop's jobs as an adapter asks for them: they run, end in many ways, and are followed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from desktop_app.domain.errors import Failure, FailureClass
from desktop_app.domain.jobs import (
    RESULT_EXPIRED,
    Arrival,
    Asked,
    Job,
    JobCancelled,
    JobDone,
    JobFailed,
    JobLost,
    JobRunning,
    JobState,
)
from desktop_app.domain.ports import Answer
from desktop_app.domain.ports.callbacks import CallbackRule
from tests.engine.fakes import failure
from tests.model.adapter import Adapter, picture
from tests.model.bells import RULES
from tests.model.shop import Made

VAGUE_POLLS = 3
CALL_S = 0.05


class JobAdapter(Adapter):
    """An open line to a shop that may work on jobs, and may be asked what has arrived."""

    async def poll(self, jobs: Sequence[Job]) -> Mapping[str, JobState]:
        self._shop.polling += 1
        try:
            await self._call()
        finally:
            self._shop.polling -= 1
        assert 0 < len(jobs) <= self.capabilities.polls_many
        if self._shop.polls_refused:
            raise self.refusal(self._shop.polls_refused.pop(0))
        made = [self._shop.made[job.id] for job in jobs]
        for each in made:
            each.polls += 1
            self._shop.on_polled(each)
        if any(each.fate == "vague" and each.polls == VAGUE_POLLS - 1 for each in made):
            raise failure(FailureClass.TRANSIENT, "http_502")
        return {each.id: self._state(each) for each in made}

    def _state(self, made: Made) -> JobState:
        if made.fate == "vague" and made.polls <= VAGUE_POLLS:
            return JobLost()  # not yet
        if not made.ended and asyncio.get_running_loop().time() < made.ends_at:
            return JobRunning()
        made.submission.in_the_air = False
        made.told = True
        match made.fate:
            case "job_fails":
                made.end(made.fate, billed=False)
                return JobFailed(_failure(FailureClass.TRANSIENT, "job_failed"))
            case "job_refused":
                made.end(made.fate, billed=False)
                return JobFailed(_failure(FailureClass.REFUSED, "moderated"))
            case "job_lost":
                made.end(made.fate, billed=True)
                return JobLost()
            case "console":
                made.end(made.fate, billed=True)
                return JobCancelled()
            case "cancelled":
                return JobCancelled(billed=False)
        made.end(made.fate, billed=True)
        return JobDone({"of": made.id})

    async def collect(self, job: Job, done: JobDone) -> Answer:
        await self._call()
        made = self._shop.made[job.id]
        assert done.context == {"of": made.id}
        made.collects += 1
        if made.fate == "expired" and made.collects == 1:
            raise failure(FailureClass.INVALID, RESULT_EXPIRED)
        if asyncio.get_running_loop().time() > made.ends_at + self._shop.keeps_s:
            made.fate = "gone"
            raise failure(FailureClass.UNKNOWN, RESULT_EXPIRED)
        if made.fate == "uncollected":
            raise failure(FailureClass.TRANSIENT, "http_500")
        answer = picture(made.fate, self._shop.several)
        lacks = made.fate == "one_gone" or (made.fate == "in_turn" and made.collects == 1)
        if lacks and len(answer.contents) > 1:
            missing = _failure(FailureClass.UNKNOWN, "download_failed")
            return replace(answer, contents=answer.contents[1:], missing=missing)
        return answer

    async def cancel(self, job: Job) -> None:
        await self._call()
        made = self._shop.made[job.id]
        if not made.ended and asyncio.get_running_loop().time() < made.ends_at:
            made.end("cancelled", billed=False)
            self._shop.on_cancelled(made, asyncio.get_running_loop().time())

    async def ask(self, idempotency_key: str) -> Asked:
        await self._call()
        if self._shop.asks_refused:
            self._shop.asks_refused -= 1
            for submission in self._shop.sent:
                submission.asked_in_vain |= submission.key == idempotency_key
            raise failure(FailureClass.TRANSIENT, "http_500")
        calls = [s for s in self._shop.sent if s.key == idempotency_key]
        jobs = [s.job for s in calls if s.job is not None]
        if jobs:
            return Asked(Arrival.ARRIVED, Job(jobs[-1].id, {"of": jobs[-1].id}))
        arrived = any(s.billed for s in calls)
        return Asked(Arrival.ARRIVED if arrived else Arrival.NOT_ARRIVED)

    # --- calls -----------------------------------------------------------------------------------

    @property
    def callback_rule(self) -> CallbackRule:
        return RULES[self._shop.calls]

    def job_called(self, body: Any) -> str | None:
        job_id: str | None = body.get("id")
        return job_id

    async def callback_secret(self) -> str | None:
        await self._call()
        if self._shop.secrets_refused:
            self._shop.secrets_refused -= 1
            raise failure(FailureClass.TRANSIENT, "http_500")
        return self._shop.signing_secret if self._shop.calls == "learned" else None

    async def _call(self) -> None:
        await asyncio.sleep(CALL_S)
        if self._life.dead:
            raise asyncio.CancelledError


def _failure(kind: FailureClass, code: str) -> Failure:
    return failure(kind, code).failure
