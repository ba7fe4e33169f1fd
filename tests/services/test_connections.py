"""Connections are checked before they are stored, and their keys go to the keyring alone."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from desktop_app.domain.connection import (
    PRACTICE_NAME,
    Connection,
    Limits,
    OnUnknown,
    callback_entry,
)
from desktop_app.domain.events import ConnectionsChanged
from desktop_app.domain.money import Price, PriceUnit
from desktop_app.domain.ports import Call
from desktop_app.domain.task import Request, TaskState
from desktop_app.domain.text import OperatorError, Translator
from desktop_app.domain.views import AccountState
from desktop_app.services.practice_lines import PracticeServer
from desktop_app.settings.paths import resources_dir
from tests.services.services_kit import Kit, holds, stands

GOOD = Connection("shop", "pictures", "https://shop.example/v1", "m")


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"name": "  "}, "services.empty_name"),
        ({"adapter": "smoke"}, "services.unknown_adapter"),
        ({"base_url": "shop.example"}, "services.bad_url"),
        ({"base_url": "ftp://shop.example"}, "services.bad_url"),
        ({"base_url": "https://"}, "services.bad_url"),
        ({"base_url": "https://["}, "services.bad_url"),
        ({"base_url": "https://shop.example:port"}, "services.bad_url"),
        ({"base_url": "https://shop example"}, "services.bad_url"),
        ({"base_url": "https://me:sk-1@shop.example"}, "services.key_in_url"),
        ({"model": ""}, "services.empty_model"),
        ({"limits": Limits(concurrency=0)}, "services.bad_limit"),
        ({"limits": Limits(rate=-1.0)}, "services.bad_limit"),
        ({"limits": Limits(burst=0)}, "services.bad_limit"),
        ({"limits": Limits(tokens_per_minute=0)}, "services.bad_limit"),
        ({"limits": Limits(images_per_minute=-1)}, "services.bad_limit"),
        ({"limits": Limits(headroom=0.0)}, "services.bad_headroom"),
        ({"limits": Limits(headroom=1.5)}, "services.bad_headroom"),
        ({"proxy": "foo bar"}, "services.bad_proxy"),
        ({"proxy": ""}, "services.bad_proxy"),
        ({"proxy": "http://proxy:port"}, "services.bad_proxy"),
        ({"proxy": "gopher://proxy:80"}, "services.bad_proxy"),
        ({"on_unknown": OnUnknown.RESEND_BELOW}, "services.no_resend_price"),
    ],
)
async def test_a_connection_that_cannot_work_is_refused(
    kit: Kit, changes: dict[str, Any], code: str
) -> None:
    with pytest.raises(OperatorError) as caught:
        await kit.connections.save(replace(GOOD, **changes))
    assert caught.value.message.code == code
    assert await kit.connections.views() == []


async def test_a_price_that_no_answer_tells_is_refused_in_words(kit: Kit) -> None:
    texts = replace(GOOD, adapter="texts", price=Price(Decimal("0.04"), PriceUnit.IMAGE, "USD"))
    with pytest.raises(OperatorError) as caught:
        await kit.connections.save(texts)
    assert Translator().say(caught.value.message) == (
        "This provider answers in texts, so that a price for an image can't be counted. Choose "
        "another unit for the price: a call (call), 1,000 tokens (1k-tokens), 1,000,000 "
        "tokens (1m-tokens)."
    )
    chinese = Translator("zh_CN", resources_dir() / "locale").say(caught.value.message)
    assert chinese.endswith(
        "：每次请求（call）、每千 token（1k-tokens）、每百万 token（1m-tokens）。"
    )
    assert await kit.connections.views() == []
    by_tokens = replace(texts, price=Price(Decimal("0.04"), PriceUnit.KTOKENS, "USD"))
    assert (await kit.connections.save(by_tokens)).price == by_tokens.price


@pytest.mark.parametrize(
    "changes",
    [
        {"proxy": "proxy.example:8080"},
        {"proxy": "socks5://me:pw@proxy.example:1080"},
        {"proxy": "http://[::1]:8080"},
        {"on_unknown": OnUnknown.RESEND_BELOW, "resend_below": Decimal("0.01")},
        {"limits": Limits(concurrency=1, headroom=1.0)},
    ],
)
async def test_a_connection_that_can_work_is_kept_as_it_is(
    kit: Kit, changes: dict[str, Any]
) -> None:
    wanted = replace(GOOD, **changes)
    saved = await kit.connections.save(wanted)
    assert await kit.connections.by_name("shop") == saved == replace(wanted, id=saved.id)
    assert ("changed", saved.id) in kit.engine.told
    assert ConnectionsChanged() in kit.events


async def test_a_name_is_given_once(kit: Kit) -> None:
    await kit.connect("shop")
    with pytest.raises(OperatorError) as caught:
        await kit.connect("shop")
    assert caught.value.message.code == "services.name_taken"


async def test_s20_a_key_is_in_the_keyring_and_nowhere_in_the_store(
    kit: Kit, tmp_path: Path
) -> None:
    saved = await kit.connections.save(GOOD, "sk-very-secret")
    await kit.connections.set_key(saved.id, "  sk-more-secret \n")
    assert kit.keys.kept == {"shop": "sk-more-secret"}
    assert holds(tmp_path, b"shop.example")
    assert not holds(tmp_path, b"secret")


async def test_a_renamed_connection_takes_its_key_along(kit: Kit) -> None:
    saved = await kit.connections.save(GOOD, "sk-1")
    await kit.connections.save(replace(saved, name="market"))
    assert kit.keys.kept == {"market": "sk-1"}
    await kit.connections.save(replace(saved, name="bazaar"), "sk-2")
    assert kit.keys.kept == {"bazaar": "sk-2"}


async def test_a_renamed_connection_leaves_behind_what_is_not_stored_under_its_new_name(
    kit: Kit,
) -> None:
    saved = await kit.connections.save(GOOD, "sk-1")
    kit.keys.kept[callback_entry(saved.name)] = "signs"
    kit.keys.stored = False
    await kit.connections.save(replace(saved, name="market"))
    assert kit.keys.kept == {
        saved.name: "sk-1",
        "market": "sk-1",
        callback_entry(saved.name): "signs",
        callback_entry("market"): "signs",
    }


async def test_no_key_is_in_what_a_value_says_of_itself(kit: Kit) -> None:
    call = Call(Request("p"), "key", 1.0, callback_secret="whsec-1")
    server = PracticeServer("http://127.0.0.1", "sk-practice", "m", Limits())
    proxied = replace(GOOD, proxy="http://me:pass-1@proxy.example")
    said = repr((call, server, proxied))
    assert not [word for word in ("whsec-1", "sk-practice", "pass-1") if word in said]


async def test_s15_an_empty_key_is_refused_and_no_store_is_said(kit: Kit) -> None:
    saved = await kit.connect()
    with pytest.raises(OperatorError) as caught:
        await kit.connections.set_key(saved.id, "  ")
    assert caught.value.message.code == "services.empty_key"
    kit.keys.stored = False
    note = await kit.connections.set_key(saved.id, "sk-1")
    assert note is not None
    assert note.code == "services.key_until_close"
    assert await kit.connections.has_key(saved)
    with pytest.raises(OperatorError):
        await kit.connections.set_key(99, "sk-1")


async def test_a_connection_with_rows_to_come_is_not_removed(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    saved = await kit.connections.by_name("shop")
    assert saved is not None
    with pytest.raises(OperatorError) as caught:
        await kit.connections.remove(saved.id)
    assert caught.value.message.code == "services.connection_in_use"
    (claim,) = await kit.claim(batch_id)
    await kit.end(claim, TaskState.SUCCESS)
    kit.keys.kept["shop"] = "sk-1"
    await kit.connections.remove(saved.id)
    assert await kit.connections.views() == []
    assert kit.keys.kept == {}
    summary = await kit.queries.batch(batch_id)
    assert summary is not None
    assert summary.connection_name == "shop"


async def test_with_what_calls_are_signed_goes_where_its_connection_goes(kit: Kit) -> None:
    saved = await kit.connections.save(GOOD, "sk-1")
    kit.keys.kept[callback_entry("shop")] = "s3cret"
    moved = await kit.connections.save(replace(saved, name="store"))
    assert kit.keys.kept == {"store": "sk-1", callback_entry("store"): "s3cret"}
    await kit.connections.remove(moved.id)
    assert kit.keys.kept == {}


async def test_the_test_uses_the_key_at_hand_or_the_stored_one(kit: Kit) -> None:
    saved = await kit.connections.save(GOOD, "sk-stored")
    assert (await kit.connections.test(saved)).ok
    assert (await kit.connections.test(saved, "sk-typed")).ok
    assert kit.adapters.tested == ["sk-stored", "sk-typed"]
    assert kit.adapters.closed == 2


async def test_the_practice_server_is_started_and_its_connection_is_one(kit: Kit) -> None:
    first = await kit.connections.practice()
    again = await kit.connections.practice()
    assert first == again
    assert (first.name, first.is_free, first.proxy) == (PRACTICE_NAME, True, "none")
    assert kit.keys.kept == {PRACTICE_NAME: "practice-key"}
    assert len(await kit.connections.views()) == 1
    starts = kit.practice_starts
    await kit.connections.ready(first.id)
    assert kit.practice_starts == starts + 1
    other = await kit.connect()
    await kit.connections.ready(other.id)
    assert kit.practice_starts == starts + 1
    with pytest.raises(OperatorError):
        await kit.connections.ready(99)


async def test_views_are_by_name_and_say_how_accounts_stand(kit: Kit) -> None:
    zoo, bar = await kit.connect("Zoo"), await kit.connect("bar")
    kit.engine.states = {zoo.id: stands(AccountState.WAITING)}
    views = await kit.connections.views()
    assert [view.name for view in views] == ["bar", "Zoo"]
    assert [view.state for view in views] == [AccountState.OK, AccountState.WAITING]
    assert views[0].id == bar.id
    assert kit.connections.makes("texts") == "text"
    assert [param.name for param in kit.connections.params("pictures")] == ["size"]
    assert [preset.id for preset in kit.connections.presets()] == ["shop"]
    assert await kit.connections.key_store_trouble() is None
