"""A provider as its file describes it: takes work, is asked for it, hands results out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import FailureClass, ProviderFailure
from desktop_app.domain.jobs import Job, JobDone, JobState
from desktop_app.domain.ports import (
    Answer,
    Call,
    CallbackRule,
    RawAnswer,
    TestReport,
)
from desktop_app.domain.references import references_of
from desktop_app.domain.task import Request
from desktop_app.providers.http.client import HttpClient, Wire
from desktop_app.providers.job_file.model import JobFile, Many, Poll, Target
from desktop_app.providers.job_file.requests import Requests, model_in, values_of
from desktop_app.providers.job_file.results import Results
from desktop_app.providers.job_file.signing_keys import signing_keys
from desktop_app.providers.job_file.states import (
    NOT_THERE,
    States,
    hint_s,
    is_vendors,
    nothing_made,
)
from desktop_app.providers.job_file.testing import test_of
from desktop_app.providers.job_file.verdicts import Verdicts
from desktop_app.providers.job_file.words import reading_of
from desktop_app.providers.manner import Manner
from desktop_app.providers.openai_references import as_json, shown
from desktop_app.providers.row_model import MODEL
from desktop_app.providers.vendor_line import VendorLine


class DescribedJob:
    """Speaks as the file says."""

    def __init__(
        self, job: JobFile, connection: Connection, secret: str | None, http: HttpClient
    ) -> None:
        self.capabilities = job.capabilities
        self._job = job
        self._requests = Requests(job, connection)
        manner = Manner(job.key_header, job.key_prefix, job.headers, self._requests.key_hosts)
        read = reading_of(job.words)
        self._line = VendorLine(connection, secret, http, manner, profile=job.profile, read=read)
        self._results = Results(job, connection, self._line)

    def body_preview(self, request: Request) -> Mapping[str, Any]:
        """The JSON that ``submit`` sends for this request, with names in place of pictures."""
        names = [shown(one) for one in references_of(request.params)]
        return self._requests.body(request, names)

    async def submit(self, call: Call) -> Answer | Job:
        """Hand the work in. Raises ProviderFailure for everything but a job, or results in hand."""
        request, job = call.request, self._job
        told = {"callback_url": call.callback_url, "callback_secret": call.callback_secret}
        callback = told if call.callback_url and job.callback is not None else None
        references = references_of(request.params)
        body: Any = self._requests.body(request, (), callback)
        if references:
            body = await as_json(
                lambda urls: self._requests.body(request, urls, callback),
                references,
                job.reference_rule,
                self._line.http,
                bare=job.bare_pictures,
            )
        path = self._requests.submit_path(request, callback)
        found, wire = await self._line.post(call, path, body, headers=job.submit.headers)
        model = self._requests.model_of(request)
        return await self._taken(found, wire, model, calls_back=callback is not None)

    async def reread(
        self,
        request: Request,
        raw: RawAnswer,
    ) -> Answer | Job:
        """See ``RereadingAdapter``."""
        found, wire = await self._line.reread(raw)
        return await self._taken(found, wire, self._requests.model_of(request))

    async def _taken(
        self, found: Any, wire: Wire, model: str, *, calls_back: bool = False
    ) -> Answer | Job:
        submit = self._job.submit
        if self._job.poll is None or submit.job_id is None:
            return await self._at_once(found, wire, model)
        job_id = submit.job_id.word(found)
        if not job_id:
            raise self._not_taken(found, wire)
        kept = {name: path.word(found) for name, path in submit.keep.items()}
        # An address that repeats the key can't be stored; without it, the path is asked.
        clean = {
            name: one for name, one in kept.items() if one and self._line.http.scrub(one) == one
        }
        wait_s = hint_s(submit.hint, found, wire, self._line.http.clock.now())
        if any(param.name == MODEL for param in self.capabilities.params):
            # Rows differ in it, and a person may choose another for the connection meanwhile.
            clean = {MODEL: model, **clean}
        return Job(job_id, clean, wait_s, calls_back)

    def _not_taken(self, found: Any, wire: Wire) -> ProviderFailure:
        words = self._line.site.read(found, "")
        if words.codes or words.message:
            return self._line.hidden_error(wire, found)
        return self._line.wanting(wire, FailureClass.UNKNOWN, "unreadable", billed=True)

    async def _at_once(self, found: Any, wire: Wire, model: str) -> Answer:
        made = self._results.of(found)
        if made.is_nowhere:
            raise self._not_taken(found, wire)
        if not made.items:
            verdicts = Verdicts(self._job, self._line.site, self._line.http.clock.now)
            raise ProviderFailure(
                nothing_made(self._job, verdicts, found, wire, hidden=made.hidden)
            )
        return await self._results.answer(found, wire, model)

    async def poll(self, jobs: Sequence[Job]) -> Mapping[str, JobState]:
        """See ``JobAdapter``."""
        poll = self._job.poll
        if poll is None:
            return {}
        states = States(self._job, poll, self._line, self._requests, self._results)
        if poll.many is not None and len(jobs) > 1:
            return await self._ask_for_many(poll.many, states, jobs)
        return {job.id: await self._ask_for(poll, states, job) for job in jobs}

    async def _ask_for(self, poll: Poll, states: States, job: Job) -> JobState:
        return await states.of(
            await self._requests.ask(poll.target, values_of(job), self._line), job
        )

    async def _ask_for_many(
        self, many: Many, states: States, jobs: Sequence[Job]
    ) -> Mapping[str, JobState]:
        wanted = {job.id: job for job in jobs}
        ids = {"ids": many.between.join(wanted)}
        found, wire = await self._asked(many.target, ids)
        told: dict[str, JobState] = {}
        for one in many.jobs.every(found):
            job = wanted.get(many.job_id.word(one))
            if job is None:
                continue
            try:
                told[job.id] = await states.told(one, wire, job)
            except ProviderFailure as trouble:
                # One job's odd answer keeps no other waiting.
                if trouble.failure.kind in (FailureClass.ACCOUNT, FailureClass.THROTTLED):
                    raise
        return told

    async def _asked(self, target: Target, values: Mapping[str, Any]) -> tuple[Any, Wire]:
        """The parsed answer with a good status. Raises ProviderFailure for any other."""
        questions = self._line.questions
        wire = await self._requests.ask(target, values, self._line)
        if not 200 <= wire.status < 300:
            raise ProviderFailure(questions.failure_of(wire))
        return await questions.read(wire), wire

    async def collect(self, job: Job, done: JobDone) -> Answer:
        """See ``JobAdapter``."""
        found, wire = done.context["found"], done.context["wire"]
        return await self._results.answer(found, wire, model_in(job), done.kept)

    async def cancel(self, job: Job) -> None:
        """See ``JobAdapter``."""
        cancel = self._job.cancel
        if cancel is None:
            return
        wire = await self._requests.ask(cancel.target, values_of(job), self._line)
        gateways = wire.status in NOT_THERE and not is_vendors(self._job, self._line, wire)
        if wire.status not in cancel.counts or gateways:
            raise ProviderFailure(self._line.questions.failure_of(wire))

    @property
    def callback_rule(self) -> CallbackRule:
        """See ``CallbackAdapter``."""
        return self._job.callback.rule if self._job.callback is not None else CallbackRule("none")

    def job_called(self, body: Any) -> str | None:
        """See ``CallbackAdapter``."""
        callback = self._job.callback
        if callback is None or callback.job_id is None:
            return None
        return callback.job_id.word(body) or None

    async def callback_secret(self) -> str | None:
        """See ``CallbackAdapter``."""
        callback = self._job.callback
        if callback is None:
            return None
        if callback.keys_url:
            return await signing_keys(callback.keys_url, self._line.http)
        if callback.secret_from is None or callback.secret is None:
            return None
        found, _ = await self._asked(callback.secret_from, {})
        return callback.secret.word(found) or None

    async def test(self) -> TestReport:
        """The file is sound; then the cheapest call that it names."""
        return await test_of(self._job, self._line, self._requests)
