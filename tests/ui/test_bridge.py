"""Ten updates a second, whatever the engine does."""

from __future__ import annotations

from typing import Any

import shiboken6
from PySide6.QtWidgets import QApplication

from desktop_app.domain.bus import Bus
from desktop_app.domain.events import Alert, BatchChanged, EngineChanged, TasksChanged
from desktop_app.domain.text import message
from desktop_app.ui.bridge import MANY, Bridge
from desktop_app.ui.context import UiSignals


def _bridge(qapp: QApplication) -> tuple[Bus, Bridge, list[list[Any]]]:
    bus, signals = Bus(), UiSignals()
    bridge = Bridge(bus, signals)
    heard: list[list[Any]] = []
    signals.events.connect(heard.append)
    bridge.kept = signals  # type: ignore[attr-defined]
    return bus, bridge, heard


def test_a_burst_becomes_one_list_with_merged_tasks(qapp: QApplication) -> None:
    bus, bridge, heard = _bridge(qapp)
    for pk in range(500):
        bus.publish(TasksChanged(1, (pk, pk + 1)))
        bus.publish(EngineChanged())
    bus.publish(TasksChanged(2, (7,)))
    assert heard == []
    bridge.flush()
    (events,) = heard
    tasks = {e.batch_id: set(e.pks) for e in events if isinstance(e, TasksChanged)}
    assert tasks == {1: set(range(501)), 2: {7}}
    assert events.count(EngineChanged()) == 1


def test_many_or_unnamed_tasks_are_said_as_many(qapp: QApplication) -> None:
    bus, bridge, heard = _bridge(qapp)
    bus.publish(TasksChanged(1, tuple(range(MANY + 1))))
    bus.publish(TasksChanged(1, (5,)))
    bus.publish(TasksChanged(2, (1,)))
    bus.publish(TasksChanged(2))
    bridge.flush()
    assert sorted(heard[0], key=lambda e: e.batch_id) == [TasksChanged(1), TasksChanged(2)]


def test_the_timer_runs_only_while_something_waits(qapp: QApplication, qtbot: Any) -> None:
    bus, bridge, heard = _bridge(qapp)
    assert not bridge._timer.isActive()
    bus.publish(BatchChanged(3))
    assert bridge._timer.isActive()
    qtbot.waitUntil(lambda: bool(heard), timeout=5000)
    assert heard == [[BatchChanged(3)]]
    assert not bridge._timer.isActive()


def test_an_alert_whose_values_cannot_be_hashed_arrives(qapp: QApplication) -> None:
    bus, bridge, heard = _bridge(qapp)
    alert = Alert(message("text.plain", text="x"))
    bus.publish(alert)
    bridge.flush()
    assert [alert] in heard


def test_a_bridge_that_is_gone_is_not_called(qapp: QApplication) -> None:
    bus, bridge, _heard = _bridge(qapp)
    shiboken6.delete(bridge)
    bus.publish(BatchChanged(1))  # a listener that failed would be logged, and fail this test


def test_after_close_nothing_is_heard(qapp: QApplication) -> None:
    bus, bridge, heard = _bridge(qapp)
    bus.publish(BatchChanged(1))
    bridge.close()
    bus.publish(BatchChanged(2))
    bridge.flush()
    assert heard in ([], [[BatchChanged(1)]])
    assert [BatchChanged(2)] not in heard
