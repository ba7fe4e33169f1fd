"""Writes what was paid for, however long this machine needs to be mended."""

from __future__ import annotations

import logging

from desktop_app.domain.attempt import Kept
from desktop_app.domain.budget import results_asked
from desktop_app.domain.errors import BadResult, Failure, LocalTrouble
from desktop_app.domain.ports import Answer, ResultFiles
from desktop_app.domain.text import message
from desktop_app.engine.local_trouble import LocalGuard
from desktop_app.engine.outcomes import Outcomes
from desktop_app.engine.pool import Flight
from desktop_app.engine.processing import Processing
from desktop_app.engine.reread import bad_result, in_full

_log = logging.getLogger(__name__)


class Keeper:
    """Answers onto the disk, and then into the store."""

    def __init__(
        self, *, files: ResultFiles, outcomes: Outcomes, guard: LocalGuard, processing: Processing
    ) -> None:
        self._files = files
        self._outcomes = outcomes
        self._guard = guard
        self._processing = processing

    async def stage(self, flight: Flight, answer: Answer) -> None:
        """Before the slot is free: whoever kills this program now loses no more than what is on
        the wire. Trouble holds the engine, and ``keep`` tries again."""
        if is_safe(flight, answer):
            return
        claim = flight.claim
        try:
            await self._files.stage(claim, *answer.contents)
        except LocalTrouble as trouble:
            self._guard.report(claim.out_dir, trouble.message)
        except Exception:
            _log.exception("a result could not be staged")

    async def end(self, flight: Flight, answer: Answer) -> None:
        """To the committed outcome, also where the result is none."""
        bad = await self.keep(flight, answer)
        if bad is not None:
            await self._outcomes.failed(flight, bad, answer)

    async def keep(self, flight: Flight, answer: Answer) -> Failure | None:
        """Write, verify and commit. What was wrong with a result that is none, else None."""
        claim = flight.claim
        kept: Kept | None = None
        while kept is None:
            try:
                async with self._processing.of(claim):
                    kept = await self._files.keep(claim, *answer.contents, flags=answer.flags)
            except BadResult as error:
                self._processing.clear(claim)
                return bad_result(error, answer)
            except LocalTrouble as trouble:
                self._guard.report(claim.out_dir, trouble.message)
                await self._guard.mended()
            except Exception:
                _log.exception("a result could not be written")
                said = message("engine.cannot_write", folder=claim.out_dir)
                self._guard.report(claim.out_dir, said)
                await self._guard.mended()
        self._processing.clear(claim)
        line = flight.line
        if line.capabilities.several_results:
            kept = in_full(kept, results_asked(line.connection, claim.request))
        await self._outcomes.kept(flight, answer, kept)
        await self._files.settled(claim)
        return None

    async def adopt(self, flight: Flight, kept: Kept) -> None:
        """Commit what an earlier process kept."""
        await self._outcomes.adopted(flight, kept)
        await self._files.settled(flight.claim)


def is_safe(flight: Flight, answer: Answer) -> bool:
    """Whether a kill loses nothing of it though it was not staged: texts that came within an answer
    that was put aside, which the next start reads anew."""
    return flight.aside and all(content.text is not None for content in answer.contents)
