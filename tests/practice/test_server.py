"""The API as an OpenAI client meets it, on real sockets."""

from __future__ import annotations

import asyncio
import io

import httpx
import pytest
from PIL import Image

from tests.practice.practice_kit import Starter, picture


async def test_a_picture_comes_as_b64_in_the_size_asked_for(start: Starter) -> None:
    server = await start()
    answer = await server.draw("红色运动鞋", size="320x200")
    assert answer.status_code == 200
    assert picture(answer).size == (320, 200)
    assert picture(answer).format == "PNG"
    assert answer.headers["x-request-id"].startswith("req_")


@pytest.mark.parametrize("fmt", ["png", "jpeg", "webp"])
async def test_the_output_format_is_honoured(start: Starter, fmt: str) -> None:
    server = await start()
    assert picture(await server.draw("mug", output_format=fmt)).format == fmt.upper()


async def test_without_a_size_the_picture_is_1024_square(start: Starter) -> None:
    server = await start()
    assert picture(await server.draw("mug", size=None)).size == (1024, 1024)


async def test_several_pictures_of_one_call_are_billed_as_one_call(start: Starter) -> None:
    server = await start()
    answer = await server.draw("mug", n=3)
    shown = {picture(answer, i).tobytes() for i in range(3)}
    assert len(shown) == 3
    assert (await server.ledger())["billed"] == 1


async def test_a_url_is_downloaded_without_the_key(start: Starter) -> None:
    server = await start()
    answer = await server.draw("mug", response_format="url")
    url = answer.json()["data"][0]["url"]
    assert url.startswith(f"http://127.0.0.1:{server.port}/files/")
    async with httpx.AsyncClient(trust_env=False, verify=False) as nobody:
        found = await nobody.get(url)
        assert found.headers["content-type"] == "image/png"
        assert Image.open(io.BytesIO(found.content)).size == (64, 64)
        assert (await nobody.get(url + "x")).status_code == 404


async def test_chat_repeats_the_question_and_flags_a_cut(start: Starter) -> None:
    server = await start()
    whole = (await server.ask("为什么天空是蓝色的？")).json()["choices"][0]
    assert "为什么天空是蓝色的？" in whole["message"]["content"]
    assert whole["finish_reason"] == "stop"
    cut = (await server.ask("why is the sky blue", max_tokens=3)).json()["choices"][0]
    assert len(cut["message"]["content"]) == 12
    assert cut["finish_reason"] == "length"


async def test_models_are_listed(start: Starter) -> None:
    server = await start()
    models = (await server.client.get("/v1/models")).json()
    assert [m["id"] for m in models["data"]] == ["practice", "practice-chat"]


@pytest.mark.parametrize("path", ["/v1/images/generations", "/_practice/reset"])
async def test_posts_need_the_key(start: Starter, path: str) -> None:
    server = await start()
    answer = await server.client.post(path, headers={"Authorization": "Bearer wrong"})
    assert answer.status_code == 401
    assert answer.json()["error"]["code"] == "invalid_api_key"


@pytest.mark.parametrize("path", ["/v1/models", "/_practice/ledger"])
async def test_gets_need_the_key(start: Starter, path: str) -> None:
    server = await start()
    answer = await server.client.get(path, headers={"Authorization": "Bearer wrong"})
    assert answer.status_code == 401


@pytest.mark.parametrize(
    ("more", "param"),
    [
        ({"size": "huge"}, "size"),
        ({"size": "9000x9000"}, "size"),
        ({"n": 0}, "n"),
        ({"n": True}, "n"),
        ({"output_format": "gif"}, "output_format"),
        ({"response_format": "text"}, "response_format"),
        ({"prompt": "  "}, "prompt"),
        ({"prompt": "x" * 32_001}, "prompt"),
        ({"model": None}, "model"),
    ],
)
async def test_a_bad_request_says_which_field(
    start: Starter, more: dict[str, object], param: str
) -> None:
    server = await start()
    answer = await server.client.post(
        "/v1/images/generations", json={"model": "practice", "prompt": "mug", **more}
    )
    assert answer.status_code == 400
    assert answer.json()["error"]["param"] == param
    ledger = await server.ledger()
    assert (ledger["billed"], ledger["turned_away"]) == (0, 1)


async def test_broken_json_and_unknown_pages_are_answered_in_json(start: Starter) -> None:
    server = await start()
    broken = await server.client.post("/v1/images/generations", content=b"{")
    assert (broken.status_code, broken.json()["error"]["code"]) == (400, "invalid_json")
    assert (await server.client.get("/v1/nothing")).json()["error"]["code"] == "not_found"
    assert (await server.client.get("/v1/images/generations")).status_code == 405


async def test_a_client_that_hangs_up_is_billed_all_the_same(start: Starter) -> None:
    server = await start(mean_s=20, sigma=0)
    call = asyncio.create_task(server.draw("mug"))
    await server.until(in_flight=1)
    call.cancel()
    ledger = await server.until(billed=1, in_flight=0)
    assert ledger["outcomes"] == {"ok": 1}


async def test_reset_starts_a_new_ledger_and_can_change_the_config(start: Starter) -> None:
    server = await start()
    await server.draw("mug")
    answer = await server.client.post("/_practice/reset", json={"qps": 7, "trouble": {"500": 1}})
    assert answer.json()["config"]["qps"] == 7
    assert (await server.ledger())["attempts"] == 0
    await server.client.post("/_practice/reset")
    assert (await server.client.post("/_practice/reset")).json()["config"]["qps"] == 7


async def test_reset_refuses_an_unknown_setting_and_keeps_the_ledger(start: Starter) -> None:
    server = await start()
    await server.draw("mug")
    answer = await server.client.post("/_practice/reset", json={"qsp": 7})
    assert answer.status_code == 400
    assert '"qsp"' in answer.json()["error"]["message"]
    assert (await server.ledger())["attempts"] == 1


async def test_idempotency_off_bills_the_same_key_twice(start: Starter) -> None:
    server = await start()
    await server.draw("mug", key="k1")
    await server.draw("mug", key="k1")
    assert (await server.ledger())["billed"] == 2


async def test_idempotency_on_gives_the_first_answer_and_bills_once(start: Starter) -> None:
    server = await start(idempotency=True)
    first = await server.draw("mug", key="k1", response_format="url")
    again = await server.draw("mug", key="k1", response_format="url")
    assert again.content == first.content
    other = await server.draw("mug", key="k2", response_format="url")
    assert other.content != first.content
    ledger = await server.ledger()
    assert (ledger["attempts"], ledger["billed"]) == (3, 2)
    assert ledger["outcomes"] == {"ok": 2, "replayed": 1}


async def test_idempotency_covers_a_call_still_running_and_a_dropped_one(start: Starter) -> None:
    server = await start(idempotency=True, mean_s=5, sigma=0)
    both = await asyncio.gather(server.draw("mug", key="k1"), server.draw("mug", key="k1"))
    assert both[0].content == both[1].content
    with pytest.raises(httpx.RemoteProtocolError):
        await server.draw("lamp [[drop:1]]", key="k2")
    assert (await server.draw("lamp [[drop:1]]", key="k2")).status_code == 200
    assert (await server.ledger())["billed"] == 2


async def test_idempotency_forgets_what_was_not_billed(start: Starter) -> None:
    server = await start(idempotency=True)
    assert (await server.draw("mug [[500:1]]", key="k1")).status_code == 500
    assert (await server.draw("mug [[500:1]]", key="k1")).status_code == 200
    reused = await server.draw("lamp", key="k1")
    assert reused.json()["error"]["code"] == "idempotency_key_reuse"
    assert (await server.ledger())["billed"] == 1
