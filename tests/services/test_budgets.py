"""Caps of money are taken in the price's currency, and refused where they could not be kept."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from desktop_app.domain.batch import RunState
from desktop_app.domain.money import Money, Price, PriceUnit
from desktop_app.domain.ports import Command
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import OperatorError
from tests.services.services_kit import Kit

CENTS = Price(Decimal("0.04"), PriceUnit.IMAGE, "USD")
TOKENS = Price(Decimal("0.002"), PriceUnit.KTOKENS, "CNY")


async def change(kit: Kit, **changes: Any) -> None:
    """The stored connection with these values."""
    found = await kit.connections.by_name("shop")
    assert found is not None
    await kit.connections.save(replace(found, **changes))


async def refused(awaited: Any) -> str:
    with pytest.raises(OperatorError) as caught:
        await awaited
    return caught.value.message.code


async def test_a_cap_is_in_the_currency_of_the_price(kit: Kit) -> None:
    await kit.connect(price=CENTS)
    batch_id = await kit.batch(5, budget=Decimal("0.10"))
    batch = await kit.store.engine.batch(batch_id)
    assert batch is not None
    assert batch.budget == Money(Decimal("0.1"), "USD")
    await kit.runs.start(batch_id)
    assert len(await kit.claim(batch_id)) == 2
    await kit.runs.cap(batch_id, None, Decimal("0.13"))
    assert len(await kit.claim(batch_id)) == 1


async def test_rows_that_wait_for_what_running_calls_cost_are_said_to(kit: Kit) -> None:
    await kit.connect(price=CENTS)
    batch_id = await kit.batch(5, budget=Decimal("0.10"))
    await kit.runs.start(batch_id)

    async def waits_for() -> str | None:
        said = (await kit.runs.status(batch_id)).waits_for
        return None if said is None else said.code

    (first,) = await kit.claim(batch_id, 1)
    assert await waits_for() is None  # another call has room
    (second,) = await kit.claim(batch_id)
    assert await waits_for() == "services.waits_cap"
    await kit.runs.cap(batch_id, None, Decimal("0.50"))
    assert await waits_for() is None
    await kit.runs.cap(batch_id, None, Decimal("0.10"))
    await kit.end(first, TaskState.UNCERTAIN)  # it may have been billed
    assert await waits_for() == "services.waits_cap"
    await kit.end(second, TaskState.UNCERTAIN)
    assert await waits_for() is None  # nothing runs that could give room back


async def test_no_import_under_a_cap_without_a_price(kit: Kit) -> None:
    await kit.connect(price=None)
    assert await refused(kit.batch(5, budget=Decimal(1))) == "store.budget_no_price"
    assert await kit.queries.batches() == []


async def test_no_import_under_a_cap_without_a_longest_answer(kit: Kit) -> None:
    await kit.connect(price=TOKENS, adapter="texts")
    assert await refused(kit.batch(5, budget=Decimal(1))) == "store.budget_no_max_tokens"
    await change(kit, params={"max_tokens": 100})
    assert await kit.batch(5, budget=Decimal(1))


async def test_a_free_connection_needs_no_cap(kit: Kit) -> None:
    await kit.connect(price=None, base_url="http://127.0.0.1:9/v1")
    batch = await kit.store.engine.batch(await kit.batch(2, budget=Decimal(1)))
    assert batch is not None
    assert batch.budget is None


async def test_a_start_is_refused_when_the_price_was_taken_away(kit: Kit) -> None:
    await kit.connect(price=CENTS)
    batch_id = await kit.batch(2, budget=Decimal(1))
    await change(kit, price=None)
    assert await refused(kit.runs.start(batch_id)) == "store.budget_no_price"
    await change(kit, price=TOKENS, params={"max_tokens": 5})
    assert await refused(kit.runs.start(batch_id)) == "store.budget_other_currency"
    await kit.runs.cap(batch_id, None, Decimal(1))
    await kit.runs.start(batch_id)
    (summary,) = await kit.queries.batches()
    assert summary.batch.run_state is RunState.RUNNING


async def test_a_days_cap_needs_a_price(kit: Kit) -> None:
    assert await refused(kit.connect(price=None, day_budget=Decimal(1))) == "store.budget_no_price"
    await kit.connect(price=CENTS, day_budget=Decimal("0.05"))
    batch_id = await kit.batch(3)
    await kit.runs.start(batch_id)
    assert len(await kit.claim(batch_id)) == 1


async def test_another_process_may_raise_the_cap(kit: Kit) -> None:
    await kit.connect(price=CENTS)
    batch_id = await kit.batch(5, budget=Decimal("0.04"))
    await kit.obey.do(Command(0, "resume", {"batch": batch_id, "budget": "0.10"}))
    assert len(await kit.claim(batch_id)) == 2
