"""A provider's call is news of a job and no more: it says where to look and when, and what it says
of a job that is over, or was never ours, changes nothing."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import cast

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
from desktop_app.domain.text import OperatorError
from desktop_app.engine.accounts import Accounts, Line
from desktop_app.engine.poller import Poller
from desktop_app.engine.pool import Flight, Pool
from desktop_app.engine.signing import Signings

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Means:
    """What a call is told, so that its provider can call."""

    url: str
    secret: str | None = field(default=None, repr=False)


class Callbacks:
    """Implements ``CallbackDesk`` and says which calls ask for one. ``ask`` looks again at a row of
    which nobody knows what became of it."""

    def __init__(
        self,
        *,
        store: EngineStore,
        accounts: Accounts,
        secrets: Secrets,
        pool: Pool,
        poller: Poller,
        clock: Clock,
        ask: Callable[[int], Awaitable[bool]],
        addresses: CallbackAddresses | None,
    ) -> None:
        self._store = store
        self._accounts = accounts
        self._pool = pool
        self._poller = poller
        self._signings = Signings(secrets, clock)
        self._ask = ask
        self._addresses = addresses

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
        if flight is not None:
            return await self._of_flight(flight, job_id)
        found = await self._store.standing(whose.attempt_pk)
        if found is None or not self._is(whose, found.idempotency_key) or not found.is_in_doubt:
            return Heard.NOTHING
        if found.job_id is None:
            if job_id is None:
                return Heard.NOTHING
            await self._store.job_taken(whose.attempt_pk, Job(job_id))
        return Heard.ASKED if await self._ask(found.task_pk) else Heard.NOTHING

    async def _of_flight(self, flight: Flight, job_id: str | None) -> Heard:
        if flight.handed and flight.job is not None:
            return Heard.NOTHING
        flight.called = True
        if flight.job is not None:
            self._poller.poke(flight.job.id)
            return Heard.POLLED
        if job_id is not None and flight.named is None:
            # Whoever knew the address is the provider, or had it from there: if the answer to the
            # submit never comes, or this program ends now, this is all that is known of the job.
            flight.named = Job(job_id, calls_back=True)
            try:
                await self._store.job_taken(flight.claim.attempt_pk, flight.named)
            except LocalTrouble as trouble:
                _log.warning("a called job's id is in memory only: %s", trouble)
            except Exception:
                _log.exception("a called job's id is in memory only")
        return Heard.KEPT

    async def ended(self, flight: Flight) -> None:
        """A call may have named the job of a flight that was just then being given up: nobody has
        looked at it yet."""
        if flight.named is None or flight.job is not None:
            return
        try:
            found = await self._store.standing(flight.claim.attempt_pk)
            if found is not None and found.is_in_doubt:
                await self._ask(found.task_pk)
        except Exception:
            _log.exception("attempt %d was not looked at again", flight.claim.attempt_pk)

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
        flight = self._flight(whose)
        if flight is not None:
            return self._accounts.current(flight.line)
        found = await self._store.standing(whose.attempt_pk)
        if found is None or not self._is(whose, found.idempotency_key) or not found.is_in_doubt:
            return None
        try:
            return await self._accounts.line(found.connection_id)
        except OperatorError:
            return None


def _wanted(line: Line) -> bool:
    return line.capabilities.calls_back and line.connection.callbacks
