"""A provider's call is news of a job and no more: it says where to look and when, and what it says
of a job that is over, or was never ours, changes nothing."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import cast

from desktop_app.domain.attempt import Orphan
from desktop_app.domain.clock import Clock
from desktop_app.domain.errors import LocalTrouble
from desktop_app.domain.jobs import Job
from desktop_app.domain.ports import EngineStore, Secrets
from desktop_app.domain.ports.callbacks import (
    Addressee,
    CallbackAdapter,
    CallbackAddresses,
    Caller,
    Heard,
)
from desktop_app.domain.ports.engine_store import Standing
from desktop_app.domain.text import OperatorError, message
from desktop_app.engine.accounts import Accounts
from desktop_app.engine.holds import Holds
from desktop_app.engine.late_jobs import LateJobs
from desktop_app.engine.lines import Line
from desktop_app.engine.poller import Poller
from desktop_app.engine.pool import Flight, Pool
from desktop_app.engine.signing import Signings

_log = logging.getLogger(__name__)

GIVES_UP_S = 10.0
"""How long a call waits for the end of a flight that it came too late for; then its provider is
told to call again."""


@dataclass(frozen=True, slots=True)
class Means:
    """What a call is told, so that its provider can call."""

    url: str
    secret: str | None = field(default=None, repr=False)


class Callbacks:
    """Implements ``CallbackDesk`` and says which calls ask for one. ``follow`` takes up what the
    store has reopened.

    A job that a call names is told as heard only once it is stored and somebody follows it, or
    will: its flight, or whoever settles or takes up what an earlier process left. So is a call that
    names none, where the provider can be asked what it is about.
    """

    def __init__(
        self,
        *,
        store: EngineStore,
        accounts: Accounts,
        secrets: Secrets,
        pool: Pool,
        poller: Poller,
        clock: Clock,
        late_jobs: LateJobs,
        holds: Holds,
        follow: Callable[[Orphan], None],
        addresses: CallbackAddresses | None,
    ) -> None:
        self._store = store
        self._accounts = accounts
        self._pool = pool
        self._poller = poller
        self._signings = Signings(secrets, clock)
        self._late_jobs = late_jobs
        self._holds = holds
        self._follow = follow
        self._addresses = addresses
        self._named: dict[int, Job] = {}  # by attempts that no flight held when they were named

    # --- what is asked for -------------------------------------------------------------------

    async def means(self, flight: Flight) -> Means | None:
        """With what this flight's provider may call; None where it is only polled."""
        addresses, line, claim = self._addresses, flight.line, flight.claim
        if addresses is None or not _wanted(line):
            return None
        url = addresses.address(claim.attempt_pk, claim.idempotency_key)
        if url is None:
            return None
        signing = await self._signings.of(line)
        if signing is None:
            return None
        if not signing.rule.is_signed or signing.secret is not None:
            return Means(url)
        return Means(url, addresses.secret(claim.attempt_pk, signing.rule))

    # --- what is heard -----------------------------------------------------------------------

    async def caller(self, whose: Addressee) -> Caller | None:
        """See ``CallbackDesk``."""
        line = await self._line_of(whose)
        if line is None or not line.capabilities.calls_back or self._addresses is None:
            return None
        adapter = cast("CallbackAdapter", line.adapter)
        signing = await self._signings.of(line)
        if signing is None:
            # Nobody could tell whether it is the provider's.
            return Caller(adapter.callback_rule, None, adapter.job_called)
        secret = signing.secret
        if signing.rule.is_signed and secret is None:
            secret = self._addresses.secret(whose.attempt_pk, signing.rule)
        anew = partial(self._signings.anew, line, secret) if signing.is_learned else None
        return Caller(signing.rule, secret, adapter.job_called, anew)

    async def called(self, whose: Addressee, job_id: str | None) -> Heard:
        """See ``CallbackDesk``."""
        flight = self._flight(whose)
        if flight is not None and flight.handed:
            await self._given_up(flight, job_id)
            flight = None
        if flight is not None:
            return await self._of_flight(flight, job_id)
        with self._holds.looking():
            found = await self._standing(whose)
            if found is None:
                return Heard.NOTHING
            flight = self._flight(whose)
            if flight is not None and not flight.handed:  # it was taken up meanwhile
                return await self._of_flight(flight, job_id)
            if found.is_open and found.job_id is not None:
                return Heard.KEPT
            job: Job | None = None
            if found.job_id is None and job_id is not None:
                job = self._named.setdefault(whose.attempt_pk, Job(job_id))
            elif found.job_id is None and not await self._is_askable(whose):
                return Heard.KEPT if found.is_open else Heard.NOTHING
            if await self._late_jobs.hear(whose.attempt_pk, found.task_pk, job):
                return Heard.ASKED
            return await self._kept(whose)

    def named(self, attempt_pk: int) -> Job | None:
        """The job that a call has named for an attempt of which no flight knew."""
        return self._named.get(attempt_pk)

    async def _given_up(self, flight: Flight, job_id: str | None) -> None:
        """Its outcome is on its way to the store without the job: what is known of the row then
        can be asked about. Raises LocalTrouble where that takes too long."""
        if flight.job is not None:
            return
        if job_id is not None:
            flight.named = flight.named or Job(job_id)
            self._late_jobs.expect(flight)
        if not await self._pool.over(flight, GIVES_UP_S):
            raise LocalTrouble(message("engine.store_trouble"))

    async def _of_flight(self, flight: Flight, job_id: str | None) -> Heard:
        flight.called = True
        if flight.job is not None:
            self._poller.poke(flight.job.id)
        elif job_id is not None and flight.named is None:
            # Whoever knew the address is the provider, or had it from there: if the answer to the
            # submit never comes, or this program ends now, this is all that is known of the job.
            flight.named = Job(job_id, calls_back=True)
        try:
            await self._store_job(flight)
        except LocalTrouble as trouble:
            _log.warning("a called job's id is in memory only: %s", trouble)
            raise
        return Heard.KEPT if flight.job is None else Heard.POLLED

    async def _store_job(self, flight: Flight) -> None:
        """What is known of its job is stored when this returns. Raises LocalTrouble."""
        pk = flight.claim.attempt_pk
        if flight.job is None and flight.named is None:
            if self._accounts.current(flight.line).capabilities.askable:
                self._goes_on(await self._store.called(pk))
            return
        found = await self._store.standing(pk)
        job = flight.job or flight.named  # it may have been answered meanwhile
        if job is not None and found is not None and found.job_id is None:
            self._goes_on(await self._store.job_taken(pk, job))

    def _goes_on(self, orphan: Orphan | None) -> None:
        if orphan is not None:  # it was given up meanwhile
            self._follow(orphan)

    async def _kept(self, whose: Addressee) -> Heard:
        """What became of a call whose job was stored and is not followed yet, if it ever is."""
        found = await self._standing(whose)
        waits = found is not None and (found.is_open or found.is_overtaken)
        return Heard.KEPT if waits else Heard.NOTHING

    async def _is_askable(self, whose: Addressee) -> bool:
        line = await self._line_of(whose)
        return line is not None and line.capabilities.askable

    def _flight(self, whose: Addressee) -> Flight | None:
        for flight in self._pool.flights():
            claim = flight.claim
            if claim.attempt_pk == whose.attempt_pk and self._is(whose, claim.idempotency_key):
                return flight
        return None

    def _is(self, whose: Addressee, idempotency_key: str) -> bool:
        addresses = self._addresses
        if addresses is None:
            return False
        return addresses.addressee(whose.attempt_pk, idempotency_key) == whose

    async def _line_of(self, whose: Addressee) -> Line | None:
        """Raises LocalTrouble where it can't be opened now."""
        flight = self._flight(whose)
        if flight is not None:
            return self._accounts.current(flight.line)
        found = await self._standing(whose)
        if found is None:
            return None
        try:
            return await self._accounts.line(found.connection_id)
        except OperatorError as error:
            raise LocalTrouble(error.message) from error

    async def _standing(self, whose: Addressee) -> Standing | None:
        """How this attempt stands; None where a call about it changes nothing."""
        found = await self._store.standing(whose.attempt_pk)
        if found is None or not self._is(whose, found.idempotency_key):
            return None
        return found if found.is_open or found.is_in_doubt or found.is_overtaken else None


def _wanted(line: Line) -> bool:
    return line.capabilities.calls_back and line.connection.callbacks
