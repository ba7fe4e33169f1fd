"""What the house asks of a provider: an adapter, what it can do, one call and its answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from desktop_app.domain.connection import Connection
from desktop_app.domain.jobs import Asked, Job, JobDone, JobState
from desktop_app.domain.money import PriceUnit
from desktop_app.domain.references import is_reference
from desktop_app.domain.task import Request
from desktop_app.domain.text import Message


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter an adapter understands: its name, type and the values a form may offer.
    ``hidden``: another name of one that the form offers already. ``models``: a pattern of the names
    of models that take it; where several of one name fit a model, the first does."""

    name: str
    kind: str  # "text", "int", "float", "choice", "bool", "json", "reference"
    choices: tuple[str, ...] = ()
    label: str = ""
    hidden: bool = False
    models: str = ""


@dataclass(frozen=True, slots=True)
class ReferenceRule:
    """Which reference pictures models take whose name holds the pattern ``models``: at most
    ``most`` a request (0: none), each of one of ``mimes`` and at most ``max_bytes`` large;
    ``square``: as wide as it is high. ``urls``: the provider fetches an address itself; where it
    doesn't, the adapter does before the call."""

    most: int
    mimes: tuple[str, ...] = ()
    max_bytes: int = 0
    square: bool = False
    urls: bool = False
    models: str = ""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What an adapter can do; the engine decides from this, never from the adapter's name.

    ``idempotent_s``: how long the provider honours an idempotency key, None where it doesn't.
    ``makes``: ``picture`` or ``text``. ``default_timeout_s``: the hard read deadline, which for a
    job ends with its ``submit``.

    ``several_results``: parameter ``n`` asks for that many results of one call, so that fewer are
    told as a result in part.

    ``stream``: answers may be heard while they come, see ``Call.peek``.

    ``references``: the first rule that fits a model says which reference pictures it takes.

    ``jobs``: ``submit`` may return a Job, and the adapter is a JobAdapter; ``cancel``: a job can
    be cancelled; ``calls_back``: it is a CallbackAdapter; ``askable``: it is an AskableAdapter. Of
    jobs: ``polls_many`` of them fit in one ``poll``; one usually takes ``typical_job_s``; where the
    provider calls back, it is polled after ``poll_after_s`` all the same; ``job_deadline_s`` after
    its start nobody waits any longer. ``callback_secret_entered``: a person enters with what it
    signs its calls, as they enter a key.

    ``price_units``: for what a price can be counted, since an answer tells how much there was.

    ``tells_limits``: the headers of an answer tell the account's limits, see ``RateNews``.
    """

    makes: str
    default_timeout_s: float
    idempotent_s: float | None = None
    askable: bool = False
    cancel: bool = False
    jobs: bool = False
    calls_back: bool = False
    params: tuple[Param, ...] = ()
    polls_many: int = 1
    typical_job_s: float = 30.0
    poll_after_s: float = 180.0
    job_deadline_s: float = 86_400.0
    several_results: bool = False
    stream: bool = False
    references: tuple[ReferenceRule, ...] = ()
    callback_secret_entered: bool = False
    price_units: tuple[PriceUnit, ...] = tuple(PriceUnit)
    tells_limits: bool = False

    def of(self, model: str) -> Capabilities:
        """What this model can do: with the one rule for reference pictures that is its own, or
        with none, with the parameters that it takes, and no more of them for pictures than it
        takes pictures."""
        fitting = (r for r in self.references if re.search(r.models, model, re.IGNORECASE))
        rule = next(fitting, ReferenceRule(0))
        shown = [param.name for param in self.params if is_reference(param.name)]
        gone = set(shown[rule.most :])
        taken: dict[str, Param] = {}
        for param in self.params:
            if param.name not in gone and re.search(param.models, model, re.IGNORECASE):
                taken.setdefault(param.name, param)
        params = tuple(taken.values())
        return replace(
            self,
            references=(rule,) if rule.most else (),
            params=self.params if params == self.params else params,
        )


@dataclass(frozen=True, slots=True)
class Content:
    """A result as it came: raw bytes, already base64-decoded; ``mime`` as claimed or sniffed."""

    data: bytes
    mime: str
    text: str | None = None


@dataclass(frozen=True, slots=True)
class RateNews:
    """What an answer's headers said about limits; None where they said nothing."""

    limit_requests: float | None = None
    remaining_requests: float | None = None
    reset_requests_s: float | None = None
    window_s: float | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A positive answer: at least one Content that is not empty.

    ``usage`` holds the provider's own figures (``total_tokens`` ...); ``flags`` e.g. ``length``.
    """

    contents: tuple[Content, ...]
    http_status: int = 200
    request_id: str | None = None
    usage: Mapping[str, Any] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    news: RateNews = field(default_factory=RateNews)
    billed_images: int = 1
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class RawAnswer:
    """A whole answer as it came, good or bad, before anybody looked at it; free of the key.
    Header names are lower case; ``elapsed_s`` counts from the moment the request began to leave."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    elapsed_s: float


@dataclass(frozen=True, slots=True)
class UnfinishedPicture:
    """``no`` counts those of one answer. ``read`` decodes its bytes, which takes so long that it is
    called in another thread; it raises ValueError for what is none."""

    no: int
    read: Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class Preview:
    """What has come of an answer so far. Nothing of it is a result yet: it is shown and never
    kept. ``thinking`` is what the model says to itself before it answers; ``progress`` how far it
    is, in the provider's words."""

    text: str = ""
    thinking: str = ""
    progress: str = ""
    picture: UnfinishedPicture | None = None


@dataclass(slots=True)
class Call:
    """One attempt on its way through an adapter.

    ``on_begin`` is called synchronously at the very moment the first byte of the request is about
    to leave (after connect and TLS); from then on the request has begun. ``begun`` tells so.

    ``peek`` says what has come so far, where the adapter hears its answer come and has set it. It
    is asked only while somebody looks, and then some times a second, so that a word that comes
    costs nothing here.

    ``callback_url``: where the provider may say that a job has ended; an adapter that passes it on
    returns a Job with ``calls_back``. ``callback_secret``: with what such a call is to be signed,
    where the provider takes one for each.
    """

    request: Request
    idempotency_key: str
    timeout_s: float
    on_begin: Callable[[], None] = lambda: None
    begun: bool = False
    on_receive: Callable[[], None] = lambda: None
    on_whole: Callable[[RawAnswer], None] = lambda _: None
    peek: Callable[[], Preview] | None = None
    callback_url: str | None = None
    callback_secret: str | None = field(default=None, repr=False)

    def begin(self) -> None:
        """Mark the request as begun, once."""
        if not self.begun:
            self.begun = True
            self.on_begin()

    def whole(self, raw: RawAnswer) -> None:
        """The last byte of the answer is in: it is put where a crash cannot take it."""
        self.on_whole(raw)

    def received(self) -> None:
        """A whole answer is in and is decoded next: if that kills the program, this row did it."""
        self.on_receive()


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
        fresh ``done`` where the failure's code is RESULT_EXPIRED."""
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
    name, as ``*.json``."""

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
    concurrency: int = 4
    params: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    model_files: str = ""


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
