"""Caps of money: kept in the claim's own commit, released only by what is known to be unbilled."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop_app.domain.attempt import Billed, Claim, Outcome
from desktop_app.domain.money import Money, Price, PriceUnit
from desktop_app.domain.task import DEAD_LETTERS, Request, TaskState
from desktop_app.domain.views import TaskFilter
from desktop_app.store.store import open_store
from tests.helpers.examples import examples
from tests.store.store_kit import Kit, StillClock, connection, draft, ending, failure

S = TaskState
USD = "USD"
CENTS = Price(Decimal("0.04"), PriceUnit.IMAGE, USD)
TOKENS = Price(Decimal("0.002"), PriceUnit.KTOKENS, USD)
DAY = 86_400.0


async def priced(kit: Kit, cap: str | None, rows: Any = 5, **values: Any) -> int:
    """A running batch on a connection with these values, under this cap."""
    changes: dict[str, Any] = {"price": CENTS, **values}
    found = await kit.store.connections.by_name("Fake")
    await kit.store.connections.save(replace(found or connection(), **changes))
    budget = None if cap is None else Money(Decimal(cap), USD)
    return await kit.batch(rows, budget=budget)


async def money(kit: Kit, batch_id: int) -> tuple[str, str, int]:
    """(spent, reserved, possible doubles)."""
    summary = await kit.store.pages.batch_summary(batch_id)
    assert summary is not None
    spent, reserved = (sum(m.amount for m in part) for part in (summary.spent, summary.reserved))
    return f"{Decimal(spent):f}", f"{Decimal(reserved):f}", summary.maybe_double


def paid(amount: str = "0.04") -> dict[str, Any]:
    return {"billed": Billed.YES, "cost": Decimal(amount), "currency": USD}


async def over(kit: Kit, batch_id: int) -> str | None:
    said = await kit.store.engine.over_budget(batch_id, kit.clock.at)
    return None if said is None else said.code


async def test_what_is_in_flight_cannot_overshoot_the_cap(kit: Kit) -> None:
    batch_id = await priced(kit, "0.10")
    claims = await kit.claim(batch_id)
    assert len(claims) == 2
    assert await kit.claim(batch_id) == []
    assert await money(kit, batch_id) == ("0", "0.08", 0)
    assert await over(kit, batch_id) is None  # what is on its way may be released yet
    for claim in claims:
        await kit.end(claim, S.SUCCESS, **paid())
    assert await money(kit, batch_id) == ("0.08", "0", 0)
    assert await kit.claim(batch_id) == []
    assert await over(kit, batch_id) == "store.budget_batch"
    await kit.store.engine.set_budget(batch_id, Money(Decimal("0.12"), USD))
    assert await over(kit, batch_id) is None
    assert len(await kit.claim(batch_id)) == 1
    await kit.store.engine.set_budget(batch_id, None)
    assert len(await kit.claim(batch_id)) == 2


@pytest.mark.parametrize(
    ("outcome", "to", "billed", "kept"),
    [
        (Outcome.NOT_SENT, S.PENDING, Billed.NO, "0"),
        (Outcome.OFFLINE, S.PENDING, Billed.NO, "0"),
        (Outcome.THROTTLED, S.PENDING, Billed.NO, "0"),
        (Outcome.TRANSIENT, S.RETRYING, Billed.NO, "0"),
        (Outcome.REFUSED, S.FAILED, Billed.MAYBE, "0.04"),
        (Outcome.UNKNOWN, S.UNCERTAIN, Billed.MAYBE, "0.04"),
        (Outcome.UNKNOWN, S.RETRYING, Billed.MAYBE, "0.04"),
        (Outcome.UNKNOWN, S.UNCERTAIN, Billed.YES, "0.04"),
    ],
)
async def test_only_what_is_known_to_be_unbilled_releases(
    kit: Kit, outcome: Outcome, to: TaskState, billed: Billed, kept: str
) -> None:
    batch_id = await priced(kit, "0.04", 2)
    await kit.end(await kit.claim_one(batch_id), to, outcome=outcome, billed=billed)
    assert (await money(kit, batch_id))[1] == kept
    assert (len(await kit.claim(batch_id)) == 1) is (kept == "0")


async def test_an_uncertain_row_keeps_its_price_when_it_is_sent_again(kit: Kit) -> None:
    batch_id = await priced(kit, "0.08", 1)
    await kit.end(await kit.claim_one(batch_id), S.UNCERTAIN, outcome=Outcome.UNKNOWN)
    (pk,) = await kit.pks(batch_id=batch_id)
    assert await kit.store.actions.settle_resend(pk, kit.clock.at)
    await kit.end(await kit.claim_one(batch_id), S.SUCCESS, **paid())
    assert await money(kit, batch_id) == ("0.04", "0.04", 1)


async def test_another_request_for_the_row_is_no_double(kit: Kit) -> None:
    batch_id = await priced(kit, None, 1)
    await kit.end(await kit.claim_one(batch_id), S.FAILED, outcome=Outcome.REFUSED)
    (pk,) = await kit.pks(batch_id=batch_id)
    assert await kit.store.actions.edit_and_requeue(pk, "kinder", kit.clock.at)
    await kit.end(await kit.claim_one(batch_id), S.SUCCESS, **paid())
    assert (await money(kit, batch_id))[2] == 0


async def test_a_day_has_one_cap_for_all_batches_of_a_connection(kit: Kit) -> None:
    kit.clock.at = 1_700_000_000.0
    one = await priced(kit, None, 5, day_budget=Decimal("0.10"))
    two = await kit.batch(5)
    (first,) = await kit.claim(one, 1)
    assert len(await kit.claim(two)) == 1
    assert await kit.claim(one) == []
    await kit.end(first, S.SUCCESS, **paid())
    assert await over(kit, one) is None  # the other batch's call may be released yet
    kit.clock.at += DAY
    assert len(await kit.claim(one)) == 2  # another day


async def test_a_call_counts_on_the_day_it_was_sent(kit: Kit) -> None:
    kit.clock.at = 1_700_000_000.0
    batch_id = await priced(kit, None, 3, day_budget=Decimal("0.04"))
    claim = await kit.claim_one(batch_id)
    kit.clock.at += DAY
    await kit.end(claim, S.SUCCESS, ended_at=kit.clock.at, **paid())
    next_ = await kit.claim_one(batch_id)
    await kit.end(next_, S.SUCCESS, ended_at=kit.clock.at, **paid())
    assert await over(kit, batch_id) == "store.budget_day"


async def test_without_a_price_nothing_is_sent_under_a_cap(kit: Kit) -> None:
    batch_id = await priced(kit, "5", price=None)
    assert await kit.claim(batch_id) == []
    assert await over(kit, batch_id) == "store.budget_no_price"
    day = await priced(kit, None, price=None, day_budget=Decimal(5))
    assert await kit.claim(day) == []
    assert await over(kit, day) == "store.budget_no_price"


async def test_a_cap_in_another_currency_is_no_cap_to_send_under(kit: Kit) -> None:
    yuan = Price(Decimal("0.2"), PriceUnit.IMAGE, "CNY")
    batch_id = await priced(kit, "5", price=yuan)
    assert await kit.claim(batch_id) == []
    assert await over(kit, batch_id) == "store.budget_other_currency"


async def test_a_free_connection_needs_no_reservation(kit: Kit) -> None:
    batch_id = await priced(kit, "1", price=None, base_url="http://127.0.0.1:1/v1")
    assert len(await kit.claim(batch_id)) == 5
    assert await money(kit, batch_id) == ("0", "0", 0)


async def test_token_prices_reserve_prompt_and_longest_answer(kit: Kit) -> None:
    said = Request("x" * 436, {"max_tokens": 500}, {})
    rows = [draft(2, request=said), draft(3, request=Request("free to talk"))]
    batch_id = await priced(kit, "1", rows, price=TOKENS)
    (claim,) = await kit.claim(batch_id)  # the second has no longest answer
    assert claim.row_no == 2
    _, reserved, _ = await money(kit, batch_id)
    assert Decimal("0.002") <= Decimal(reserved) < Decimal("0.0021")
    assert await over(kit, batch_id) == "store.budget_no_max_tokens"
    await kit.end(claim, S.SUCCESS, **paid("0.0005"))
    assert (await money(kit, batch_id))[:2] == ("0.0005", "0")


async def test_answers_without_figures_count_at_the_worst(kit: Kit) -> None:
    batch_id = await priced(
        kit, "1", [draft(2, request=Request("x", {"max_tokens": 1000}, {}))], price=TOKENS
    )
    await kit.end(await kit.claim_one(batch_id), S.SUCCESS)  # billed, and no usage came along
    spent, reserved, _ = await money(kit, batch_id)
    assert (spent, Decimal(reserved) > Decimal("0.002")) == ("0", True)


async def test_several_pictures_a_call_cost_their_number(kit: Kit) -> None:
    rows = [draft(2, request=Request("x", {"n": 3}, {})), draft(3)]
    batch_id = await priced(kit, "0.13", rows)
    assert len(await kit.claim(batch_id)) == 1
    assert (await money(kit, batch_id))[1] == "0.12"


async def test_a_cap_that_comes_late_knows_what_was_spent(kit: Kit) -> None:
    batch_id = await priced(kit, None, 4)
    for claim in await kit.claim(batch_id, 2):
        await kit.end(claim, S.SUCCESS, **paid())
    await kit.store.engine.set_budget(batch_id, Money(Decimal("0.10"), USD))
    assert await kit.claim(batch_id) == []


# --- whatever happens ------------------------------------------------------------------------

CAP, DAYS_CAP = Decimal("0.30"), Decimal("0.50")

_ENDS: dict[str, Callable[[Claim], Any]] = {
    "paid": lambda c: ending(c, S.SUCCESS, **paid()),
    "cheaper": lambda c: ending(c, S.SUCCESS, **paid("0.01")),
    "no figures": lambda c: ending(c, S.SUCCESS),
    "lost": lambda c: ending(c, S.UNCERTAIN, Outcome.UNKNOWN, failure=failure()),
    "lost, again": lambda c: ending(c, S.RETRYING, Outcome.UNKNOWN, due_at=0.0),
    "bad picture": lambda c: ending(c, S.UNCERTAIN, Outcome.UNKNOWN, **paid(), failure=failure()),
    "refused": lambda c: ending(c, S.FAILED, Outcome.REFUSED, failure=failure()),
    "throttled": lambda c: ending(c, S.PENDING, Outcome.THROTTLED, billed=Billed.NO),
    "not sent": lambda c: ending(c, S.PENDING, Outcome.NOT_SENT, billed=Billed.NO),
}


class Model:
    """What the provider may have billed, counted apart from the store."""

    def __init__(self) -> None:
        self.sent: dict[int, tuple[int, float, Decimal]] = {}

    def claimed(self, batch_id: int, claim: Claim, at: float) -> None:
        self.sent[claim.attempt_pk] = (batch_id, at, CENTS.amount)

    def ended(self, claim: Claim, how: str) -> None:
        batch_id, at, _ = self.sent[claim.attempt_pk]
        if how in {"throttled", "not sent"}:
            del self.sent[claim.attempt_pk]
        elif how == "cheaper":
            self.sent[claim.attempt_pk] = (batch_id, at, Decimal("0.01"))

    def check(self) -> None:
        by_batch: dict[int, Decimal] = {}
        by_day: dict[int, Decimal] = {}
        for batch_id, at, amount in self.sent.values():
            by_batch[batch_id] = by_batch.get(batch_id, Decimal(0)) + amount
            by_day[int(at // DAY)] = by_day.get(int(at // DAY), Decimal(0)) + amount
        assert all(total <= CAP for total in by_batch.values())
        assert all(total <= DAYS_CAP for total in by_day.values())


_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("claim"), st.integers(0, 1), st.integers(1, 6)),
        st.tuples(st.just("end"), st.sampled_from(sorted(_ENDS)), st.integers(0, 5)),
        st.tuples(st.just("requeue"), st.integers(0, 1), st.just(0)),
        st.tuples(st.just("crash"), st.just(0), st.just(0)),
        st.tuples(st.just("tomorrow"), st.just(0), st.just(0)),
    ),
    max_size=40,
)


@settings(max_examples=examples(25))
@given(steps=_STEPS)
def test_the_cap_holds_under_any_outcomes_and_crashes(steps: list[tuple[Any, ...]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        asyncio.run(_walk(Path(place) / "store.db", steps))


async def _walk(path: Path, steps: list[tuple[Any, ...]]) -> None:
    # Noon UTC, and no clock of any place is that far off: days here are days there.
    clock = StillClock(20_000 * DAY + DAY / 2)
    kit = Kit(await open_store(path, clock=clock), clock, path, [])
    model = Model()
    try:
        batches = [await priced(kit, str(CAP), 8, day_budget=DAYS_CAP)]
        batches.append(await kit.batch(8, budget=Money(CAP, USD)))
        flying: list[Claim] = []
        for word, what, n in steps:
            if word == "claim":
                for claim in await kit.claim(batches[what], n):
                    model.claimed(batches[what], claim, clock.at)
                    flying.append(claim)
            elif word == "end" and flying:
                claim = flying.pop(n % len(flying))
                await kit.store.engine.finish(_ENDS[what](claim))
                model.ended(claim, what)
            elif word == "requeue":
                which = TaskFilter(batch_id=batches[what], states=DEAD_LETTERS)
                await kit.store.actions.requeue(which, clock.at)
            elif word == "crash":
                await kit.store.close()
                kit.store = await open_store(path, clock=clock)
                for orphan in await kit.store.engine.orphans():
                    await kit.store.engine.finish(_ENDS["lost"](orphan.claim))
                flying.clear()
            elif word == "tomorrow":
                clock.at += DAY
            model.check()
        await _adds_up(kit, batches, model)
    finally:
        await kit.store.close()


async def _adds_up(kit: Kit, batches: list[int], model: Model) -> None:
    """What the store says is held is what may have been billed, and nothing else."""
    for batch_id in batches:
        mine = [amount for batch, _, amount in model.sent.values() if batch == batch_id]
        spent, reserved, _ = await money(kit, batch_id)
        assert Decimal(spent) + Decimal(reserved) == sum(mine, Decimal(0))
    by_hand = kit.sql(
        "SELECT coalesce(sum(coalesce(cost_nano, reserved_nano)), 0) FROM attempt "
        "WHERE billed <> 'no'"
    )
    assert by_hand == kit.sql("SELECT coalesce(sum(held_nano), 0) FROM purse")
    assert kit.sql("SELECT sum(open_nano) FROM purse WHERE open_nano < 0") == [(None,)]
