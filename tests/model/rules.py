"""What may never happen, whatever does: looked at before every send and after every step."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from desktop_app.domain.connection import OnUnknown
from desktop_app.domain.errors import LocalTrouble
from desktop_app.domain.task import REQUEUEABLE, TaskState
from desktop_app.domain.text import OperatorError
from desktop_app.domain.transitions import REOPENED, is_legal
from tests.model import books, doubts
from tests.model.program import Program
from tests.model.shop import QUOTA_S, Submission, read_prompt

if TYPE_CHECKING:
    from tests.model.world import World

S = TaskState
CONNECT_S = 0.06
"""A call that was looked at a last time may still be connecting when a pause begins."""


class Rules:
    """Judges by the store's file, by what the shop saw, and by what persons asked for.

    ``asked``: rows that a person asked to send again, ``resent`` be they uncertain; ``agreed``:
    rows whose newer version may be paid for though an older one is; ``cancelled``: rows whose
    cancel was asked for; ``newest``: the newest version that a row was ever asked in; ``faults``:
    what was wrong.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._eye: sqlite3.Connection | None = None
        self._moves_seen = 0
        self._pardoned: dict[int, int] = {}
        self._stopped: set[int] = set()
        self._refused: dict[str | None, tuple[float, float]] = {}
        self._caps = books.Caps(self)
        self.asked: set[int] = set()
        self.resent: set[int] = set()
        self.agreed: set[int] = set()
        self.cancelled: set[int] = set()
        self.newest: dict[int, int] = {}
        self.states: dict[int, S] = {}
        self.faults: list[str] = []
        self.sound = False

    @property
    def world(self) -> World:
        """The world that is judged."""
        return self._world

    def sql(self, sql: str, *values: Any) -> list[Any]:
        """A look into the store's file from outside."""
        if self._eye is None:
            self._eye = sqlite3.connect(self._world.path, isolation_level=None)
        return self._eye.execute(sql, values).fetchall()

    def close(self) -> None:
        """Look no more."""
        if self._eye is not None:
            self._eye.close()

    # --- what persons ask for ------------------------------------------------------------------

    def resumed(self, batch_id: int) -> None:
        """A person lets the batch run."""
        self._world.alive.resumed.add(batch_id)
        self._stopped.discard(batch_id)

    def stopped(self, batch_id: int) -> None:
        """A person was told that nothing more begins; a batch at its end is not paused."""
        if self.sql("SELECT 1 FROM batch WHERE id = ? AND run_state = 2", batch_id):
            self._stopped.add(batch_id)

    def tried_again(self, connection_id: int) -> None:
        """A person says that the account works again."""
        name = self._world.spec.names[connection_id - 1]
        self._refused.pop(self._world.spec.secrets().get(name), None)

    def capped(self, batch_id: int) -> None:
        """The cap of a batch was changed."""
        self._caps.changed(batch_id)

    @contextmanager
    def may_be_paid_again(self, *rows: int, doubtful: bool) -> Iterator[None]:
        """A person asks for these rows once more, be they ``doubtful``."""
        self.ask(rows, doubtful=doubtful)
        yield
        self._read_moves()
        if not self.sql("SELECT 1 FROM command WHERE result IS NULL"):
            self.asked.difference_update(rows)
            self.resent.difference_update(rows)

    def ask(self, rows: Iterable[int], *, doubtful: bool) -> None:
        """A person asks for these rows once more, at some time to come."""
        self.asked.update(rows)
        if doubtful:
            self.resent.update(rows)

    async def mended(self, work: Any) -> Any:
        """What an operator is told and can mend is no fault of the program."""
        try:
            return await work
        except (OperatorError, LocalTrouble):
            return None

    def life_ended(self, program: Program) -> None:
        """A pause of an account that was not written down is forgotten with the program."""
        self._stopped.clear()
        known = {account for (account,) in self.sql("SELECT account FROM account_pause")}
        if not known:
            self._refused.clear()
        for submission in self._world.shop.sent:
            if submission.life is program.life and submission.heard != "job":
                submission.in_the_air = False

    # --- on the wire ---------------------------------------------------------------------------

    def heard(self, submission: Submission) -> None:
        """The program was told."""
        if submission.heard == "account":
            until = math.inf
            if submission.behaviour == "quota":
                until = self._world.alive.clock.now() + QUOTA_S
            self._refused.setdefault(submission.secret, (submission.heard_at, until))

    def sent(self, submission: Submission) -> None:
        """A request is about to be answered: whether it may have been sent at all."""
        try:
            self._may_be_sent(submission)
        except AssertionError as fault:
            self.faults.append(f"{fault} ({submission})")
            raise

    def _may_be_sent(self, submission: Submission) -> None:
        self._read_moves(before=submission)
        found = self.sql(
            "SELECT t.state, t.attempt_id, a.task_pk, a.outcome, t.batch_id, p.prompt, "
            "coalesce(t.row_no <= b.row_gate, 1) FROM task t JOIN payload p ON p.task_pk = t.id "
            "JOIN batch b ON b.id = t.batch_id "
            "LEFT JOIN attempt a ON a.id = ? WHERE t.id = ?",
            submission.attempt_pk,
            submission.row,
        )
        [(state, attempt_pk, attempt_row, outcome, batch_id, prompt, is_open)] = found
        assert (state, attempt_pk) == (S.RUNNING, submission.attempt_pk), "sent and not running"
        assert outcome == "open", "sent by an attempt that has ended"
        assert attempt_row == submission.row, "another row's attempt"
        assert read_prompt(prompt) == (submission.row, submission.version), "sent as it was before"
        assert is_open, "sent beyond the rows of the trial"
        assert batch_id in self._world.alive.resumed, "sent before a person resumed"
        assert batch_id not in self._stopped, "begun after pause now"
        self._check_account(submission)
        self._check_air(submission)
        self._caps.sent(submission, batch_id)
        self._check_bill(submission)

    def _check_account(self, submission: Submission) -> None:
        since, until = self._refused.get(submission.secret, (math.inf, 0.0))
        if self._world.alive.clock.now() >= until:
            self._refused.pop(submission.secret, None)
            return
        assert submission.sent_at - since < CONNECT_S, "the account is paused"

    def _check_air(self, submission: Submission) -> None:
        open_ = {pk for (pk,) in self.sql("SELECT id FROM attempt WHERE outcome = 'open'")}
        sent = self._world.shop.sent
        assert [s.attempt_pk for s in sent].count(submission.attempt_pk) == 1, "sent twice"
        out = [s for s in sent if s.in_the_air and s.attempt_pk in open_]
        air = [s for s in out if s.secret == submission.secret]
        assert len(air) <= self._world.spec.concurrency, "more at once than the account allows"
        assert [s.row for s in air].count(submission.row) == 1, "a row is sent twice at once"

    def _check_bill(self, submission: Submission) -> None:
        if not submission.billed:
            return
        *earlier, _ = self._world.shop.of(submission.row)
        since = earlier[self._pardoned.get(submission.row, 0) :]
        since = [s for s in since if s.edition == submission.edition]
        lively = [s for s in since if s.heard == "job" and s.in_the_air]
        assert not lively, f"row {submission.row} is bought again beside its job: {since}"
        bills = sum(s.billed for s in since)
        again = self._world.spec.retries if self._world.spec.policy is OnUnknown.RESEND else 0
        assert bills <= again, f"row {submission.row} is paid twice: {since}"

    # --- in the store --------------------------------------------------------------------------

    def check(self) -> None:
        """What must be true after every step."""
        self.sound = False
        assert not self.faults, self.faults
        self._read_moves()
        self.states = {pk: S(state) for pk, state in self.sql("SELECT id, state FROM task")}
        assert len(self.states) == self._world.spec.rows, "rows were lost"
        books.check_ledger(self, self.states)
        books.check_attempts(self, self._world.shop)
        doubts.check_editions(self)
        doubts.check_doubt(self)
        paths = self._world.disk.paths()
        for (path,) in self.sql(
            "SELECT r.path FROM task t LEFT JOIN result r ON r.id = t.result_id WHERE t.state = 3"
        ):
            assert path in paths, "a success lost its file"
        self.sound = True

    def check_caps(self) -> None:
        """A batch that waits for its caps has really reached them."""
        self._caps.check_reached()

    def check_results(self) -> None:
        """Every picture that was paid for and kept is known, be it as history."""
        stored = {pk for (pk,) in self.sql("SELECT attempt_id FROM result")}
        assert set(self._world.disk.kept) <= stored, "a paid picture is unknown to the store"

    def _read_moves(self, *, before: Submission | None = None) -> None:
        """A requeue pardons every earlier call, but not the one that comes after it."""
        sql = (
            "SELECT id, task_pk, old, new, old_edition, new_edition, fault FROM model_move "
            "WHERE id > ? ORDER BY id"
        )
        for pk, row, old, new, old_edition, edition, fault in self.sql(sql, self._moves_seen):
            self._moves_seen = pk
            move = S(old), S(new)
            assert fault is None, f"row {row}: {fault}"
            legal = is_legal(*move) or (move == REOPENED and edition > old_edition)
            assert legal, f"row {row}: {move}"
            if move == REOPENED:
                assert row in self.agreed, f"row {row} is done and shall be paid for again"
            elif move == (S.UNCERTAIN, S.PENDING):
                assert row in self.agreed | self.resent, f"row {row} may be paid for again"
            if move[0] in REQUEUEABLE and move[1] is S.PENDING and row in self.asked:
                self._pardoned[row] = sum(s is not before for s in self._world.shop.of(row))
