"""Every kind of trouble as a client meets it, and what the ledger says of it."""

from __future__ import annotations

import asyncio
import base64
import json

import httpx
import pytest
from PIL import UnidentifiedImageError

from desktop_app.practice.trouble import KINDS, OF_JOBS, OF_STREAMS
from tests.practice.practice_kit import Running, Starter, picture

ANSWERED = {
    "500": (500, "server_error", 0),
    "503": (503, "overloaded", 0),
    "504": (504, "timeout", 1),
    "moderate": (400, "content_policy_violation", 0),
    "400": (400, "invalid_value", 0),
    "401": (401, "invalid_api_key", 0),
    "quota": (429, "insufficient_quota", 0),
    "softquota": (429, "rate_limit_exceeded", 0),
}


async def _billed(server: Running, kind: str) -> int:
    ledger = await server.ledger()
    assert ledger["outcomes"] == {kind: 1}
    assert ledger["in_flight"] == 0
    return int(ledger["billed"])


@pytest.mark.parametrize("kind", ANSWERED)
async def test_kinds_answered_with_an_error(start: Starter, kind: str) -> None:
    server = await start()
    answer = await server.draw(f"mug [[{kind}]]")
    status, code, billed = ANSWERED[kind]
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert set(answer.json()["error"]) == {"message", "type", "param", "code"}
    assert await _billed(server, kind) == billed
    waits = kind in ("503", "softquota")
    assert ("retry-after" in answer.headers) is waits


async def test_s03_html502_is_a_proxys_page(start: Starter) -> None:
    server = await start()
    answer = await server.draw("mug [[html502]]")
    assert answer.status_code == 502
    assert answer.headers["content-type"].startswith("text/html")
    assert await _billed(server, "html502") == 0


async def test_s01_drop_bills_and_sends_no_byte(start: Starter) -> None:
    server = await start()
    with pytest.raises(httpx.RemoteProtocolError, match="without sending a response"):
        await server.draw("mug [[drop]]")
    assert await _billed(server, "drop") == 1


async def test_truncated_promises_more_than_it_sends(start: Starter) -> None:
    server = await start()
    with pytest.raises(httpx.RemoteProtocolError, match="complete message body"):
        await server.draw("mug [[truncated]]")
    assert await _billed(server, "truncated") == 1


async def test_badjson_is_whole_but_breaks_off(start: Starter) -> None:
    server = await start()
    answer = await server.draw("mug [[badjson]]")
    assert answer.status_code == 200
    assert int(answer.headers["content-length"]) == len(answer.content)
    with pytest.raises(json.JSONDecodeError):
        answer.json()
    assert await _billed(server, "badjson") == 1


@pytest.mark.parametrize("form", ["b64_json", "url"])
async def test_badimage_begins_like_a_picture_and_is_none(start: Starter, form: str) -> None:
    server = await start()
    answer = await server.draw("mug [[badimage]]", response_format=form)
    item = answer.json()["data"][0]
    data = (await server.client.get(item["url"])).content if form == "url" else (
        base64.b64decode(item["b64_json"])
    )  # fmt: skip
    assert data.startswith(b"\x89PNG")
    if form == "b64_json":
        with pytest.raises(UnidentifiedImageError):
            picture(answer)
    assert await _billed(server, "badimage") == 1


async def test_s07_empty_is_200_with_nothing_in_it(start: Starter) -> None:
    server = await start()
    answer = await server.draw("mug [[empty]]")
    assert (answer.status_code, answer.json()["data"]) == (200, [])
    assert await _billed(server, "empty") == 0
    chat = await server.ask("question [[empty]]")
    assert (chat.status_code, chat.json()["choices"]) == (200, [])


async def test_hang_never_answers_and_ends_when_the_client_goes(start: Starter) -> None:
    server = await start(concurrency=1)
    call = asyncio.create_task(server.draw("mug [[hang]]"))
    ledger = await server.until(in_flight=1)
    assert ledger["billed"] == 1
    assert (await server.draw("lamp")).status_code == 429
    call.cancel()
    await server.until(in_flight=0)
    assert (await server.draw("lamp")).status_code == 200


async def test_hang_is_cut_by_a_reset_and_by_the_end(start: Starter) -> None:
    server = await start()
    call = asyncio.create_task(server.draw("mug [[hang]]"))
    await server.until(in_flight=1)
    await server.client.post("/_practice/reset")
    with pytest.raises(httpx.RemoteProtocolError):
        await call
    call = asyncio.create_task(server.draw("mug [[hang]]"))
    await server.until(in_flight=1)
    server.stop.set()
    with pytest.raises(httpx.RemoteProtocolError):
        await call


async def test_slow_takes_longer_by_the_factor_and_is_good(start: Starter) -> None:
    server = await start(mean_s=2, sigma=0, slow_factor=15)
    assert (await server.draw("mug")).status_code == 200
    assert (await server.draw("mug [[slow]]")).status_code == 200
    calls = (await server.ledger(calls=True))["calls"]
    usual, slow = (c["ended_s"] - c["arrived_s"] for c in calls)
    assert usual >= 2 * 0.01 * 0.99
    assert slow >= 30 * 0.01 * 0.99


async def test_trouble_ends_after_its_times_and_the_marker_is_not_drawn(start: Starter) -> None:
    server = await start()
    statuses = [(await server.draw("mug [[500:2]]")).status_code for _ in range(4)]
    assert statuses == [500, 500, 200, 200]
    plain = await server.ask("question [[500:0]]")
    assert "[[" not in plain.json()["choices"][0]["message"]["content"]


async def test_a_refusal_by_a_limit_does_not_use_up_a_marker(start: Starter) -> None:
    server = await start(qps=1, burst=1, time_scale=1000)
    assert (await server.draw("lamp")).status_code == 200
    assert (await server.draw("mug [[500:1]]")).status_code == 429
    await server.client.post("/_practice/reset", json={"mean_s": 0, "quick_s": 0})
    assert (await server.draw("mug [[500:1]]")).status_code == 500


async def test_trouble_by_chance_meets_whole_runs(start: Starter) -> None:
    server = await start(trouble={"401": 1})
    assert {(await server.draw(f"mug {i}")).status_code for i in range(5)} == {401}
    assert (await server.ledger())["outcomes"] == {"401": 5}


def test_no_kind_is_without_a_test() -> None:
    seen = {"html502", "drop", "truncated", "badjson", "badimage", "empty", "hang", "slow"}
    assert seen | set(ANSWERED) == set(KINDS) - OF_JOBS - OF_STREAMS
