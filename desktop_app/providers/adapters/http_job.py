"""Any provider that takes jobs, or answers at once, in a way that a file can describe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from desktop_app.domain.connection import Connection
from desktop_app.domain.jobs import Job, JobDone, JobState
from desktop_app.domain.ports import (
    Adapter,
    Answer,
    Call,
    CallbackRule,
    Capabilities,
    RawAnswer,
    TestReport,
)
from desktop_app.domain.task import Request
from desktop_app.providers.entry import AdapterEntry, FiledEntry
from desktop_app.providers.http.client import HttpClient
from desktop_app.providers.job_file.described import DescribedJob
from desktop_app.providers.job_file.faulty import FaultyJob
from desktop_app.providers.job_file.reading import Loaded
from desktop_app.providers.job_file.shelf import JobFiles

CAPABILITIES = Capabilities(makes="picture", default_timeout_s=60.0, jobs=True, cancel=True)
"""Of any file; what a connection's own says counts."""


class HttpJob:
    """Does as its file says when it is asked: a mistake that is mended counts at once, without a
    new start."""

    def __init__(
        self, files: JobFiles, connection: Connection, secret: str | None, http: HttpClient
    ) -> None:
        def make(loaded: Loaded | None) -> DescribedJob | FaultyJob:
            if loaded is None or loaded.job is None:
                return FaultyJob(CAPABILITIES, connection, loaded, files.own)
            return DescribedJob(loaded.job, connection, secret, http)

        self._files = files
        self._preset = connection.preset
        self._make = make  # so that the key stands in no field
        self._http = http
        self._loaded: Loaded | None = None
        self._made: DescribedJob | FaultyJob | None = None
        self.capabilities = self._now.capabilities

    @property
    def _now(self) -> DescribedJob | FaultyJob:
        loaded = self._files.of(self._preset)
        if self._made is None or loaded is not self._loaded:
            self._loaded, self._made = loaded, self._make(loaded)
            self.capabilities = self._made.capabilities
        return self._made

    def body_preview(self, request: Request) -> Mapping[str, Any]:
        """The JSON that ``submit`` sends for this request, with names in place of pictures."""
        return self._now.body_preview(request)

    async def submit(self, call: Call) -> Answer | Job:
        """Hand the work in. Raises ProviderFailure for everything but a job, or results in hand."""
        return await self._now.submit(call)

    async def reread(self, request: Request, raw: RawAnswer) -> Answer | Job:
        """See ``RereadingAdapter``."""
        return await self._now.reread(request, raw)

    async def poll(self, jobs: Sequence[Job]) -> Mapping[str, JobState]:
        """See ``JobAdapter``."""
        return await self._now.poll(jobs)

    async def collect(self, job: Job, done: JobDone) -> Answer:
        """See ``JobAdapter``."""
        return await self._now.collect(job, done)

    async def cancel(self, job: Job) -> None:
        """See ``JobAdapter``."""
        await self._now.cancel(job)

    @property
    def callback_rule(self) -> CallbackRule:
        """See ``CallbackAdapter``."""
        return self._now.callback_rule

    def job_called(self, body: Any) -> str | None:
        """See ``CallbackAdapter``."""
        return self._now.job_called(body)

    async def callback_secret(self) -> str | None:
        """See ``CallbackAdapter``."""
        return await self._now.callback_secret()

    async def test(self) -> TestReport:
        """Everything that is wrong with the file; else the cheapest call that it names."""
        return await self._now.test()

    async def close(self) -> None:
        """Close the line."""
        await self._http.close()


def _bind(files: JobFiles) -> AdapterEntry:
    def of(connection: Connection) -> Capabilities:
        loaded = files.of(connection.preset)
        return CAPABILITIES if loaded is None or loaded.job is None else loaded.job.capabilities

    def opened(connection: Connection, secret: str | None, http: HttpClient) -> Adapter:
        return HttpJob(files, connection, secret, http)

    return AdapterEntry(CAPABILITIES, opened, of=of)


ADAPTER = FiledEntry(_bind)
