"""The test of a connection: honest sentences, and never a call that could cost anything."""

from __future__ import annotations

import socket
from decimal import Decimal
from typing import Any

import pytest

from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.money import Price, PriceUnit
from desktop_app.domain.ports import Adapter
from desktop_app.domain.text import Translator
from desktop_app.providers import probe
from tests.contract.cases import CASES, CLAUDE, KEY, Case, FakeClock, call, failing
from tests.contract.conftest import Open
from tests.contract.server import Reply, ScriptedServer, json_reply

LISTING = [case for case in CASES if case.listing is not None]


@pytest.fixture(params=LISTING, ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> Any:
    """Every adapter whose cheapest call is a list of models."""
    return request.param


def models(case: Case, *names: str) -> Any:
    assert case.listing is not None
    return case.listing(*names)


async def sentences(adapter: Adapter) -> tuple[bool, str]:
    report = await adapter.test()
    return report.ok, " ".join(Translator().say(said) for said in report.said)


async def test_it_says_key_model_time_and_way(
    case: Case, adapter: Adapter, server: ScriptedServer, clock: FakeClock
) -> None:
    listed = models(case, "other", case.model)
    server.on(case.list_path, json_reply(listed, before=lambda: clock.advance(0.25)))
    report = await adapter.test()
    assert report.models == ("other", case.model)
    assert report.latency_s == pytest.approx(0.25)
    ok, said = await sentences(adapter)
    assert ok
    assert said == (
        f"The key works. The model {case.model} is there. It answered in 250 ms. Without a proxy."
    )
    asked = {(seen.method, seen.target.partition("?")[0]) for seen in server.seen}
    assert asked == {("GET", case.list_path)}
    assert case.key_in(server.seen[0].headers) == KEY


async def test_a_model_that_is_not_listed_is_told(
    case: Case, adapter: Adapter, server: ScriptedServer
) -> None:
    server.on(case.list_path, json_reply(models(case, "a", "b")))
    ok, said = await sentences(adapter)
    assert ok
    assert f"{case.model} is not among the 2 models" in said
    server.on(case.list_path, json_reply(models(case, "a")))
    _, said = await sentences(adapter)
    assert f"{case.model} is not the one model that is listed." in said


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (("tiny.gguf",), "The model that it has will answer: tiny.gguf. "),
        (("a", "b", "c", "d"), "The model that it has will answer: a, b, c…. "),
    ],
    ids=["one", "many"],
)
async def test_whichever_model_there_is_is_no_doubt(
    case: Case, server: ScriptedServer, open_adapter: Open, names: tuple[str, ...], sentence: str
) -> None:
    server.on(case.list_path, json_reply(models(case, *names)))
    ok, said = await sentences(open_adapter(case.connection(server.url, model="default")))
    assert ok
    assert sentence in said
    assert "listed" not in said


@pytest.mark.parametrize(
    ("reply", "ok", "sentence"),
    [
        (json_reply({"error": {"code": "invalid_api_key"}}, 401), False, "refused the key"),
        (json_reply({"error": {"message": "no"}}, 403), False, "doesn't allow"),
        (Reply(402), False, "no money left"),
        (Reply(429), True, "asks to slow down just now"),
        (Reply(500), False, "an error of its own"),
        (json_reply({}), True, "No models are listed"),
        (Reply(drop=True), False, "Asking costs nothing"),
        (Reply(504), False, "Asking costs nothing"),
    ],
    ids=["401", "403", "402", "429", "500", "unlisted", "drop", "504"],
)
async def test_each_standing(
    case: Case, adapter: Adapter, server: ScriptedServer, reply: Reply, ok: bool, sentence: str
) -> None:
    server.on(case.list_path, reply)
    found, said = await sentences(adapter)
    assert found is ok
    assert sentence in said
    assert "billed" not in said


async def test_a_silence_of_this_computers_own_server_is_no_matter_of_money(
    case: Case, adapter: Adapter, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe, "_TIMEOUT_S", 0.1)
    server.on(case.list_path, Reply(hang=True))
    ok, said = await sentences(adapter)
    assert not ok
    assert "Asking costs nothing" in said


async def test_without_a_list_an_empty_body_shows_the_key_and_bills_nothing(
    case: Case, adapter: Adapter, server: ScriptedServer
) -> None:
    server.on(case.list_path, Reply(404))
    server.on(case.path, json_reply({"error": {"message": "prompt is required"}}, 400))
    ok, said = await sentences(adapter)
    assert ok
    assert said.startswith(f"The key works. No models are listed, so {case.model}")
    assert [(seen.method, seen.body) for seen in server.seen[:2]] == [("GET", b""), ("POST", b"{}")]
    server.on(case.path, Reply(401))
    assert (await sentences(adapter))[0] is False
    server.on(case.path, Reply(404))
    ok, said = await sentences(adapter)
    assert not ok
    assert "Check the address" in said
    server.on(case.path, json_reply({"error": {"code": "no_db_connection"}}, 400))
    ok, said = await sentences(adapter)
    assert not ok
    assert "refused the key" in said


async def test_a_sign_in_page_is_no_provider(
    case: Case, adapter: Adapter, server: ScriptedServer
) -> None:
    page = Reply(200, b"<html>Sign in to the hotel's network</html>")
    server.on(case.list_path, page)
    server.on(case.path, page)
    ok, said = await sentences(adapter)
    assert not ok
    assert "answered with a web page" in said
    assert "sign in first" in said


async def test_a_public_list_proves_no_key(
    case: Case, server: ScriptedServer, open_adapter: Open
) -> None:
    connection = case.connection(server.url, preset="llamacpp")
    server.on(case.list_path, json_reply(models(case, case.model)))
    server.on(case.path, json_reply({"error": {"code": 401, "message": "Invalid API Key"}}, 401))
    ok, said = await sentences(open_adapter(connection))
    assert not ok
    assert "refused the key" in said
    ok, said = await sentences(open_adapter(connection, None))
    assert ok
    assert "answers, without a key" in said


async def test_a_fault_for_an_empty_body_shows_that_the_key_was_let_in(
    server: ScriptedServer, open_adapter: Open
) -> None:
    server.on("/v1/models", json_reply({"data": [{"id": "m-1"}]}))
    told = {"error": {"code": 500, "message": "'messages' is required", "type": "server_error"}}
    server.on(CLAUDE.path, json_reply(told, 500))
    adapter = open_adapter(CLAUDE.connection(server.url, preset="llamacpp"))
    assert (await sentences(adapter))[1].startswith("The key works.")
    assert (await failing(adapter)).kind is F.INVALID  # however often it is asked


async def test_nobody_there(case: Case, open_adapter: Open) -> None:
    ok, said = await sentences(open_adapter(case.connection("http://api.nowhere.invalid")))
    assert not ok
    assert said == (
        "api.nowhere.invalid was not found. Check the network and the address. Set a proxy?"
    )
    ok, said = await sentences(open_adapter(case.connection("http://127.0.0.1:9")))
    assert not ok
    assert "proxy" not in said  # loopback never goes through one


async def test_a_silent_host_asks_for_a_proxy(case: Case, open_adapter: Open) -> None:
    with socket.socket() as deaf:
        deaf.bind(("0.0.0.0", 0))
        deaf.listen()
        base = f"https://0.0.0.0:{deaf.getsockname()[1]}"
        ok, said = await sentences(open_adapter(case.connection(base), connect_s=0.2))
    assert not ok
    assert said == f"Can't reach {base.removeprefix('https://')} in 0.2 s. Set a proxy?"


async def test_the_proxy_in_use_is_named(
    case: Case, server: ScriptedServer, open_adapter: Open
) -> None:
    server.on(f"http://provider.example{case.list_path}", json_reply(models(case, case.model)))
    proxy = server.url.replace("http://", "http://u:p@")
    adapter = open_adapter(case.connection("http://provider.example", proxy=proxy))
    ok, said = await sentences(adapter)
    assert ok
    assert said.endswith(f"Through the proxy {server.url}.")
    refused = open_adapter(case.connection("http://provider.example", proxy="http://127.0.0.1:9"))
    assert "through the proxy http://127.0.0.1:9" in (await sentences(refused))[1]


async def test_a_bad_address_is_said(case: Case, open_adapter: Open) -> None:
    ok, said = await sentences(open_adapter(case.connection("nonsense")))
    assert not ok
    assert "is not a web address" in said


async def test_the_line_still_works_afterwards(
    case: Case, adapter: Adapter, server: ScriptedServer
) -> None:
    server.on(case.list_path, json_reply(models(case, case.model)))
    server.on(case.path, json_reply(case.good))
    await adapter.test()
    assert (await adapter.submit(call())).contents[0].data == case.result


@pytest.mark.parametrize(
    ("price", "sentence"),
    [
        (Price(Decimal("0.04"), PriceUnit.IMAGE, "USD"), "The price entered: 0.04 USD/image. "),
        (None, "No price is entered, so what a run may cost can't be told beforehand. "),
    ],
    ids=["entered", "missing"],
)
async def test_it_says_whether_the_price_is_known(
    case: Case, server: ScriptedServer, open_adapter: Open, price: Price | None, sentence: str
) -> None:
    server.on(f"http://provider.example{case.list_path}", json_reply(models(case, case.model)))
    connection = case.connection("http://provider.example", proxy=server.url, price=price)
    assert sentence in (await sentences(open_adapter(connection)))[1]


@pytest.mark.parametrize(
    ("date", "sentence"),
    [
        ("Fri, 15 Jan 2027 07:50:00 GMT", "clock is 10 minutes ahead of the server's"),
        ("Fri, 15 Jan 2027 09:00:00 GMT", "clock is 60 minutes behind the server's"),
        ("Fri, 15 Jan 2027 07:55:00 GMT", ""),
        ("yesterday", ""),
    ],
    ids=["ahead", "behind", "near enough", "no time"],
)
async def test_a_clock_that_is_wrong_is_told(
    case: Case, adapter: Adapter, server: ScriptedServer, date: str, sentence: str
) -> None:
    server.on(case.list_path, json_reply(models(case, case.model), headers={"date": date}))
    ok, said = await sentences(adapter)
    assert ok
    assert sentence in said
    assert ("clock" in said) is bool(sentence)


@pytest.mark.parametrize(
    ("headers", "sentence"),
    [
        ({"x-ratelimit-limit-requests": "500"}, "It tells its limit: 500 requests. "),
        (
            {"x-ratelimit-limit": "60", "x-ratelimit-remaining": "59"},
            "It tells its limit: 60 requests, 59 of them left. ",
        ),
    ],
    ids=["limit", "limit and rest"],
)
async def test_limits_in_headers_are_told(
    case: Case, adapter: Adapter, server: ScriptedServer, headers: dict[str, str], sentence: str
) -> None:
    server.on(case.list_path, json_reply(models(case, case.model), headers=headers))
    assert sentence in (await sentences(adapter))[1]
