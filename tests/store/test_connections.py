"""Connections come back as they were saved, and never take a batch's name with them."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal

import pytest

from desktop_app.domain.connection import Limits, OnUnknown, RateUnit
from desktop_app.domain.money import Price, PriceUnit
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import OperatorError
from desktop_app.store import codec
from tests.store.store_kit import REASON, Kit, connection

FULL = connection(
    "方舟",
    preset="ark",
    limits=Limits(8, 90.0, RateUnit.RPM, 4, 0.9),
    price=Price(Decimal("0.259"), PriceUnit.IMAGE, "CNY"),
    retries=5,
    timeout_s=120.0,
    on_unknown=OnUnknown.RESEND_BELOW,
    resend_below=Decimal("0.01"),
    proxy="socks5://127.0.0.1:1080",
    params={"size": "2K"},
    extra={"watermark": False},
)


BY_MODEL = connection(
    "models",
    price=Price(
        Decimal("0.04"), PriceUnit.CALL, "USD", (("a=b", Decimal("0.170")), ("模型", Decimal(0)))
    ),
)


BY_MINUTE = connection(
    "by the minute", limits=Limits(rate=3, tokens_per_minute=30_000, images_per_minute=60)
)


@pytest.mark.parametrize("made", [FULL, BY_MODEL, BY_MINUTE, connection("plain")])
async def test_what_is_saved_comes_back(kit: Kit, made: object) -> None:
    connections = kit.store.connections
    saved = await connections.save(made)  # type: ignore[arg-type]
    assert saved == replace(made, id=saved.id)  # type: ignore[type-var]
    assert await connections.get(saved.id) == saved
    assert await connections.by_name(saved.name.upper()) == saved
    assert await connections.all() == [saved]


def test_a_spec_of_before_says_nothing_by_the_minute_and_needs_no_new_words() -> None:
    plain = connection("plain", limits=Limits(rate=60, rate_unit=RateUnit.IPM))
    spec = json.loads(codec.from_connection(plain))
    assert set(spec["limits"]) == {"concurrency", "rate", "rate_unit", "burst", "headroom"}
    columns = (1, plain.name, plain.adapter, plain.base_url, plain.model, plain.retries)
    assert codec.to_connection((*columns, json.dumps(spec))).limits == plain.limits


async def test_a_change_keeps_the_id_and_a_taken_name_is_refused(kit: Kit) -> None:
    connections = kit.store.connections
    one = await connections.save(connection("one"))
    two = await connections.save(connection("two"))
    changed = await connections.save(replace(two, model="m2"))
    assert await connections.get(two.id) == changed
    with pytest.raises(OperatorError) as caught:
        await connections.save(replace(two, name="ONE"))
    assert caught.value.message.code == "store.name_taken"
    assert await connections.all() == [one, changed]


async def test_a_connection_in_use_stays_and_a_removed_one_frees_its_name(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    connections = kit.store.connections
    (used,) = await connections.all()
    assert await connections.in_use(used.id)
    assert not await connections.remove(used.id)
    await kit.end(await kit.claim_one(batch_id), TaskState.DEAD)
    assert not await connections.in_use(used.id)
    assert await connections.remove(used.id)
    assert not await connections.remove(used.id)
    assert await connections.get(used.id) is None
    (summary,) = await kit.store.pages.batches()
    assert summary.connection_name == "Fake"
    assert (await connections.save(connection("Fake"))).id != used.id
    with pytest.raises(OperatorError):
        await connections.save(used)


async def test_an_accounts_pause_lasts_until_it_is_lifted(kit: Kit, opened: object) -> None:
    engine = kit.store.engine
    await engine.set_account_pause("host#1", REASON)
    await engine.set_account_pause("host#1", REASON)
    other = await opened()  # type: ignore[operator]
    assert await other.engine.account_pause("host#1") == REASON
    assert await engine.account_pause("host#2") is None
    await engine.set_account_pause("host#1", None)
    assert await engine.account_pause("host#1") is None
