"""What the house asks of a provider: an adapter, found by its name in a registry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from desktop_app.domain.connection import Connection
from desktop_app.domain.jobs import Asked, Job, JobDone, JobState
from desktop_app.domain.ports.answers import Answer, RawAnswer
from desktop_app.domain.ports.calls import Call
from desktop_app.domain.ports.capabilities import Capabilities
from desktop_app.domain.task import Request
from desktop_app.domain.text import Message


@dataclass(frozen=True, slots=True)
class TestReport:
    """What the cheapest call found. ``said`` are sentences in order; ``ok`` is the verdict."""

    ok: bool
    said: tuple[Message, ...]
    latency_s: float | None = None
    models: tuple[str, ...] = ()


class Adapter(Protocol):
    """One provider's wire language. Raises ProviderFailure for everything but success."""

    capabilities: Capabilities

    async def submit(self, call: Call) -> Answer | Job: ...
    async def test(self) -> TestReport: ...
    def body_preview(self, request: Request) -> Mapping[str, Any]: ...
    async def close(self) -> None: ...


class JobAdapter(Adapter, Protocol):
    """An adapter whose ``capabilities.jobs`` is True. Every method raises ProviderFailure for a
    call that came to nothing, and has a time limit of its own."""

    async def poll(self, jobs: Sequence[Job]) -> Mapping[str, JobState]:
        """The state of each of at most ``capabilities.polls_many`` jobs, by id; one left out is
        asked for again. A ProviderFailure is the poll's, never the job's."""
        ...

    async def collect(self, job: Job, done: JobDone) -> Answer:
        """Download the result; this buys nothing. After a failure it is called again, with a
        fresh ``done`` where the failure's code is RESULT_EXPIRED, and downloads again what failed
        alone (``done.kept``)."""
        ...

    async def cancel(self, job: Job) -> None:
        """Ask the provider to stop, where ``capabilities.cancel``. What became of the job is the
        next poll's word."""
        ...


@runtime_checkable
class RereadingAdapter(Adapter, Protocol):
    """An adapter that understands an answer also when the program it came to is gone."""

    async def reread(self, request: Request, raw: RawAnswer) -> Answer | Job:
        """What ``submit`` would have made of it. Raises ProviderFailure."""
        ...


class AskableAdapter(Adapter, Protocol):
    """An adapter whose ``capabilities.askable`` is True."""

    async def ask(self, idempotency_key: str) -> Asked:
        """Whether the request with this key arrived. Raises ProviderFailure where the question
        itself came to nothing."""
        ...


@dataclass(frozen=True, slots=True)
class Preset:
    """A known provider: fills the connection dialog. ``model_files``: its model is a file of such a
    name, as ``*.json``; ``model_hint``: what belongs there, in a few words; ``concurrency``: calls
    at once where nothing is stated, and None where as many are tried as the provider takes."""

    id: str
    label: str
    adapter: str
    base_url: str
    models: tuple[str, ...]
    console_url: str = ""
    needs_key: bool = True
    limits_unit: str = "rpm"
    price_unit: str = "image"
    currency: str = "USD"
    concurrency: int | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    model_files: str = ""
    model_hint: str = ""


class ProviderFiles(Protocol):
    """Files that describe a provider. Both methods block and raise OperatorError where the disk
    does not do it."""

    def check(self, path: Path) -> Sequence[Message]:
        """Everything that is wrong with a file, in the order of its lines."""
        ...

    def take_in(self, path: Path) -> str:
        """Copy it to the operator's own; the id of its preset."""
        ...


class Adapters(Protocol):
    """The registry of adapters, found by entry point.

    ``capabilities``: what an adapter can do on this connection; without one, what it can do at all.
    ``prepared``: the connection as it is stored, holding what its fields point to, so that a file
    that is moved or edited later changes nothing; may block. Raises OperatorError.
    """

    def names(self) -> tuple[str, ...]: ...
    def capabilities(self, adapter: str, connection: Connection | None = None) -> Capabilities: ...
    def prepared(self, connection: Connection) -> Connection: ...
    def presets(self) -> tuple[Preset, ...]: ...
    def open(self, connection: Connection, secret: str | None) -> Adapter: ...
