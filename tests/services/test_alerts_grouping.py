"""However much happens, a person is told a few times, and of the end exactly once."""

from __future__ import annotations

import itertools

from desktop_app.domain.events import Alert, AlertKind
from desktop_app.domain.text import message
from desktop_app.services.alerts_grouping import AlertGroups

DIED = message("engine.alert_dead", n=1)


def rows(batch_id: int = 1) -> Alert:
    return Alert(DIED, batch_id)


def finished(batch_id: int = 1) -> Alert:
    return Alert(message("engine.alert_finished"), batch_id, AlertKind.FINISHED)


def paused(reason: str, account: str = "account:a", connection_id: int = 7) -> Alert:
    said = message("engine.account_paused", name="fal", why=message(reason, host="fal.run"))
    return Alert(said, 1, AlertKind.ACCOUNT, account, connection_id)


def live(groups: AlertGroups, until: float, since: float = 0.0) -> list[tuple[float, Alert]]:
    """Look twice a second; what was told, and when."""
    told, now = [], since
    while now <= until:
        told += [(now, alert) for alert in groups.take(now)]
        now += 0.5
    return told


def test_twenty_thousand_rows_that_die_at_once_are_told_once() -> None:
    groups = AlertGroups()
    for _ in range(20_000):
        groups.add(rows(), 0.0)
    assert len(live(groups, 3600)) == 1
    assert not groups.waiting


def test_rows_that_die_for_three_hours_are_told_in_growing_steps() -> None:
    groups, told, now = AlertGroups(), [], 0.0
    for _ in range(20_000):
        groups.add(rows(), now)
        told += [now for _ in groups.take(now)]
        now += 3 * 3600 / 20_000
    gaps = [round(b - a) for a, b in itertools.pairwise(told)]
    assert told[0] == 0.0
    assert gaps == [30, 120, 480, 1800, 1800, 1800, 1800, 1800]


def test_after_a_quiet_time_the_next_row_is_told_at_once() -> None:
    groups = AlertGroups()
    groups.add(rows(), 0.0)
    assert len(groups.take(0.5)) == 1
    groups.add(rows(), 100.0)
    assert len(groups.take(100.0)) == 1
    groups.add(rows(), 101.0)
    assert groups.take(102.0) == []
    assert groups.waiting
    assert len(groups.take(130.0)) == 1


def test_batches_do_not_wait_for_each_other() -> None:
    groups = AlertGroups()
    groups.add(rows(1), 0.0)
    groups.take(0.5)
    groups.add(rows(2), 1.0)
    assert [alert.batch_id for alert in groups.take(1.0)] == [2]


def test_the_end_of_a_batch_speaks_for_its_rows() -> None:
    groups = AlertGroups()
    groups.add(rows(1), 0.0)
    groups.add(rows(2), 0.0)
    groups.add(finished(1), 0.0)
    told = groups.take(0.5)
    assert [(alert.kind, alert.batch_id) for alert in told] == [
        (AlertKind.FINISHED, 1),
        (AlertKind.ROWS, 2),
    ]
    assert live(groups, 3600) == []


def test_an_account_is_told_once_a_reason_until_it_is_mended() -> None:
    groups = AlertGroups()
    for _ in range(50):
        groups.add(paused("providers.auth"), 0.0)
    assert len(groups.take(0.0)) == 1

    groups.add(paused("providers.auth"), 600.0)  # tried again, refused again
    assert not groups.waiting
    groups.add(paused("providers.balance"), 700.0)
    assert len(groups.take(700.0)) == 1
    groups.add(paused("providers.auth", "account:b", 8), 700.0)
    assert len(groups.take(700.0)) == 1

    assert groups.paused == {7, 8}
    groups.mended({7})
    assert groups.paused == {8}
    groups.add(paused("providers.balance"), 800.0)
    assert len(groups.take(800.0)) == 1


def test_at_the_end_nothing_is_held_back() -> None:
    groups = AlertGroups()
    groups.add(rows(), 0.0)
    groups.take(0.0)
    groups.add(rows(), 1.0)
    groups.add(finished(2), 1.0)
    assert [alert.kind for alert in groups.take_all()] == [AlertKind.FINISHED, AlertKind.ROWS]
    assert not groups.waiting
