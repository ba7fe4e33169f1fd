"""Looks again at an answer that had come home when an earlier process was killed: it was paid for,
and what it says decides, not that somebody died over it."""

from __future__ import annotations

import logging

from desktop_app.domain.attempt import PARTIAL, Claim, Kept, Orphan
from desktop_app.domain.budget import results_asked
from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import BadResult, Failure, FailureClass, ProviderFailure, broken
from desktop_app.domain.judging import as_sent
from desktop_app.domain.ports import (
    Adapters,
    Answer,
    EngineStore,
    Job,
    RereadingAdapter,
    ResultFiles,
)

_log = logging.getLogger(__name__)


class Unread(Exception):
    """An answer came, and nobody is here who understands it."""


class Reread:
    """For the start, before anything is claimed."""

    def __init__(self, store: EngineStore, adapters: Adapters, files: ResultFiles) -> None:
        self._store = store
        self._adapters = adapters
        self._files = files

    async def of(
        self, claim: Claim, connection: Connection | None
    ) -> tuple[Answer, Kept] | Orphan | Job | Failure | None:
        """What the attempt's answer was, its result written or its job's id stored, which may have
        taken its row up again; None where no whole answer came, or nobody understands it any more.
        Raises LocalTrouble."""
        raw = await self._store.raw_of(claim)
        if raw is None or connection is None or connection.adapter not in self._adapters.names():
            return None
        # Without the key: what has come is read, and nothing is sent.
        adapter = self._adapters.open(connection, None)
        try:
            if not isinstance(adapter, RereadingAdapter):
                return None
            answer = await adapter.reread(claim.request, raw)
        except ProviderFailure as error:
            return as_sent(error.failure, begun=True)
        except Exception as error:
            _log.exception(
                "the answer of attempt %d could not be read; it is kept", claim.attempt_pk
            )
            return broken(error)
        finally:
            await adapter.close()
        if isinstance(answer, Job):
            return await self._store.job_taken(claim.attempt_pk, answer) or answer
        try:
            kept = await self._files.keep(claim, *answer.contents, flags=answer.flags)
        except BadResult as error:
            return bad_result(error, answer)
        if adapter.capabilities.several_results:
            kept = in_full(kept, results_asked(connection, claim.request))
        return answer, kept


def in_full(kept: Kept, asked: int) -> Kept:
    """What is kept of an answer to a call for ``asked`` results, flagged where fewer came."""
    return kept if kept.count >= asked else kept.flagged(PARTIAL)


def bad_result(error: BadResult, answer: Answer) -> Failure:
    """A 200 whose picture does not decode: it was billed."""
    return Failure(
        FailureClass.UNKNOWN,
        "bad_result",
        error.message,
        http_status=answer.http_status,
        request_id=answer.request_id,
        billed=True,
    )
