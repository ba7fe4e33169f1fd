"""What may be sent, and when: judged at the very moment in which a request leaves."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from desktop_app.domain.connection import OnUnknown
from desktop_app.domain.task import TaskState
from tests.model.books import Caps
from tests.model.shop import DRAWN, QUOTA_S, Submission, read_prompt

if TYPE_CHECKING:
    from tests.model.rules import Rules

S = TaskState
CONNECT_S = 0.06
"""A call that was looked at a last time may still be connecting when its account is refused."""

FOUND = """
SELECT t.state, t.attempt_id, a.task_pk, a.outcome, t.batch_id, p.prompt, t.cancel_requested,
       coalesce(t.row_no <= b.row_gate OR EXISTS (
         SELECT 1 FROM json_each(b.options, '$.open_rows') o WHERE o.value = t.row_no), 1)
FROM task t JOIN payload p ON p.task_pk = t.id JOIN batch b ON b.id = t.batch_id
     LEFT JOIN attempt a ON a.id = ? WHERE t.id = ?"""


class Wire:
    """``stopped``: batches of which nothing begins any more; ``cancelled``: rows whose cancel has
    been heard; ``pardoned``: how many calls of a row a person has paid off; ``refused``: accounts
    (since when in virtual seconds, until when by the clock on the wall)."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._world = rules.world
        self.caps = Caps(rules)
        self.stopped: set[int] = set()
        self.cancelled: set[int] = set()
        self.pardoned: dict[int, int] = {}
        self.refused: dict[str | None, tuple[float, float]] = {}

    def heard(self, submission: Submission) -> None:
        """The program was told."""
        if submission.heard == "account":
            until = math.inf
            if submission.behaviour == "quota":
                until = self._world.alive.clock.now() + QUOTA_S
            self.refused.setdefault(submission.secret, (submission.heard_at, until))

    def sent(self, submission: Submission) -> None:
        """A request leaves."""
        found = self._rules.sql(FOUND, submission.attempt_pk, submission.row)
        [(state, attempt_pk, attempt_row, outcome, batch_id, prompt, cancel, is_open)] = found
        assert (state, attempt_pk) == (S.RUNNING, submission.attempt_pk), "sent and not running"
        assert outcome == "open", "sent by an attempt that has ended"
        assert attempt_row == submission.row, "another row's attempt"
        assert read_prompt(prompt) == (submission.row, submission.version), "sent as it was before"
        assert not (cancel and submission.row in self.cancelled), "begun after its cancel"
        assert is_open, "sent beyond the rows of the trial"
        assert batch_id in self._world.alive.resumed, "sent before a person resumed"
        assert batch_id not in self.stopped, "begun after pause now"
        self._check_account(submission)
        self._check_air(submission)
        self.caps.sent(submission, batch_id)
        self._check_bill(submission)

    def _check_account(self, submission: Submission) -> None:
        since, until = self.refused.get(submission.secret, (math.inf, 0.0))
        # A clock that was set makes no wait longer.
        is_waited = submission.sent_at - since >= QUOTA_S and until < math.inf
        is_over = self._world.jumped and is_waited
        if self._world.alive.clock.now() >= until or is_over:
            self.refused.pop(submission.secret, None)
            return
        assert submission.sent_at - since < CONNECT_S, "the account is paused"

    def _check_air(self, submission: Submission) -> None:
        open_ = {pk for (pk,) in self._rules.sql("SELECT id FROM attempt WHERE outcome = 'open'")}
        sent = self._world.shop.sent
        assert [s.attempt_pk for s in sent].count(submission.attempt_pk) == 1, "sent twice"
        out = [s for s in sent if s.in_the_air and s.attempt_pk in open_]
        if self._world.jumped:  # the deadline of jobs may have passed: they hold no slot any more
            out = [s for s in out if s.heard != "job" or s is submission]
        air = [s for s in out if s.secret == submission.secret]
        assert len(air) <= self._world.spec.concurrency, "more at once than the account allows"
        assert [s.row for s in air].count(submission.row) == 1, "a row is sent twice at once"

    def _check_bill(self, submission: Submission) -> None:
        if not submission.billed:
            return
        *earlier, _ = self._world.shop.of(submission.row)
        since = earlier[self.pardoned.get(submission.row, 0) :]
        since = [s for s in since if s.edition == submission.edition]
        known = [s for s in since if s.heard == "job" or s.called]
        lively = [s for s in known if s.job is not None and not s.job.told]
        if self._world.jumped:  # the deadline of jobs may have passed: it is asked no more
            lively = [s for s in lively if not s.given_up]
        assert not lively, f"row {submission.row} is bought again beside its job: {since}"
        bills = sum(s.billed for s in since)
        again = self._world.spec.retries if self._world.spec.policy is OnUnknown.RESEND else 0
        assert bills <= again, f"row {submission.row} is paid twice: {since}"
        came = [s for s in since if s.heard == "answer" and s.behaviour in DRAWN]
        if submission.row not in self._world.shop.killers:  # to look at it ends the program
            assert not came, f"row {submission.row} is bought again beside its picture: {since}"
