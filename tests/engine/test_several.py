"""Of several results that one call is paid for each is kept, now or after a crash; fewer than were
asked for are told as such and never bought again."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from desktop_app.domain.attempt import Billed, Kept
from desktop_app.domain.connection import Connection
from desktop_app.domain.money import Price, PriceUnit
from desktop_app.domain.ports import Answer, Call, Capabilities, Content, RawAnswer
from desktop_app.domain.task import Request, TaskState
from tests.engine.fakes import Opened, Provider, Script
from tests.engine.house import House, running
from tests.engine.test_orphans import crash, start_again
from tests.engine.virtual import run

SEVERAL = Capabilities("picture", default_timeout_s=600.0, several_results=True)
EACH = Price(Decimal("0.1"), PriceUnit.IMAGE, "USD")


def giving(count: int) -> Script:
    async def script(call: Call, nth: int) -> Answer:
        pictures = tuple(Content(b"%d" % n, "image/png") for n in range(count))
        return Answer(pictures, billed_images=count)

    return script


def house_of(count: int, capabilities: Capabilities = SEVERAL, asked: int = 3) -> House:
    house = House(giving(count), capabilities)
    house.connect(1, price=EACH, params={"n": asked})
    house.store.add_batch(1)
    return house


@pytest.mark.parametrize(
    ("came", "capabilities", "flags"),
    [
        (3, SEVERAL, ()),
        (4, SEVERAL, ()),
        (2, SEVERAL, ("partial",)),
        (1, SEVERAL, ("partial",)),
        # "n" is not said to mean results: what came is all.
        (1, replace(SEVERAL, several_results=False), ()),
        (2, replace(SEVERAL, several_results=False), ()),
    ],
)
def test_all_that_came_is_kept_and_paid_once(
    came: int, capabilities: Capabilities, flags: tuple[str, ...]
) -> None:
    async def body() -> None:
        house = house_of(came, capabilities)
        async with running(house):
            await house.finished()
        (row,) = house.store.rows.values()
        assert row.state is TaskState.SUCCESS
        kept = row.kept
        assert kept is not None
        assert (kept.count, kept.flags) == (came, flags)
        assert row.history[-1].cost == came * EACH.amount
        assert len(house.provider.calls) == 1

    run(body())


def pictures(count: int, *flags: str) -> Kept:
    more = tuple(Kept(f"2-{n}.png", 9, "image/png") for n in range(2, count + 1))
    return Kept("2.png", 9, "image/png", more=more, flags=flags)


def test_all_that_is_found_after_a_crash_is_adopted_at_the_price_of_all() -> None:
    async def body() -> None:
        house = house_of(3)
        await crash(house)
        house.files.kept[1] = pictures(3)
        row = await start_again(house)
        assert (row.state, row.kept) == (TaskState.SUCCESS, pictures(3))
        assert (row.history[-1].billed, row.history[-1].cost) == (Billed.YES, Decimal("0.3"))
        assert house.files.settled_ == [1]

    run(body())


@pytest.mark.parametrize("found", [pictures(2, "partial"), pictures(2)])
def test_what_is_found_in_part_gives_way_to_the_whole_answer(found: Kept) -> None:
    async def body() -> None:
        house = house_of(3)
        house.provider = Whole(house.provider.script, SEVERAL)
        await crash(house)
        house.files.kept[1] = found
        house.store.raw[1] = RawAnswer(200, {}, b"\x89PNG", 1.0)
        row = await start_again(house)
        assert row.kept is not None
        assert (row.state, row.kept.count, row.kept.flags) == (TaskState.SUCCESS, 3, ())

    run(body())


def test_what_is_found_in_part_is_kept_where_nothing_more_is_to_be_had() -> None:
    async def body() -> None:
        house = house_of(3)
        await crash(house)
        house.files.kept[1] = pictures(2)
        row = await start_again(house)
        assert row.kept is not None
        assert (row.state, row.kept.count) == (TaskState.SUCCESS, 2)
        assert row.kept.flags == ("partial",)

    run(body())


class _Reading(Opened):
    async def reread(self, request: Request, raw: RawAnswer) -> Answer:
        return Answer((Content(raw.body, "image/png"),) * 3, billed_images=3)


class Whole(Provider):
    """Understands the answer of an earlier process."""

    def open(self, connection: Connection, secret: str | None) -> Opened:
        return _Reading(self)
