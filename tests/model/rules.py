"""What may never happen, whatever does: looked at before every send and after every step."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from desktop_app.domain.attempt import Outcome
from desktop_app.domain.errors import LocalTrouble
from desktop_app.domain.task import REQUEUEABLE, UNFINISHED, TaskState
from desktop_app.domain.text import OperatorError
from desktop_app.domain.transitions import REOPENED, is_legal
from desktop_app.store.codec import to_nano
from tests.model import books, doubts
from tests.model.known_jobs import KnownJobs
from tests.model.program import Program
from tests.model.shop import DRAWN, Submission
from tests.model.wire import Wire

if TYPE_CHECKING:
    from tests.model.world import World

S = TaskState

SHOWN = """
SELECT r.path FROM task t LEFT JOIN result r ON r.id = t.result_id WHERE t.state = 3
UNION ALL
SELECT m.path FROM task t JOIN more_result m ON m.result_id = t.result_id WHERE t.state = 3"""
PATHS = "SELECT path FROM result UNION SELECT path FROM more_result"


class Rules:
    """Judges by the store's file, by what the shop saw, and by what persons asked for.

    ``asked``: rows that a person asked to send again, ``resent`` be they uncertain; ``agreed``:
    rows whose newer version may be paid for though an older one is; ``newest``: the newest version
    that a row was ever asked in; ``pauses``: commands to pause a batch; ``promised``: what waits
    for older editions to end; ``given_up``: rows that a person has changed or cancelled since the
    last look; ``faults``: what was wrong.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._eye: sqlite3.Connection | None = None
        self._moves_seen = 0
        self.wire = Wire(self)
        self.pauses: dict[int, int] = {}
        self.asked: set[int] = set()
        self.resent: set[int] = set()
        self.agreed: set[int] = set()
        self.newest: dict[int, int] = {}
        self.promised: dict[int, str] = {}
        self.given_up: set[int] = set()
        self.states: dict[int, S] = {}
        self.faults: list[str] = []
        self.jobs = KnownJobs(self)
        self.sound = False

    @property
    def nano(self) -> int:
        """What one call costs."""
        return to_nano(self._world.spec.price) or 0

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
        self.wire.stopped.discard(batch_id)
        self.pauses = {pk: batch for pk, batch in self.pauses.items() if batch != batch_id}

    def stopped(self, batch_id: int) -> None:
        """A person was told that nothing more begins; a batch at its end is not paused, and one
        that another process wants to run goes on."""
        on = self.sql("SELECT 1 FROM command WHERE verb = 'resume' AND result IS NULL")
        if not on and self.sql("SELECT 1 FROM batch WHERE id = ? AND run_state = 2", batch_id):
            self.wire.stopped.add(batch_id)

    def tried_again(self, connection_id: int) -> None:
        """A person says that the account works again."""
        name = self._world.spec.names[connection_id - 1]
        self.wire.refused.pop(self._world.spec.secrets().get(name), None)

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
        self.wire.stopped.clear()
        known = {account for (account,) in self.sql("SELECT account FROM account_pause")}
        if not known:
            self.wire.refused.clear()
        for submission in self._world.shop.sent:
            if submission.life is program.life and submission.heard != "job":
                submission.in_the_air = False

    # --- on the wire ---------------------------------------------------------------------------

    def sent(self, submission: Submission) -> None:
        """A request is about to be answered: whether it may have been sent at all."""
        try:
            self._read_moves(before=submission)
            self.wire.sent(submission)
        except AssertionError as fault:
            self.faults.append(f"{fault} ({submission})")
            raise

    # --- in the store --------------------------------------------------------------------------

    def check(self) -> None:
        """What must be true after every step."""
        self.sound = False
        assert not self.faults, self.faults
        self._read_moves()
        before = self.states
        self.states = {pk: S(state) for pk, state in self.sql("SELECT id, state FROM task")}
        assert len(self.states) == self._world.spec.rows, "rows were lost"
        books.check_ledger(self, self.states)
        books.check_attempts(self, self._world.shop)
        self._check_pauses(before)
        doubts.check_editions(self)
        doubts.check_doubt(self)
        self.jobs.check()
        paths = self._world.disk.paths()
        for (path,) in self.sql(SHOWN):
            assert path in paths, "a success lost its file"
        self.sound = True

    def _check_pauses(self, before: dict[int, S]) -> None:
        """Who was told from another process that a batch is paused finds it so, once. One that was
        at its end is not paused, and a requeue sets it going."""
        for command, batch_id in list(self.pauses.items()):
            if not self.sql("SELECT 1 FROM command WHERE id = ? AND result LIKE '%true%'", command):
                continue
            del self.pauses[command]
            rows = [s for row, s in before.items() if self._world.spec.batch_of(row) == batch_id]
            if not UNFINISHED & set(rows):
                continue
            goes_on = self.sql(
                "SELECT 1 FROM batch WHERE id = ? AND run_state = 1 AND finished_at IS NULL",
                batch_id,
            )
            assert not goes_on, f"batch {batch_id} goes on after a pause"

    def check_caps(self) -> None:
        """A batch that waits for its caps has really reached them."""
        self.wire.caps.check_reached()

    def check_results(self) -> None:
        """Every picture that came or was kept is known, be it as history."""
        stored = {pk for (pk,) in self.sql("SELECT attempt_id FROM result")}
        paths = {path for (path,) in self.sql(PATHS)}
        # Where its provider can be asked again, all of it is still to be had.
        asks = "SELECT id FROM attempt WHERE error_code = 'no_connection' AND job_id IS NOT NULL"
        later = {pk for (pk,) in self.sql(asks)}
        found = self._world.disk.kept.items()
        kept = {one.path for pk, some in found if pk not in later for one in some}
        assert kept <= paths, "a paid picture is unknown to the store"
        self._check_parts()
        stored |= {pk for (pk,) in self.sql("SELECT id FROM attempt WHERE error_code = 'poison'")}
        shop = self._world.shop
        for submission in shop.sent:
            came = submission.heard == "answer" and submission.behaviour in DRAWN
            known = submission.attempt_pk in stored or submission.row in shop.killers
            assert known or not came, f"an answer is unknown to the store: {submission}"

    def _check_parts(self) -> None:
        """A result is in part only where what was drawn was, or where nobody looks at the rest: to
        put it away may have ended the program twice."""
        in_part = (
            "SELECT a.id, a.outcome FROM result r JOIN attempt a ON a.id = r.attempt_id "
            "WHERE instr(r.flags, '\"partial\"') > 0"
        )
        for pk, outcome in self.sql(in_part):
            submission = self._world.shop.by(pk)
            assert submission is not None
            fate = submission.job.fate if submission.job else submission.behaviour
            aside = outcome == Outcome.ADOPTED and self._world.lives > 2
            drawn = fate in ("torn", "some", "one_gone", "gone")
            assert drawn or aside, f"{submission} is kept in part only"

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
                self.wire.pardoned[row] = sum(s is not before for s in self._world.shop.of(row))
