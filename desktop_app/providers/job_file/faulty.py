"""Stands in for a provider whose file is faulty or gone: it sends nothing, and says why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import ProviderFailure
from desktop_app.domain.jobs import Job, JobDone, JobState
from desktop_app.domain.ports import Answer, Call, CallbackRule, Capabilities, RawAnswer, TestReport
from desktop_app.domain.task import Request
from desktop_app.domain.text import Message, message
from desktop_app.providers.job_file.reading import Loaded
from desktop_app.providers.transport_errors import setup_failure


class FaultyJob:
    """Jobs that run meanwhile wait for the file: nothing is said of them."""

    def __init__(
        self,
        capabilities: Capabilities,
        connection: Connection,
        loaded: Loaded | None,
        folder: str,
    ) -> None:
        self.capabilities = capabilities
        file = f"{connection.preset or connection.name}.toml"
        gone = (message("job_files.none", file=file, folder=folder),)
        self._wrong: Sequence[Message] = gone if loaded is None else loaded.wrong

    def _refusal(self) -> ProviderFailure:
        first = self._wrong[0]
        if first.code == "job_files.none":
            return ProviderFailure(setup_failure("no_job_file", first))
        said = message("job_files.faulty", n=len(self._wrong), first=first)
        return ProviderFailure(setup_failure("bad_job_file", said))

    def body_preview(self, request: Request) -> Mapping[str, Any]:
        """Nothing can be shown."""
        return {"prompt": request.prompt}

    async def submit(self, call: Call) -> Answer | Job:  # noqa: ARG002 - nothing is sent
        """Raises ProviderFailure ``account``."""
        raise self._refusal()

    async def reread(self, request: Request, raw: RawAnswer) -> Answer | Job:  # noqa: ARG002
        """Raises ProviderFailure ``account``."""
        raise self._refusal()

    async def poll(self, jobs: Sequence[Job]) -> Mapping[str, JobState]:  # noqa: ARG002
        """Raises ProviderFailure ``account``."""
        raise self._refusal()

    async def collect(self, job: Job, done: JobDone) -> Answer:  # noqa: ARG002
        """Raises ProviderFailure ``account``."""
        raise self._refusal()

    async def cancel(self, job: Job) -> None:  # noqa: ARG002
        """Raises ProviderFailure ``account``."""
        raise self._refusal()

    @property
    def callback_rule(self) -> CallbackRule:
        """None is expected."""
        return CallbackRule("none")

    def job_called(self, body: Any) -> str | None:  # noqa: ARG002
        """Nobody can tell."""
        return None

    async def callback_secret(self) -> str | None:
        """Raises ProviderFailure ``account``."""
        raise self._refusal()

    async def test(self) -> TestReport:
        """Every mistake, in the order of the lines."""
        return TestReport(False, tuple(self._wrong))
