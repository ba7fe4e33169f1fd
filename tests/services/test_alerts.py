"""From the engine's alerts to the sentences a person reads, in virtual time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from desktop_app.domain.bus import Bus
from desktop_app.domain.events import (
    Alert,
    AlertKind,
    ConnectionsChanged,
    EngineChanged,
    Notification,
)
from desktop_app.domain.ledger import Ledger
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import Message, Translator, message
from desktop_app.domain.views import BatchSummary, DeadGroup
from desktop_app.services.alerts import Alerts
from desktop_app.services.alerts_words import render, unquoted
from tests.engine.virtual import VirtualClock, run
from tests.ui.fakes import make_batch

LOCALE = Path(__file__).parents[2] / "resources" / "locale"


def group(state: TaskState, kind: str, count: int) -> DeadGroup:
    said = message("text.plain", text="a red sneaker sk-secret")
    return DeadGroup(state, kind, kind, said, said, count, ())


class FakePages:
    def __init__(self) -> None:
        self.ledger = Ledger()
        self.groups: list[DeadGroup] = []
        self.name = "Spring shoes"
        self.broken = False

    async def batch_summary(self, batch_id: int) -> BatchSummary | None:
        if self.broken:
            raise OSError("disk")
        if batch_id > 9:
            return None
        return BatchSummary(make_batch(batch_id, self.name), self.ledger, "OpenAI")

    async def dead_groups(self, batch_id: int | None) -> list[DeadGroup]:
        return self.groups


class FakeEngine:
    def __init__(self) -> None:
        self.states: dict[int, tuple[str, Message | None]] = {}
        self.fault: Message | None = None

    def trouble(self) -> Message | None:
        return self.fault

    def account_states(self) -> dict[int, tuple[str, Message | None]]:
        return self.states


class World:
    """An ``Alerts`` among fakes; ``told`` is all it published, with the time."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.bus = Bus()
        self.pages = FakePages()
        self.engine = FakeEngine()
        self.values: dict[str, Any] = {}
        self.told: list[Notification] = []
        self.bus.subscribe(lambda e: self.told.append(e) if isinstance(e, Notification) else None)
        parts: dict[str, Any] = {
            "pages": self.pages,
            "engine": self.engine,
            "preferences": self,
            "clock": self.clock,
            "bus": self.bus,
        }
        self.alerts = Alerts(**parts)

    def get(self, key: str, default: Any = None) -> Any:
        return self.values.get(key, default)

    def said(self, language: str = "en") -> list[str]:
        tr = Translator(language, LOCALE)
        return [" | ".join(render(tr, told)) for told in self.told]


@asynccontextmanager
async def world() -> AsyncIterator[World]:
    made = World()
    made.alerts.begin()
    yield made
    await made.alerts.stop()


ROWS = Alert(message("engine.alert_dead", n=1), 1)
END = Alert(message("engine.alert_finished"), 1, AlertKind.FINISHED)
REFUSED = Alert(
    message(
        "engine.account_paused",
        name="fal",
        why=message("providers.forbidden_said", host="fal.run", text="sk-123 may not: red shoe"),
    ),
    1,
    AlertKind.ACCOUNT,
    "account:fal#1",
    7,
)


FULL = message("exports.disk_full", folder="D:/shoes")


def test_a_full_disk_that_lasts_is_told_once_until_it_is_mended() -> None:
    async def body() -> None:
        async with world() as here:
            for _ in range(2):
                here.engine.fault = FULL
                for _ in range(50):
                    here.bus.publish(EngineChanged())
                    await here.clock.sleep(60)
                    here.engine.fault = message("exports.disk_nearly_full")
                here.engine.fault = None
                here.bus.publish(EngineChanged())
                await here.clock.sleep(60)
            assert (
                here.said()
                == ["Batchwright is paused | The disk of D:/shoes is full; free some space."] * 2
            )
            assert {told.tag for told in here.told} == {"local"}

    run(body())


def test_a_trouble_that_passes_calls_nobody() -> None:
    async def body() -> None:
        async with world() as here:
            here.engine.fault = message("store.busy")
            here.bus.publish(EngineChanged())
            await here.clock.sleep(5)
            here.engine.fault = None
            here.bus.publish(EngineChanged())
            await here.clock.sleep(3600)
            assert here.told == []

    run(body())


def test_a_full_disk_calls_nobody_who_does_not_want_to_be_called() -> None:
    async def body() -> None:
        async with world() as here:
            here.values["notify.needs_you"] = False
            here.engine.fault = FULL
            here.bus.publish(EngineChanged())
            await here.clock.sleep(3600)
            assert here.told == []

    run(body())


def test_twenty_thousand_dead_rows_are_one_notification_with_their_causes() -> None:
    async def body() -> None:
        async with world() as here:
            here.pages.groups = [
                group(TaskState.FAILED, "refused", 12_000),
                group(TaskState.UNCERTAIN, "unknown", 8_000),
            ]
            for _ in range(20_000):
                here.bus.publish(ROWS)
            await here.clock.sleep(3600)
            assert here.said() == [
                "Spring shoes: 20,000 rows need you | "
                "8,000 may have been billed · 12,000 refused by the provider"
            ]
            assert here.said("zh_CN") == [
                "“Spring shoes”：20,000 行需要您处理 | 8,000 行可能已计费 · 12,000 行被服务商拒绝"
            ]
            assert (here.told[0].batch_id, here.told[0].needs_you) == (1, True)

    run(body())


def test_the_first_row_is_told_within_a_second_and_the_number_grows_on_one_tag() -> None:
    async def body() -> None:
        async with world() as here:
            here.pages.groups = [group(TaskState.DEAD, "transient", 1)]
            here.bus.publish(ROWS)
            await here.clock.sleep(1)
            assert here.said() == ["Spring shoes: 1 row needs you | 1 failed after every retry"]
            here.pages.groups = [group(TaskState.DEAD, "transient", 12)]
            here.bus.publish(ROWS)
            await here.clock.sleep(28)
            assert len(here.told) == 1
            await here.clock.sleep(3)
            assert len(here.told) == 2
            assert {told.tag for told in here.told} == {"batch-1"}

    run(body())


@pytest.mark.parametrize(
    ("ledger", "said", "needs_you"),
    [
        (Ledger(success=200), "All came out: 200.", False),
        (Ledger(success=196, failed=3, dead=1), "196 came out, 4 need you.", True),
        (Ledger(dead=4), "None came out, 4 need you.", True),
        (Ledger(cancelled=4), None, False),
    ],
)
def test_the_end_is_told_once_and_absorbs_the_rows(
    ledger: Ledger, said: str | None, needs_you: bool
) -> None:
    async def body() -> None:
        async with world() as here:
            here.pages.ledger = ledger
            here.pages.groups = [group(TaskState.DEAD, "transient", 4)]
            here.bus.publish(ROWS)
            here.bus.publish(END)
            await here.clock.sleep(3600)
            assert here.said() == ([] if said is None else [f"Spring shoes is finished | {said}"])
            assert all(told.needs_you is needs_you for told in here.told)

    run(body())


def test_an_account_is_told_once_until_it_works_again_and_the_vendor_is_not_quoted() -> None:
    async def body() -> None:
        async with world() as here:
            here.engine.states = {7: ("paused", None)}
            for _ in range(3):
                here.bus.publish(REFUSED)
                here.bus.publish(ConnectionsChanged())
                await here.clock.sleep(60)
            assert here.said() == [
                "fal is paused | fal.run doesn't allow this key to do that. "
                "Check its rights in the provider's console."
            ]
            here.engine.states = {7: ("waiting", None)}  # one row is tried: not mended yet
            here.bus.publish(ConnectionsChanged())
            here.bus.publish(REFUSED)
            await here.clock.sleep(60)
            assert len(here.told) == 1
            here.engine.states = {7: ("ok", None)}
            here.bus.publish(ConnectionsChanged())
            here.bus.publish(REFUSED)
            await here.clock.sleep(60)
            assert len(here.told) == 2

    run(body())


def test_a_vendor_text_without_a_sentence_of_ours_is_left_to_the_window() -> None:
    said = message("engine.local", why=message("providers.tls", host="a", text="sk-1"))
    assert unquoted(said).code == "alerts.see_window"


def test_a_batch_that_stops_by_itself_says_why() -> None:
    async def body() -> None:
        async with world() as here:
            reason = message("engine.max_calls", n=50)
            here.bus.publish(Alert(reason, 1, AlertKind.STOPPED))
            await here.clock.sleep(1)
            assert here.said() == [
                "Spring shoes is paused | "
                "The cap on calls is reached (50). Raise it, then press Resume."
            ]

    run(body())


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({}, ["rows", "account", "finished"]),
        ({"notify.needs_you": False}, ["account", "finished"]),
        ({"notify.account": False}, ["rows", "finished"]),
        ({"notify.finished": False}, ["rows", "account"]),
        ({"notify": False}, []),
        ({"notify": False, "notify.finished": True}, ["finished"]),
    ],
)
def test_nobody_is_told_what_they_switched_off(values: dict[str, bool], told: list[str]) -> None:
    async def body() -> None:
        async with world() as here:
            here.values = values
            here.pages.ledger = Ledger(success=1)
            here.pages.groups = [group(TaskState.DEAD, "transient", 1)]
            for alert in (ROWS, REFUSED, Alert(END.said, 2, END.kind)):
                here.bus.publish(alert)
                await here.clock.sleep(1)
            assert [each.kind.value for each in here.told] == told

    run(body())


def test_rows_that_were_requeued_meanwhile_are_not_told() -> None:
    async def body() -> None:
        async with world() as here:
            here.bus.publish(ROWS)
            here.bus.publish(Alert(ROWS.said, 10))
            await here.clock.sleep(60)
            assert here.told == []

    run(body())


@pytest.mark.expect_log("could not be put together")
def test_a_store_in_trouble_costs_one_notification_and_not_the_rest() -> None:
    async def body() -> None:
        async with world() as here:
            here.pages.broken = True
            here.bus.publish(ROWS)
            await here.clock.sleep(1)
            here.bus.publish(REFUSED)
            await here.clock.sleep(1)
            assert [told.kind for told in here.told] == [AlertKind.ACCOUNT]

    run(body())


def test_what_has_gathered_is_told_at_the_end_of_the_program() -> None:
    async def body() -> None:
        async with world() as here:
            here.pages.ledger = Ledger(success=2)
            here.bus.publish(END)
        assert here.said() == ["Spring shoes is finished | All came out: 2."]

    run(body())
