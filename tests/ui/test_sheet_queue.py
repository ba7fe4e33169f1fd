from __future__ import annotations

from pathlib import Path

from desktop_app.ui.sheet_queue import SheetQueue

A, B, C = Path("a.csv"), Path("b.csv"), Path("c.csv")


def test_one_after_another() -> None:
    queue = SheetQueue()
    queue.add([A, B, A])
    seen = []
    while (path := queue.take()) is not None:
        seen.append((path, queue.place, queue.total, queue.waiting))
        queue.done()
    assert seen == [(A, 1, 2, 1), (B, 2, 2, 0)]
    assert (queue.place, queue.total) == (0, 0)


def test_more_may_come_and_all_may_go() -> None:
    queue = SheetQueue()
    told = []
    queue.changed.connect(lambda: told.append(queue.total))
    queue.add([A])
    queue.take()
    queue.add([B, C])
    assert (queue.place, queue.total, queue.waiting) == (1, 3, 2)
    queue.leave_rest()
    assert (queue.total, queue.waiting, queue.take()) == (1, 0, None)
    assert told == [1, 3, 1]


def test_one_is_asked_about_again() -> None:
    queue = SheetQueue()
    queue.add([A, B])
    queue.take()
    queue.again(A)
    queue.done()
    assert queue.take() == A
    assert (queue.place, queue.total) == (1, 2)
