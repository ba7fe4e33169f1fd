"""Asks the provider what became of a call, where it can be asked, before a rule or a person has
to guess."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import cast

from desktop_app.domain.clock import Clock
from desktop_app.domain.errors import Failure, FailureClass, ProviderFailure
from desktop_app.domain.jobs import Arrival, Asked
from desktop_app.domain.ports import AskableAdapter
from desktop_app.domain.retry import Draw, spaced
from desktop_app.domain.text import message
from desktop_app.engine.accounts import Accounts
from desktop_app.engine.jobs import Jobs
from desktop_app.engine.judge import TO_NOTHING
from desktop_app.engine.outcomes import Outcomes
from desktop_app.engine.pool import Flight

_log = logging.getLogger(__name__)

ASK_TRIES = 6
"""Questions that came to nothing, within about a minute, before the next rule decides."""


class Doubts:
    """Ends flights whose call failed."""

    def __init__(
        self, *, accounts: Accounts, outcomes: Outcomes, jobs: Jobs, clock: Clock, draw: Draw
    ) -> None:
        self._accounts = accounts
        self._outcomes = outcomes
        self._jobs = jobs
        self._clock = clock
        self._draw = draw

    async def settle(self, flight: Flight, failure: Failure) -> None:
        """To the committed outcome; leaves it RUNNING where the engine ends meanwhile."""
        asked = Asked(Arrival.UNKNOWN)
        if flight.named is None and self._outcomes.judge.should_ask(flight, failure):
            asked = await self._ask(flight)
            if flight.stops:
                return
            if failure.kind in TO_NOTHING:  # it has called about it all the same
                said = message("engine.ask_unanswered")
                failure = replace(failure, kind=FailureClass.UNKNOWN, said=said, billed=None)
        job = asked.job or flight.named
        if flight.begun and job is not None:
            await self._jobs.take(flight, job)
            await self._jobs.follow(flight, job, at_once=True)
            return
        if asked.arrival is Arrival.ARRIVED:
            failure = replace(failure, said=message("engine.arrived"), billed=True)
        elif flight.called and flight.decided:
            await self._outcomes.as_decided(flight, failure)
            return
        elif asked.arrival is Arrival.NOT_ARRIVED and not flight.called:
            await self._outcomes.not_arrived(flight, failure)
            return
        await self._outcomes.failed(flight, failure)

    async def _ask(self, flight: Flight) -> Asked:
        for failures in range(ASK_TRIES):
            line = self._accounts.current(flight.line)
            line.account.limiter.polls.spend()
            adapter = cast("AskableAdapter", line.adapter)
            try:
                asked = await flight.step(adapter.ask(flight.claim.idempotency_key))
            except ProviderFailure as error:
                _log.info("the provider could not be asked: %s", error.failure.code)
            except Exception:
                _log.exception("asking the provider broke")
            else:
                return asked or Asked(Arrival.UNKNOWN)
            await flight.step(self._clock.sleep(spaced(failures, self._draw)))
            if flight.stops or flight.named is not None:
                break
        return Asked(Arrival.UNKNOWN)
