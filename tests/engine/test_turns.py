"""Whose turn it is: a higher priority's alone, and equal ones' in the order of their ids."""

from __future__ import annotations

from desktop_app.domain.batch import Batch, BatchPriority, SheetMapping
from desktop_app.engine.turns import Turns

LOW, NORMAL, HIGH = BatchPriority


def batch(id_: int, priority: BatchPriority = NORMAL) -> Batch:
    mapping = SheetMapping("prompt")
    return Batch(
        id_, f"b{id_}", "", "", "", ("prompt",), mapping, 1, "/out", 0.0, priority=priority
    )


def round_of(turns: Turns, most: int) -> list[int]:
    """The ids served while every batch always has more."""
    served = []
    for _ in range(most):
        one = turns.next()
        assert one is not None
        served.append(one.id)
        turns.take(1)
        turns.again()
    return served


def test_equal_ones_go_on_where_the_last_round_ended() -> None:
    last: dict[BatchPriority, int] = {}
    three = [batch(3), batch(1), batch(2)]
    assert round_of(Turns(three, last), 2) == [1, 2]
    assert round_of(Turns(three, last), 5) == [3, 1, 2, 3, 1]
    assert round_of(Turns([batch(1), batch(3)], last), 2) == [3, 1]


def test_a_lower_one_comes_only_once_the_higher_are_out_and_keeps_its_own_turn() -> None:
    last: dict[BatchPriority, int] = {}
    all_ = [batch(1, LOW), batch(2, HIGH), batch(3, LOW), batch(4, HIGH)]
    assert round_of(Turns(all_, last), 3) == [2, 4, 2]
    turns = Turns(all_, last)
    for id_, left in ((4, [4, 2, 1, 3]), (2, [2, 1, 3])):
        assert [one.id for one in turns.left()] == left
        assert (one := turns.next()) is not None
        assert one.id == id_
        turns.take(1)
        turns.out()
    assert [one.id for one in turns.left()] == [1, 3]
    assert round_of(turns, 3) == [1, 3, 1]
    # What the low ones did is not what the high ones' turn goes by, nor the other way.
    assert last == {HIGH: 2, LOW: 1}
    assert round_of(Turns(all_, last), 1) == [4]


def test_the_room_is_shared_by_equals_and_never_with_lower_ones() -> None:
    turns = Turns([batch(1), batch(2), batch(3, LOW)], {})
    assert turns.take(9) == 5
    turns.out()
    assert turns.take(4) == 4
    turns.out()
    assert turns.take(1) == 1
    turns.out()
    assert turns.next() is None
