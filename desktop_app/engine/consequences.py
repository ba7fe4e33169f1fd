"""What a failure does beyond its own row: to the account, to the connection, to this machine."""

from __future__ import annotations

from desktop_app.domain.clock import Clock
from desktop_app.domain.connection import spoken_name
from desktop_app.domain.errors import Failure, FailureClass, wait_s
from desktop_app.domain.events import Alert, AlertKind
from desktop_app.domain.text import message
from desktop_app.domain.verdict import Effect, Verdict
from desktop_app.engine.accounts import Accounts
from desktop_app.engine.lines import Line
from desktop_app.engine.local_trouble import LocalGuard
from desktop_app.engine.news import News
from desktop_app.engine.pool import Flight


class Consequences:
    """Carried out while the failed call still holds its slot. A row that could not be sent (its
    picture is gone) has no answer, and says nothing of connection or account."""

    def __init__(self, *, accounts: Accounts, guard: LocalGuard, news: News, clock: Clock) -> None:
        self._accounts = accounts
        self._guard = guard
        self._news = news
        self._clock = clock

    def of_lost_folder(self, flight: Flight, failure: Failure) -> tuple[Failure, tuple[int, ...]]:
        """See ``LocalGuard.weigh``; nothing that had begun to leave is given back."""
        if flight.begun:
            return failure, ()
        return self._guard.weigh(failure, flight.claim.task_pk)

    def of_first_answers(self, flight: Flight, failure: Failure) -> tuple[int, ...]:
        """Pause a connection whose first answers are all rejected alike; returns the rows before
        this one to requeue."""
        line = flight.line
        if failure.kind in (FailureClass.REFUSED, FailureClass.UNKNOWN):
            line.first.other()
        if failure.kind is not FailureClass.INVALID or _is_of_the_row(failure):
            return ()
        rows = line.first.invalid(failure.code, flight.claim.task_pk, line.limits.concurrency)
        if rows:
            line.stopped = failure.said
            line.stopped_code = failure.code
            self._news.connections_changed()
            name = spoken_name(line.connection.name)
            self._news.alert(
                Alert(
                    message("engine.all_invalid", name=name, why=failure.said),
                    flight.claim.batch_id,
                    AlertKind.ACCOUNT,
                    f"connection:{line.connection.id}",
                    line.connection.id,
                )
            )
        return rows[:-1]

    def of(self, flight: Flight, verdict: Verdict) -> None:
        """Slow down, count, probe or pause, as the verdict says."""
        failure, line = verdict.failure, flight.line
        if failure is None or _is_of_the_row(failure):
            return
        breaker, pk = line.account.breaker, flight.claim.task_pk
        changed = False
        if verdict.effect is Effect.SLOW_DOWN:
            alone = line.account.histories.stands_out(pk)
            if flight.weight is not None:
                line.account.limiter.allowances.give_back(flight.weight)
            line.account.limiter.throttled(flight.sent_at or 0.0, failure, cut=not alone)
            changed = breaker.throttled()
        elif verdict.effect is Effect.COUNT_TRANSIENT:
            changed = breaker.transient(failure.said)
        elif verdict.effect is Effect.GO_OFFLINE:
            changed = breaker.offline(failure.said)
        elif verdict.effect is Effect.PAUSE_ENGINE:
            if failure.lost:
                self._guard.report_lost(failure.lost, failure.said)
            else:
                self._guard.report(flight.claim.out_dir, failure.said)
        elif verdict.effect is Effect.PAUSE_ACCOUNT:
            changed = self._pause(line, failure, task_pk=pk, batch_id=flight.claim.batch_id)
        elif failure.kind in (FailureClass.UNKNOWN, FailureClass.TRANSIENT):
            changed = breaker.unclear()
        elif failure.kind in (FailureClass.REFUSED, FailureClass.INVALID):
            changed = breaker.answered(pk)
        if changed:
            self._news.connections_changed()

    def _pause(
        self, line: Line, failure: Failure, *, task_pk: int | None, batch_id: int | None
    ) -> bool:
        """Pause the account; ``task_pk`` is the row that was refused with it, if one was."""
        now = self._clock.now()
        wait = wait_s(failure, now)
        changed = line.account.breaker.pause(
            failure.said,
            task_pk=task_pk,
            until=None if wait is None else now + wait,
            no_key=failure.code == "no_key",
        )
        if changed:
            name = spoken_name(line.connection.name)
            self._news.alert(
                Alert(
                    message("engine.account_paused", name=name, why=failure.said),
                    batch_id,
                    AlertKind.ACCOUNT,
                    f"account:{line.account.key}",
                    line.connection.id,
                )
            )
        return changed

    async def poll_refused(self, line: Line, failure: Failure) -> None:
        """The account was refused while a job was asked for: it takes no calls until it is
        mended, and the job goes on being asked for."""
        if self._pause(line, failure, task_pk=None, batch_id=None):
            self._news.connections_changed()
            await self._accounts.persist(line.account)


def _is_of_the_row(failure: Failure) -> bool:
    return not failure.sent and failure.kind in (FailureClass.INVALID, FailureClass.TRANSIENT)
