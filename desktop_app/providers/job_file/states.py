"""What the answer to a poll means for the job, and what means nothing but that the poll failed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from desktop_app.domain.errors import Failure, FailureClass, ProviderFailure
from desktop_app.domain.jobs import (
    Job,
    JobCancelled,
    JobDone,
    JobFailed,
    JobLost,
    JobRunning,
    JobState,
)
from desktop_app.domain.text import message
from desktop_app.providers.error_body import ErrorBody, has_error, parse_error
from desktop_app.providers.error_map import judge, worded
from desktop_app.providers.http.client import Wire
from desktop_app.providers.job_file.model import JobFile, Poll, State, Target
from desktop_app.providers.job_file.paths import Path
from desktop_app.providers.job_file.requests import Requests, values_of
from desktop_app.providers.job_file.results import Results
from desktop_app.providers.job_file.verdicts import Verdicts
from desktop_app.providers.job_file.words import has_words, is_own
from desktop_app.providers.vendor_line import VendorLine
from desktop_app.providers.wait_hints import wait_hint

_VAGUE = frozenset({401, 403, 404, 408, 425, 429})
"""Of the caller or of the moment, and no word about a job that is known to have failed."""
NOT_THERE = frozenset({404, 410})


class States:
    """Reads a vendor's words for its jobs. Every method raises ProviderFailure for a call that came
    to nothing; a job's own end is a JobState."""

    def __init__(
        self, job: JobFile, poll: Poll, line: VendorLine, requests: Requests, results: Results
    ) -> None:
        self._job = job
        self._poll = poll
        self._line = line
        self._requests = requests
        self._results = results
        self._verdicts = Verdicts(job, line.site, line.http.clock.now)

    async def of(self, wire: Wire, job: Job) -> JobState:
        """What the answer to a poll for one job says."""
        if not 200 <= wire.status < 300:
            return self._not_there(wire)
        return await self.told(await self._line.questions.read(wire), wire, job)

    async def told(self, found: Any, wire: Wire, job: Job) -> JobState:
        """What the part of an answer that is about this job says."""
        word = self._poll.status.word(found)
        match self._state(found, wire):
            case State.RUNNING:
                return JobRunning(hint_s(self._poll.hint, found, wire, self._now()))
            case State.CANCELLED:
                return JobCancelled(self._job.cancel.billed if self._job.cancel else None)
            case State.LOST:
                return JobLost()
            case State.FAILED:
                return JobFailed(self._verdicts.of_answer(wire, found, word))
            case State.DONE:
                return await self._done(found, wire, job)

    def _not_there(self, wire: Wire) -> JobLost:
        """The provider knows no such job, or no result of it: by the words that its file has for
        that, or by the status that everybody has for it and an error as it writes them. Raises
        ProviderFailure for every other answer: also a gateway before it does not find things."""
        site = self._line.site
        body = worded(site, wire, parse_error(wire.body, site.read))
        if any(rule.match(wire.status, body) is not None for rule in self._poll.lost):
            return JobLost()
        failure = self._line.questions.failure_of(wire)
        if wire.status in NOT_THERE and failure.kind is FailureClass.INVALID:
            if is_vendors(self._job, self._line, wire):
                return JobLost()
            failure = replace(failure, kind=FailureClass.TRANSIENT)
        raise ProviderFailure(failure)

    def _state(self, found: Any, wire: Wire) -> State:
        word = self._poll.status.word(found)
        known = {name.lower(): state for name, state in self._poll.states.items()}
        state = self._poll.states.get(word) or known.get(word.lower())
        if state is not None:
            return state
        host = self._line.connection.host
        if word:
            shown = self._line.http.scrub.line(word, 100)
            said = message("job_files.unknown_state", host=host, state=shown, file=self._job.file)
            raise self._nothing_said(wire, "unknown_state", said)
        if isinstance(found, Mapping) and has_error(found):
            text = wire.body[:65536].decode("utf-8", "replace")
            body = self._line.site.read(found, text)
            failure = judge(self._line.site, wire, body, body.status or 0, self._now())
            if failure.kind in (FailureClass.THROTTLED, FailureClass.ACCOUNT):
                raise ProviderFailure(self._line.questions.of_a_question(failure))
        raise self._nothing_said(wire, "no_state", message("job_files.no_state", host=host))

    async def _done(self, found: Any, wire: Wire, job: Job) -> JobState:
        failed = self._poll.failed_when is not None and bool(self._poll.failed_when.find(found))
        fetch = self._job.result.fetch
        if fetch is not None:
            fetched = await self._fetched(fetch, job)
            if not 200 <= fetched.status < 300:
                is_verdict = failed and fetched.status not in _VAGUE
                if is_verdict or fetched.status in self._job.result.verdicts:
                    said_before = (found, wire) if failed else None
                    return JobFailed(self._verdicts.of_status(fetched, said_before))
                return self._not_there(fetched)
            if not failed:
                found, wire = await self._line.questions.read(fetched), fetched
        if failed:
            word = self._poll.status.word(found)
            return JobFailed(self._verdicts.of_answer(wire, found, word))
        return self._made(found, wire)

    async def _fetched(self, target: Target, job: Job) -> Wire:
        return await self._requests.ask(target, values_of(job), self._line)

    def _made(self, found: Any, wire: Wire) -> JobState:
        made = self._results.of(found)
        if made.items:
            return JobDone({"found": found, "wire": wire})
        return JobFailed(nothing_made(self._job, self._verdicts, found, wire, hidden=made.hidden))

    def _nothing_said(self, wire: Wire, code: str, said: Any) -> ProviderFailure:
        failure = Failure(FailureClass.TRANSIENT, code, said, wire.status, billed=False)
        return ProviderFailure(failure)

    def _now(self) -> float:
        return self._line.http.clock.now()


def is_vendors(job: JobFile, line: VendorLine, wire: Wire) -> bool:
    """Whether an error is the vendor's own word, and not that of a gateway before it."""
    header = line.site.profile.word_header
    return bool(wire.headers.get(header)) or is_own(job.words, wire.body)


def hint_s(path: Path | None, found: Any, wire: Wire, now: float) -> float | None:
    """How long the vendor says to wait before it is asked again. ``now`` is epoch seconds."""
    said = path.find(found) if path is not None else None
    if isinstance(said, int | float) and not isinstance(said, bool) and said >= 0:
        return float(said)
    fields = found if isinstance(found, Mapping) else {}
    body = ErrorBody(message=said if isinstance(said, str) else "", fields=fields)
    return wait_hint(wire.headers, body, now).seconds


def nothing_made(
    job: JobFile, verdicts: Verdicts, found: Any, wire: Wire, *, hidden: int = 0
) -> Failure:
    """Why an answer with a good status brought no result."""
    if hidden:
        return verdicts.wanting(wire, FailureClass.REFUSED, "flagged", "flagged")
    if job.result.gone is not None and job.result.gone.find(found):
        return verdicts.wanting(wire, FailureClass.UNKNOWN, "gone", "result_gone", billed=True)
    state = job.poll.status.word(found) if job.poll is not None else ""
    if has_words(job.words, found, state):
        return verdicts.of_answer(wire, found, state)
    return verdicts.wanting(wire, FailureClass.REFUSED, "empty", "empty_result")
