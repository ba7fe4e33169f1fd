"""The whole small world: a store that lasts, a provider that lasts, and lives of the program."""

from __future__ import annotations

import asyncio
import random
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from desktop_app.domain.batch import Batch, LaneOnDead, SheetMapping
from desktop_app.domain.bus import Bus
from desktop_app.domain.connection import Connection, Limits, OnUnknown
from desktop_app.domain.money import Price, PriceUnit
from desktop_app.domain.task import REQUEUEABLE, UNFINISHED, Draft, Request, TaskState
from desktop_app.domain.text import message
from desktop_app.domain.transitions import is_legal
from desktop_app.domain.views import TaskFilter
from desktop_app.engine.engine import Engine
from desktop_app.store import migrate
from desktop_app.store.connect import open_writer, raw
from tests.engine.fakes import FakeAwake, FakeSecrets
from tests.engine.virtual import EPOCH
from tests.model.process import Life, MortalLoop, MortalWire, Rooms, open_on_loop
from tests.model.shop import Adapters, Disk, Files, Shop, Submission

S = TaskState
BATCH = 1
PRICE = Decimal("0.04")


class LoopClock:
    """Time of the loop, and a wall clock that may be set."""

    def __init__(self, loop: MortalLoop, offset: float) -> None:
        self._loop = loop
        self.offset = offset

    def now(self) -> float:
        return EPOCH + self._loop.time() + self.offset

    def monotonic(self) -> float:
        return self._loop.time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


@dataclass
class Program:
    """One life: loop, store and engine."""

    life: Life
    loop: MortalLoop
    clock: LoopClock
    store: Rooms
    engine: Engine
    let_go: Any
    resumed: bool = False


@dataclass
class World:
    """``rows`` rows under ``policy``; every rule about what may happen is checked here."""

    folder: Path
    rows: int = 4
    policy: OnUnknown = OnUnknown.HOLD
    idempotent: bool = False
    lanes: bool = False
    concurrency: int = 2
    behaviours: Iterable[str] = ()
    retries: int = 3
    rate: float | None = None
    shop: Shop = field(init=False)
    program: Program | None = None

    def __post_init__(self) -> None:
        self.path = self.folder / "store.db"
        self.shop = Shop(self.idempotent, iter(self.behaviours))
        self.shop.on_sent = self._sent
        self.disk = Disk()
        self.pardoned: dict[str, int] = {}
        self.states: dict[str, S] = {}
        self.at = 1000.0
        self.offset = 0.0
        self.noted = 0
        self._eye: sqlite3.Connection | None = None
        self.sound = False  # whether the last look found nothing wrong
        self.faults: list[str] = []
        self._import()

    # --- lives ---------------------------------------------------------------------------------

    def begin(self, *, start: bool = True) -> None:
        """The program starts."""
        assert self.program is None
        life = Life()
        loop = MortalLoop(life, self.at)
        clock = LoopClock(loop, self.offset)
        wire = MortalWire(self.path.with_name("store.db.wire"), life, self._note)
        store, let_go = open_on_loop(self.path, life, clock, wire)
        engine = Engine(
            store=store.engine,
            actions=store.actions,
            connections=store.connections,
            adapters=Adapters(self.shop, life, lambda: self.noted),
            files=Files(self.disk, life),
            secrets=FakeSecrets(),
            awake=FakeAwake(),
            clock=clock,
            bus=Bus(),
            draw=random.Random(7).random,
        )
        self.program = Program(life, loop, clock, store, engine, let_go)
        if start:
            loop.until_done(engine.start())

    def end(self, *, gently: bool = False) -> None:
        """The program is killed, or quits."""
        program = self.program
        assert program is not None
        if gently:
            program.loop.until_done(program.engine.stop())
        program.life.die()
        program.loop.bury()
        program.let_go()
        self.at = program.loop.time() + 3.0
        self.offset = program.clock.offset
        self.program = None
        self.check()

    def settle_death(self) -> None:
        """If the last step killed the program: bury it."""
        if self.program is not None and self.program.life.dead:
            self.end()

    # --- what a person does --------------------------------------------------------------------

    def resume(self) -> None:
        assert self.program is not None
        self.program.resumed = True
        self.program.loop.until_done(self.program.engine.resume(BATCH))

    def pause(self, *, now: bool) -> None:
        assert self.program is not None
        self.program.loop.until_done(self.program.engine.pause(BATCH, now=now))

    def cancel(self, row: int) -> None:
        assert self.program is not None
        self.program.loop.until_done(self.program.engine.cancel(self._which(row)))

    def requeue(self, row: int) -> None:
        self._person(lambda actions, now: actions.requeue(self._which(row), now))

    def edit(self, row: int) -> None:
        prompt = self._prompt(row)
        self._person(lambda actions, now: actions.edit_and_requeue(row, prompt, now))

    def resend(self, row: int) -> None:
        self._person(lambda actions, now: actions.settle_resend(row, now))

    def say_failed(self, row: int) -> None:
        said = message("store.no_reason")
        self._person(lambda actions, now: actions.settle_failed(row, said, now))

    def try_again(self) -> None:
        assert self.program is not None
        self.program.loop.until_done(self.program.engine.retry_account(1))

    def jump(self, seconds: float) -> None:
        assert self.program is not None
        self.program.clock.offset += seconds

    def _person(self, act: Any) -> None:
        program = self.program
        assert program is not None
        before = self._read_states()
        sent = {row: len(self.shop.of(row)) for row in before}
        program.loop.until_done(act(program.store.actions, program.clock.now()))
        for row, state in self._read_states().items():
            if before[row] in REQUEUEABLE and state is not before[row]:
                self.pardoned[row] = sent[row]
        program.engine.wake()

    def _which(self, row: int) -> TaskFilter:
        return TaskFilter(batch_id=BATCH, pks=(row,))

    # --- the rules -----------------------------------------------------------------------------

    def _note(self, attempt_pk: int) -> None:
        self.noted = attempt_pk

    def _sent(self, submission: Submission) -> None:
        assert self.program is not None
        assert self.program.resumed, "sent before a person resumed"
        row = submission.row
        state, attempt_id, attempt_row, outcome = self._sql(
            "SELECT t.state, t.attempt_id, a.task_pk = t.id, a.outcome FROM task t "
            "JOIN payload p ON p.task_pk = t.id LEFT JOIN attempt a ON a.id = ? "
            "WHERE p.prompt = ?",
            submission.attempt_pk,
            row,
        )[0]
        assert (state, attempt_id, outcome) == (S.RUNNING, submission.attempt_pk, "open")
        assert attempt_row, "another row's attempt"
        earlier = self.shop.of(row)[self.pardoned.get(row, 0) :]
        if not submission.billed or self.policy is OnUnknown.RESEND:
            return
        assert not any(s.billed for s in earlier), f"{row} is paid twice: {earlier}"

    def check(self) -> None:
        """What must be true after every step."""
        self.sound = False
        assert not self.faults, self.faults
        states = self._read_states()
        assert len(states) == self.rows, "rows were lost"
        for row, state in states.items():
            before = self.states.get(row, state)
            assert before is state or _reachable(before, state), f"{row}: {before} -> {state}"
        self.states = states
        self._check_books(states)
        self._check_doubt(states)
        for (path,) in self._sql(
            "SELECT r.path FROM task t LEFT JOIN result r ON r.id = t.result_id WHERE t.state = 3"
        ):
            assert path in {kept.path for kept in self.disk.kept.values()}, (
                "a success lost its file"
            )
        self.sound = True

    def _check_books(self, states: dict[str, S]) -> None:
        tally = dict(self._sql("SELECT state, n FROM tally WHERE n > 0"))
        assert tally == dict(Counter(int(s) for s in states.values())), "the ledger is wrong"
        [(attempts, throttled, unpriced)] = self._sql(
            "SELECT attempts, throttled, unpriced FROM calls"
        )
        [recount] = self._sql(
            "SELECT coalesce(sum(sent), 0), coalesce(sum(outcome = 'throttled'), 0), "
            "coalesce(sum(billed = 'yes' AND cost_nano IS NULL), 0) FROM attempt"
        )
        assert (attempts, throttled, unpriced) == recount
        spent = sum(nano for (nano,) in self._sql("SELECT nano FROM spent"))
        [(cost,)] = self._sql(
            "SELECT coalesce(sum(cost_nano), 0) FROM attempt "
            "WHERE billed <> 'no' AND cost_nano IS NOT NULL"
        )
        assert spent == cost, "money does not add up"

    def _check_doubt(self, states: dict[str, S]) -> None:
        for row, state in states.items():
            if state is not S.UNCERTAIN:
                continue
            submission = self.shop.of(row)[-1]
            doubtful = submission.heard in ("nothing", "unknown") or (
                submission.heard == "answer"
                and submission.attempt_pk not in self.disk.kept
                and (submission.life.dead or submission.behaviour == "bad")
            )
            assert doubtful, f"{row} is called uncertain: {submission}"

    def check_end(self) -> None:
        """After all trouble: the program runs on to the end, and nothing is stuck or lost."""
        self.shop.behaviours = iter(())
        self.disk.gone = False
        if self.program is None:
            self.begin()
        program = self.program
        assert program is not None
        program.life.steps_left = program.life.commits_left = None
        self.resume()
        for _ in range(60):
            program.loop.for_a_while(120.0)
            self.check()
            if not UNFINISHED & set(self.states.values()):
                break
            self.try_again()
            self.resume()
        else:
            raise AssertionError(f"rows are stuck: {self.states}")
        self.end(gently=True)
        stored = {pk for (pk,) in self._sql("SELECT attempt_id FROM result")}
        assert set(self.disk.kept) <= stored, "a paid picture is unknown to the store"

    # --- looks from outside --------------------------------------------------------------------

    def _read_states(self) -> dict[str, S]:
        rows = self._sql("SELECT p.prompt, t.state FROM task t JOIN payload p ON p.task_pk = t.id")
        return {prompt: S(state) for prompt, state in rows}

    def _prompt(self, row: int) -> str:
        return f"row {row}"

    def _sql(self, sql: str, *values: Any) -> list[Any]:
        if self._eye is None:
            self._eye = sqlite3.connect(self.path, isolation_level=None)
        return self._eye.execute(sql, values).fetchall()

    def close(self) -> None:
        """Let go of everything, also in the middle of a failure."""
        if self._eye is not None:
            self._eye.close()
        if self.program is not None:
            self.program.life.die()
            self.program.loop.bury()
            self.program.let_go()
        shutil.rmtree(self.folder)

    def _import(self) -> None:
        """A sealed batch with one connection."""
        made_of = (self.rows, self.policy, self.lanes, self.concurrency, self.retries, self.rate)
        template = self.folder.parent / f"{'-'.join(map(str, made_of))}.db"
        if not template.exists():
            self._make(template)
        shutil.copy(template, self.path)

    def _make(self, path: Path) -> None:
        life = Life()
        loop = MortalLoop(life, 1000.0)
        clock = LoopClock(loop, 0.0)
        wire = MortalWire(path.with_suffix(".wire"), life, self._note)
        database = open_writer(path)
        migrate.migrate(raw(database), path)
        database.close()
        store, let_go = open_on_loop(path, life, clock, wire)

        async def fill() -> None:
            connection = await store.connections.save(
                Connection(
                    "fal",
                    "fake",
                    "https://api.example.com/v1",
                    "m",
                    limits=Limits(concurrency=self.concurrency, rate=self.rate, headroom=1.0),
                    price=Price(PRICE, PriceUnit.IMAGE, "USD"),
                    on_unknown=self.policy,
                    retries=self.retries,
                )
            )
            batch = Batch(
                0, "b", "s.csv", "h", "f", ("prompt",), SheetMapping("prompt"), connection.id,
                "/out", 0.0, lane_on_dead=LaneOnDead.GO,
            )  # fmt: skip
            batch_id = await store.imports.begin(batch)
            drafts = [
                Draft(
                    row_no=n + 1,
                    cells=(self._prompt(n),),
                    request=Request(self._prompt(n)),
                    stem=f"{n:04}",
                    lane="x" if self.lanes and n % 2 else None,
                )
                for n in range(1, self.rows + 1)
            ]
            await store.imports.add(batch_id, drafts)
            await store.imports.seal(batch_id)

        loop.until_done(fill())
        life.die()
        loop.bury()
        let_go()


def _reachable(start: S, end: S) -> bool:
    """Whether a few legal moves lead from one state to the other."""
    seen, edge = {start}, {start}
    for _ in range(8):
        edge = {b for a in edge for b in S if is_legal(a, b)} - seen
        seen |= edge
    return end in seen
