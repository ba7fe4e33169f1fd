"""Persons who do what they like to a small world, for hypothesis to put into any order."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
from hypothesis.stateful import precondition, rule

from desktop_app.domain.batch import BatchPriority
from tests.model.machine import Machine, batch, lives, row


class Crowd(Machine):
    """All that a machine does, and what persons do to it."""

    @precondition(lives)
    @rule(batch=batch, now=st.booleans())
    def pause(self, batch: int, now: bool) -> None:
        self.world.people.pause(self._batch(batch), now=now)

    @precondition(lives)
    @rule(batch=batch)
    def resume(self, batch: int) -> None:
        self.world.people.resume(self._batch(batch))

    @precondition(lives)
    @rule(batch=batch)
    def try_again(self, batch: int) -> None:
        self.world.people.try_again(self._batch(batch))

    @precondition(lives)
    @rule(row=row, act=st.sampled_from(["cancel", "requeue", "requeue", "edit"]))
    def change_a_row(self, row: int, act: str) -> None:
        getattr(self.world.people, act)(row)

    @precondition(lives)
    @rule(row=row, act=st.sampled_from(["resend", "say_failed", "attach", "ask"]))
    def settle(self, row: int, act: str) -> None:
        getattr(self.world.people, act)(row)

    @precondition(lives)
    @rule(how=st.sampled_from(["ask", "resend", "failed"]), batch=batch)
    def settle_all(self, how: str, batch: int) -> None:
        self.world.people.settle_all(how, self._batch(batch))

    @precondition(lives)
    @rule(
        rows=st.sets(row),
        undo=st.sampled_from([False, False, True]),
        agreed=st.booleans(),
        without=st.sampled_from([(), (), (2,), (1, 3)]),
    )
    def change_the_sheet(
        self, rows: set[int], undo: bool, agreed: bool, without: tuple[int, ...]
    ) -> None:
        self.world.people.change_sheet(sorted(rows), undo=undo, agreed=agreed, without=without)

    @precondition(lives)
    @rule(calls=st.sampled_from([0, 1, 3, 5, None]), batch=batch)
    def change_the_cap(self, calls: int | None, batch: int) -> None:
        self.world.people.cap(calls, self._batch(batch))

    @precondition(lives)
    @rule(priority=st.sampled_from(list(BatchPriority)), batch=batch)
    def prioritise(self, priority: BatchPriority, batch: int) -> None:
        self.world.people.prioritise(priority, self._batch(batch))

    @precondition(lives)
    @rule(currency=st.sampled_from(["EUR", "USD"]), batch=batch)
    def change_the_currency(self, currency: str, batch: int) -> None:
        self.world.people.set_currency(currency, self._batch(batch))

    @rule(
        verb=st.sampled_from(["pause", "resume", "cancel", "requeue", "settle"]),
        row=row,
        how=st.sampled_from(["failed", "resend", "attach", "ask"]),
        seconds=st.sampled_from([0.0, 2.0]),
    )
    def command(self, verb: str, row: int, how: str, seconds: float) -> None:
        people, batch_id = self.world.people, self.world.spec.batch_of(row)
        args: dict[str, Any] = {"batch": batch_id}
        if verb == "settle":
            args = {"row": row, "how": how, "file": "found.png"}
        elif verb in ("cancel", "requeue"):
            args["row"] = row
        if lives(self):
            people.tell(verb, **args)
            self.world.live(seconds)
        elif verb != "resume":  # that one starts the engine, as ``start`` does
            people.verb(verb, **args)
