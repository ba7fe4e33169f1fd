"""Whether the program knows what it has been told of jobs, and asks only for those it waits for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop_app.domain.ports.callbacks import Heard
from tests.model.shop import Made

if TYPE_CHECKING:
    from tests.model.bells import Ring
    from tests.model.rules import Rules

COUNTS = """
SELECT a.job_id, a.outcome = 'open' OR a.outcome = 'unknown' AND a.billed <> 'no'
       AND a.edition = t.edition AND t.state IN (0, 1, 2, 5, 6)
FROM attempt a JOIN task t ON t.id = a.task_pk WHERE a.id = ?"""


class KnownJobs:
    """Judges by the store's file."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._seen: dict[int, str] = {}

    def now(self) -> dict[int, str]:
        """By attempts."""
        found = self._rules.sql("SELECT id, job_id FROM attempt WHERE job_id IS NOT NULL")
        return dict(found)

    def check(self) -> None:
        """A job that was known once stays known."""
        now = self.now()
        for pk, job_id in self._seen.items():
            assert now.get(pk) == job_id, f"attempt {pk} forgot {job_id} over {now.get(pk)}"
        self._seen = now

    def polled(self, made: Made) -> None:
        """A job is asked for: somebody has to be waiting for it."""
        waits = "SELECT 1 FROM attempt WHERE outcome = 'open' AND job_id = ?"
        if not self._rules.sql(waits, made.id):
            self._rules.faults.append(f"{made.id} is asked for though its attempt is over")

    def rang(self, ring: Ring, status: int, heard: Heard | None) -> None:
        """The program has answered a call."""
        if ring.by == "guesser" and status != 404:
            self._rules.faults.append(f"somebody guessed an address and was told {status}")
        if ring.by == "other" and heard not in (None, Heard.NOTHING):
            self._rules.faults.append(f"a call for an attempt that is not there was {heard}")
        if ring.by == "shop" and ring.names and status == 200:
            self._told(ring.made)

    def _told(self, made: Made) -> None:
        """The program has said that it knows of the job: then it does, also when it is killed."""
        [(job_id, counts)] = self._rules.sql(COUNTS, made.submission.attempt_pk)
        if job_id == made.id:
            made.submission.called = True
        elif counts:
            fault = f"{made.id} was told, and {made.submission} knows of {job_id}"
            self._rules.faults.append(fault)
