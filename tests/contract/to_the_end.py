"""Follows a job where another adapter has its answer at once, so that both are asked the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from desktop_app.domain.errors import Failure, FailureClass, ProviderFailure
from desktop_app.domain.jobs import Job, JobDone, JobFailed
from desktop_app.domain.ports import (
    Adapter,
    Answer,
    Call,
    JobAdapter,
    RawAnswer,
    RereadingAdapter,
    TestReport,
)
from desktop_app.domain.task import Request
from desktop_app.domain.text import message


class ToTheEnd:
    """An adapter whose jobs have ended when they are asked for the first time."""

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = cast("JobAdapter", adapter)
        self.capabilities = adapter.capabilities

    async def submit(self, call: Call) -> Answer:
        return await self._end(await self._adapter.submit(call))

    async def reread(self, request: Request, raw: RawAnswer) -> Answer:
        return await self._end(await cast("RereadingAdapter", self._adapter).reread(request, raw))

    async def _end(self, found: Answer | Job) -> Answer:
        if isinstance(found, Answer):
            return found
        state = (await self._adapter.poll([found]))[found.id]
        if isinstance(state, JobDone):
            return await self._adapter.collect(found, state)
        if isinstance(state, JobFailed):
            raise ProviderFailure(state.failure)
        said = message("engine.job_lost")
        raise ProviderFailure(Failure(FailureClass.UNKNOWN, type(state).__name__, said))

    async def test(self) -> TestReport:
        return await self._adapter.test()

    def body_preview(self, request: Request) -> Mapping[str, Any]:
        return self._adapter.body_preview(request)

    async def close(self) -> None:
        await self._adapter.close()
