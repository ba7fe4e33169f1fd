"""Pictures by a workflow on a ComfyUI server: often the operator's own machine, where a call costs
nothing but time, and where our own id for it tells whether it arrived."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from desktop_app.domain.attempt import PARTIAL
from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import Failure, FailureClass, ProviderFailure
from desktop_app.domain.jobs import (
    Arrival,
    Asked,
    Job,
    JobDone,
    JobFailed,
    JobRunning,
    JobState,
)
from desktop_app.domain.ports import Answer, Call, Content, RawAnswer, TestReport
from desktop_app.domain.references import references_of
from desktop_app.domain.task import Request
from desktop_app.domain.text import OperatorError, message
from desktop_app.providers.comfy.check import lacking, readable
from desktop_app.providers.comfy.errors import node_errors, read_error
from desktop_app.providers.comfy.following import Following
from desktop_app.providers.comfy.order import order_of, outputs_of
from desktop_app.providers.comfy.progress import Progress
from desktop_app.providers.comfy.server import ComfyServer
from desktop_app.providers.comfy.setup import CAPABILITIES, capabilities_of, prepared
from desktop_app.providers.comfy.workflow import BadWorkflow
from desktop_app.providers.entry import AdapterEntry
from desktop_app.providers.gathering import gathered
from desktop_app.providers.http.client import HttpClient, Wire
from desktop_app.providers.manner import BEARER, Manner
from desktop_app.providers.pictures import picture_mime
from desktop_app.providers.probe import closing, no_endpoint, unreached, works
from desktop_app.providers.profiles.comfyui import COMFYUI
from desktop_app.providers.sentences import sentence
from desktop_app.providers.transport_errors import setup_failure
from desktop_app.providers.vendor_line import VendorLine

_NAMESPACE = uuid.UUID("6f1b0f5e-3f0c-4f0e-9a57-1d0a4b7f5c21")
_SEED_BITS = 2**32 - 1  # what every node's seed has room for
_LEFT_OUT = "left_out"
_LEFT_OUT_CHARS = 1000


class ComfyUI:
    """Speaks ``/prompt``, ``/queue`` and ``/history``."""

    capabilities = CAPABILITIES

    def __init__(self, connection: Connection, secret: str | None, http: HttpClient) -> None:
        self._connection = connection
        self._line = VendorLine(
            connection, secret, http, _manner(connection), profile=COMFYUI, read=read_error
        )
        self._server = ComfyServer(self._line)
        self._client_id = uuid.uuid4().hex
        self._progress = Progress(self._line, self._client_id)
        self._following = Following(
            self._server, self._line.site, http.clock, outputs_of(connection)
        )

    def body_preview(self, request: Request) -> Mapping[str, Any]:
        """The nodes as they are sent, with names in place of pictures and of fresh seeds. Raises
        OperatorError where the workflow can't be used."""
        try:
            names = [f"<{one.name}>" for one in references_of(request.params)]
            return {"prompt": order_of(self._connection, request).graph("<new>", names)}
        except BadWorkflow as bad:
            raise OperatorError(bad.said) from None

    async def submit(self, call: Call) -> Job:
        """Queue it under an id that follows from the key, so that it can be asked for. Raises
        ProviderFailure."""
        prompt_id = _prompt_id(call.idempotency_key)
        references = references_of(call.request.params)
        try:
            order = order_of(self._connection, call.request)
            names = await self._server.take_in(references, order.rule()) if references else []
            graph = order.graph(_seed(prompt_id), names)
        except BadWorkflow as bad:
            raise ProviderFailure(_unusable(bad)) from None
        titles = {node: order.workflow.title(node) for node in order.workflow.nodes}
        peek = self._progress.watch(prompt_id, titles)
        try:
            found, wire = await self._server.submit(call, graph, prompt_id, self._client_id)
            job = self._taken(found, wire)
        except BaseException:
            self._progress.drop(prompt_id)
            raise
        call.peek = peek
        return job

    async def reread(
        self,
        request: Request,  # noqa: ARG002 - the answer says it all
        raw: RawAnswer,
    ) -> Job:
        """See ``RereadingAdapter``."""
        return self._taken(*await self._line.reread(raw))

    def _taken(self, found: Mapping[str, Any], wire: Wire) -> Job:
        prompt_id = found.get("prompt_id")
        if not isinstance(prompt_id, str) or not prompt_id:
            raise self._line.wanting(wire, FailureClass.UNKNOWN, "unreadable")
        left_out = "; ".join(said for _, said in node_errors(found.get("node_errors")))
        return Job(prompt_id, {_LEFT_OUT: left_out[:_LEFT_OUT_CHARS]} if left_out else {})

    async def poll(self, jobs: Sequence[Job]) -> Mapping[str, JobState]:
        """See ``JobAdapter``."""
        states = await self._following.states(jobs)
        told = {job.id: self._explained(job, states[job.id]) for job in jobs if job.id in states}
        for job_id, state in told.items():
            if not isinstance(state, JobRunning):
                self._progress.drop(job_id)
        return told

    def _explained(self, job: Job, state: JobState) -> JobState:
        """Where the node that makes the picture was left out, that is the reason."""
        left_out = str(job.context.get(_LEFT_OUT) or "")
        if not left_out or not isinstance(state, JobFailed) or state.failure.code != "no_output":
            return state
        text = self._line.http.scrub.line(left_out)
        said = sentence("comfy_unfit", text, host=self._connection.host, status=200)
        return JobFailed(replace(state.failure, code=_LEFT_OUT, said=said, body=left_out))

    async def collect(self, job: Job, done: JobDone) -> Answer:
        """Copies of the pictures: the originals may be another row's, too. One that somebody
        removed there keeps none of the others."""
        files = done.context.get("files") or ()
        fetched = await gathered(files, self._picture, done.kept)
        contents = [one for one in fetched if isinstance(one, Content)]
        failed = [one for one in fetched if isinstance(one, ProviderFailure)]
        failed.sort(key=lambda one: one.failure.kind is FailureClass.UNKNOWN)
        if not contents:
            raise next(iter(failed), None) or self._no_picture(Wire(200, {}, b"", 0.0))
        is_part = len(contents) < len(files) or _LEFT_OUT in job.context
        return Answer(
            tuple(contents),
            request_id=job.id,
            usage=_seeds_used(done.context.get("seeds")),
            flags=(PARTIAL,) if is_part else (),
            billed_images=len(contents),
            missing=next((one.failure for one in failed if _may_come(one.failure)), None),
        )

    async def _picture(self, file: Mapping[str, Any]) -> Content:
        wire = await self._server.view(file)
        mime = picture_mime(wire.body)
        if mime is None:
            raise self._no_picture(wire)
        return Content(wire.body, mime)

    def _no_picture(self, wire: Wire) -> ProviderFailure:
        return self._line.wanting(wire, FailureClass.UNKNOWN, "not_a_picture")

    async def cancel(self, job: Job) -> None:
        """See ``JobAdapter``."""
        await self._following.stop(job.id)

    async def ask(self, idempotency_key: str) -> Asked:
        """See ``AskableAdapter``."""
        prompt_id = _prompt_id(idempotency_key)
        arrival = await self._following.arrival(prompt_id)
        return Asked(arrival, Job(prompt_id) if arrival is Arrival.ARRIVED else None)

    async def test(self) -> TestReport:
        """Whether the server is there and has what the workflow needs; starts nothing."""
        try:
            found, wire = await self._server.stats()
            if found is None:
                return TestReport(False, (no_endpoint(self._line, wire),), wire.elapsed_s)
            workflow, told = readable(self._connection.extra)
            missing = lacking(workflow, await self._server.nodes())
        except ProviderFailure as trouble:
            return TestReport(False, unreached(self._line, trouble.failure))
        except BadWorkflow as bad:
            return TestReport(False, (bad.said,))
        good = (works(self._line), message("comfyui.all_there"), *told)
        said = (*(missing or good), *closing(self._line, wire))
        return TestReport(not missing, said, wire.elapsed_s)

    async def close(self) -> None:
        """Close the line."""
        await self._progress.close()
        await self._line.close()


def _manner(connection: Connection) -> Manner:
    """A server has no keys of its own; what guards it may want one in a header of its choice."""
    header = connection.extra.get("key_header")
    return Manner(header, "") if isinstance(header, str) and header else BEARER


def _prompt_id(idempotency_key: str) -> str:
    """Our id for a call, as new servers want one: a UUID in small letters with hyphens."""
    return str(uuid.uuid5(_NAMESPACE, idempotency_key))


def _seed(prompt_id: str) -> int:
    """Another one for each row, and for one call always the same."""
    return uuid.UUID(prompt_id).int & _SEED_BITS


def _may_come(failure: Failure) -> bool:
    """Whether another try may bring it: what is not there, or no picture, stays so."""
    return failure.kind is not FailureClass.UNKNOWN


def _seeds_used(found: object) -> Mapping[str, Any]:
    seeds = found if isinstance(found, Mapping) else {}
    values = set(seeds.values())
    if len(values) == 1:
        return {"seed": values.pop()}
    return {"seeds": dict(seeds)} if seeds else {}


def _unusable(bad: BadWorkflow) -> Failure:
    code = bad.said.code.rpartition(".")[2]
    if code != "no_input":
        return setup_failure(code, bad.said)
    return Failure(FailureClass.INVALID, code, bad.said, sent=False, billed=False)


def _open(connection: Connection, secret: str | None, http: HttpClient) -> ComfyUI:
    return ComfyUI(connection, secret, http)


ADAPTER = AdapterEntry(CAPABILITIES, _open, capabilities_of, prepared)
