"""A call that was acted on is known again for as long as its time would pass."""

from __future__ import annotations

from desktop_app.providers.callbacks.replays import Replays


def test_a_call_is_new_once_within_its_time() -> None:
    replays = Replays()
    assert replays.is_new(1, "a", 0)
    assert replays.is_new(1, "a", 1)  # asking is not acting
    replays.heard(1, "a", 1, 600)
    assert not replays.is_new(1, "a", 600)
    assert replays.is_new(1, "b", 2)
    assert replays.is_new(2, "a", 2)
    assert replays.is_new(1, "a", 601)


def test_it_remembers_no_more_than_it_is_told_to() -> None:
    replays = Replays(most=3)
    for n in range(5):
        replays.heard(n, "a", 0, 600)
    assert [replays.is_new(n, "a", 1) for n in range(5)] == [True, True, False, False, False]
