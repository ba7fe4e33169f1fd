"""What persons do to the world: at the window, in a terminal beside it, and with the sheet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop_app.domain.batch import BatchPriority, LaneOnDead
from desktop_app.domain.money import Price, PriceUnit
from desktop_app.domain.ports import Command
from desktop_app.domain.task import REQUEUEABLE, TaskState
from desktop_app.domain.views import TaskFilter
from desktop_app.services.sheet_changes import compare
from tests.model.life import Life, LoopClock, MortalLoop
from tests.model.program import Program
from tests.model.rooms import MortalWire, Rooms
from tests.model.sheet import PRICE
from tests.model.shop import prompt_of

if TYPE_CHECKING:
    from tests.model.world import World

FOUND = Path("found.png")


class People:
    """Every method is one act. Rows are their pks, batches and connections their ids."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.versions: dict[int, int] = {}
        self.misunderstood = False  # an adapter was away for a while

    @property
    def _program(self) -> Program:
        return self._world.alive

    # --- a batch -------------------------------------------------------------------------------

    def resume(self, batch_id: int = 1) -> None:
        self._world.rules.resumed(batch_id)
        self._world.do(self._program.runs.start(batch_id))

    def pause(self, batch_id: int = 1, *, now: bool = False) -> None:
        self._world.do(self._program.runs.pause(batch_id, now=now))
        if now and not self._program.life.dead:
            self._world.rules.stopped(batch_id)

    def try_again(self, batch_id: int = 1) -> None:
        self._world.rules.tried_again(batch_id)
        self._world.do(self._program.runs.retry_account(batch_id))

    def cap(self, calls: int | None, batch_id: int = 1) -> None:
        """No more of the batch than so many calls may cost at most; None lifts the cap."""
        program = self._program
        if calls is None:
            self._world.do(program.store.engine.set_budget(batch_id, None))
        else:
            self._world.do(program.runs.cap(batch_id, None, self._world.spec.price * calls))
        self._world.rules.wire.caps.changed(batch_id)

    def prioritise(self, priority: BatchPriority, batch_id: int = 1) -> None:
        self._world.do(self._program.priorities.set(batch_id, priority))

    def set_currency(self, currency: str, batch_id: int = 1) -> None:
        self._change(batch_id, price=Price(PRICE, PriceUnit.IMAGE, currency))

    def set_adapter(self, adapter: str, batch_id: int = 1) -> None:
        self.misunderstood |= adapter == "gone"
        self._change(batch_id, adapter=adapter)

    def mend_all(self) -> None:
        """No caps and no trial any more, and connections that can be used."""
        for batch_id in self._world.batches:
            self.set_adapter("fake", batch_id)
            self.set_currency("USD", batch_id)
            self._change(batch_id, day_budget=None)
            self.cap(None, batch_id)
            self._world.do(self._program.store.engine.set_max_calls(batch_id, None))
            self._world.do(self._program.runs.run_rest(batch_id))

    def _change(self, connection_id: int, **changes: Any) -> None:
        program = self._program

        async def change() -> None:
            connection = await program.store.connections.get(connection_id)
            assert connection is not None
            await program.store.connections.save(replace(connection, **changes))
            await program.engine.connection_changed(connection_id)

        self._world.rules.tried_again(connection_id)
        self._world.do(change())

    # --- a row ---------------------------------------------------------------------------------

    def cancel(self, row: int) -> None:
        self._world.rules.given_up.add(row)
        self._world.do(self._program.runs.cancel(self._which(row)))
        if not self._program.life.dead:
            self._world.rules.wire.cancelled.add(row)

    def requeue(self, row: int) -> None:
        self._again(self._program.dead_letters.requeue(self._which(row)), row)

    def edit(self, row: int) -> None:
        version = self._next_version(row)
        self._world.rules.given_up.add(row)
        letters = self._program.dead_letters
        self._again(letters.edit_and_requeue(row, prompt_of(row, version)), row, doubtful=True)

    def resend(self, row: int) -> None:
        self._again(self._program.dead_letters.settle_resend(row), row, doubtful=True)

    def say_failed(self, row: int) -> None:
        self._world.do(self._program.dead_letters.settle_failed(row))

    def attach(self, row: int) -> None:
        self._world.do(self._program.dead_letters.settle_attach(row, FOUND))

    def ask(self, row: int) -> None:
        self._world.do(self._program.dead_letters.settle_ask(row))

    def settle_all(self, how: str, batch_id: int = 1) -> None:
        """``how``: ``failed``, ``resend``, ``ask``, or ``attach`` what lies in the world's folder,
        of all that is uncertain in the batch."""
        letters, which = self._program.dead_letters, TaskFilter(batch_id=batch_id)
        if how == "failed":
            self._world.do(letters.settle_failed_all(which))
        elif how == "ask":
            self._world.do(letters.settle_ask_all(which))
        elif how == "attach":
            self._world.do(letters.settle_attach_all(which, self._world.folder))
        else:
            every = range(1, self._world.spec.rows + 1)
            self._again(letters.settle_resend_all(which), *every, doubtful=True)

    def unblock_lanes(self) -> None:
        """A lane that stops on a dead letter goes on once that is requeued."""
        if self._world.spec.lanes is LaneOnDead.STOP:
            for row, state in self._world.states.items():
                if state is TaskState.UNCERTAIN:
                    self.resend(row)
                elif state in REQUEUEABLE:
                    self.requeue(row)

    def find_file(self, row: int) -> None:
        """A file of the name that is reserved for the row's result lies in the world's folder."""
        [(stem,)] = self._world.rules.sql("SELECT stem FROM task WHERE id = ?", row)
        (self._world.folder / f"{stem}.png").touch()

    def _again(self, work: Any, *rows: int, doubtful: bool = False) -> None:
        with self._world.rules.may_be_paid_again(*rows, doubtful=doubtful):
            self._world.do(work)

    def _which(self, row: int) -> TaskFilter:
        return TaskFilter(batch_id=self._world.spec.batch_of(row), pks=(row,))

    # --- the sheet -----------------------------------------------------------------------------

    def change_sheet(
        self,
        rows: Iterable[int],
        *,
        undo: bool = False,
        agreed: bool = True,
        without: Iterable[int] = (),
    ) -> None:
        """These rows ask for something new, or with ``undo`` for what they asked first, and the
        sheet is imported again; ``without`` these others. ``agreed``: paid rows may be paid for
        once more."""
        for row in rows:
            if undo:
                self.versions[row] = 1
            else:
                self._next_version(row)
        if agreed:
            self._world.rules.agreed.update(self.versions)
        self._world.rules.given_up.update(self._world.states)
        for batch_id in self._world.batches:
            self._world.do(self._import_again(batch_id, agreed, frozenset(without)))

    async def _import_again(self, batch_id: int, agreed: bool, without: frozenset[int]) -> None:
        program, spec = self._program, self._world.spec
        batch = await program.store.engine.batch(batch_id)
        assert batch is not None
        known = await program.store.imports.known_rows(batch_id, batch.columns)
        drafts = spec.drafts(batch_id, self.versions)
        changes = compare(known, [d for d in drafts if d.row_no - 1 not in without])
        assert not changes.new
        await program.store.imports.update(
            batch,
            changes.every,
            program.clock.now(),
            again=[change.known.pk for change in changes.paid] if agreed else (),
            gone=changes.waiting_gone,
        )
        program.engine.wake()

    def _next_version(self, row: int) -> int:
        newest = self._world.rules.newest
        self.versions[row] = newest[row] = newest.get(row, 1) + 1
        return newest[row]

    # --- another process -----------------------------------------------------------------------

    def tell(self, verb: str, **args: Any) -> int:
        """Another process leaves a command for the running program; returns the command's id."""
        self._permit(verb, args)
        self._program.told = True
        loop = MortalLoop(Life(), self._program.loop.time())
        clock = LoopClock(loop, self._program.clock.offset)
        path = self._world.path
        wire = MortalWire(path.with_name("guest.wire"), loop.life, lambda _pk: None)
        store = Rooms(path, loop.life, clock, wire)
        command: int = loop.until_done(store.commands.post(verb, self._named(args)))
        loop.bury()
        store.close()
        if verb == "pause":
            self._world.rules.pauses[command] = args["batch"]
        return command

    def verb(self, verb: str, **args: Any) -> None:
        """A verb in a terminal while nothing runs: it opens the folder itself."""
        self._world.begin(start=False)
        self._permit(verb, args)
        self._world.do(self._program.obey.do(Command(0, verb, self._named(args))))
        self._world.end(gently=True)

    def _permit(self, verb: str, args: Mapping[str, Any]) -> None:
        rules, row = self._world.rules, args.get("row")
        rows = range(1, self._world.spec.rows + 1) if row is None else (row,)
        if verb == "resume":
            rules.resumed(args["batch"])
        elif verb == "cancel":
            rules.given_up.update(rows)
        elif verb == "requeue" or args.get("how") == "resend":
            is_doubtful = "uncertain" in args.get("states", ()) or verb == "settle"
            rules.ask(rows, doubtful=is_doubtful)

    def _named(self, args: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as a verb writes them: a row by its pk, or a task by its id."""
        named = {name: value for name, value in args.items() if name != "row"}
        row = args.get("row")
        if row is not None and "how" in args:
            [(named["task"],)] = self._world.rules.sql("SELECT task_id FROM task WHERE id = ?", row)
        elif row is not None:
            named["pks"] = [row]
        return named
