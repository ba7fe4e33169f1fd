"""Pictures as jobs: taken now, made later, asked for, called about, and billed once."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from typing import Any

import httpx
import pytest

from tests.practice.practice_kit import Running, Starter

SECRET = "s3cret"


class Hook:
    """Hears calls; ``statuses`` are its first answers, 200 after them."""

    def __init__(self, *statuses: int) -> None:
        self.calls: list[tuple[dict[str, str], bytes]] = []
        self.heard = asyncio.Condition()
        self._statuses = list(statuses)
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Hook:
        self._server = await asyncio.start_server(self._hear, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/hook?x=1"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()

    async def _hear(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        lines = head.split("\r\n")
        assert lines[0] == "POST /hook?x=1 HTTP/1.1"
        headers = dict(line.split(": ", 1) for line in lines[1:] if line)
        body = await reader.readexactly(int(headers["Content-Length"]))
        status = self._statuses.pop(0) if self._statuses else 200
        writer.write(f"HTTP/1.1 {status} X\r\nContent-Length: 0\r\n\r\n".encode())
        await writer.drain()
        writer.close()
        async with self.heard:
            self.calls.append((headers, body))
            self.heard.notify_all()

    async def until(self, calls: int) -> None:
        async with self.heard, asyncio.timeout(60):
            await self.heard.wait_for(lambda: len(self.calls) >= calls)


async def submit(server: Running, prompt: str, key: str | None = None, **more: Any) -> Any:
    body = {"model": "practice", "prompt": prompt, "size": "64x64", **more}
    headers = {} if key is None else {"Idempotency-Key": key}
    return await server.client.post("/v1/jobs", json=body, headers=headers)


async def called(server: Running, times: int) -> Any:
    """How its calls were answered, once there are so many."""
    async with asyncio.timeout(60):
        while True:
            found = (await server.ledger())["jobs"]["callbacks"]
            if sum(found.values()) >= times:
                return found
            await asyncio.sleep(0.005)


async def over(server: Running, job_id: str) -> Any:
    """The state of a job once it is over."""
    async with asyncio.timeout(60):
        while True:
            found = await server.client.get(f"/v1/jobs/{job_id}")
            if found.status_code != 200 or found.json()["status"] not in ("queued", "running"):
                return found
            await asyncio.sleep(0.005)


async def test_a_job_is_taken_made_and_fetched(start: Starter) -> None:
    server = await start(concurrency=1, mean_s=20)
    taken = (await submit(server, "mug", n=2)).json()
    assert taken["status"] in ("queued", "running")
    assert taken["output"] == []
    ledger = await server.ledger()
    assert (ledger["in_flight"], ledger["billed"]) == (1, 0)
    assert (await submit(server, "cup")).status_code == 429  # it holds the one slot
    done = (await over(server, taken["id"])).json()
    assert (done["status"], done["error"], len(done["output"])) == ("succeeded", None, 2)
    for url in done["output"]:
        picture = await server.client.get(url)
        assert picture.headers["content-type"] == "image/png"
    ledger = await server.ledger()
    assert (ledger["in_flight"], ledger["billed"], ledger["outcomes"]["ok"]) == (0, 1, 1)
    assert ledger["jobs"] == {"made": 1, "states": {"succeeded": 1}, "callbacks": {}}


@pytest.mark.parametrize(
    ("kind", "status"), [("500", 500), ("moderate", 400), ("quota", 429), ("401", 401)]
)
async def test_a_refused_one_makes_no_job(start: Starter, kind: str, status: int) -> None:
    server = await start()
    assert (await submit(server, f"mug [[{kind}]]")).status_code == status
    ledger = await server.ledger()
    assert (ledger["jobs"]["made"], ledger["billed"], ledger["in_flight"]) == (0, 0, 0)
    assert ledger["outcomes"] == {kind: 1}


@pytest.mark.parametrize("kind", ["drop", "truncated", "badjson", "504"])
async def test_a_lost_answer_leaves_a_job_that_is_billed(start: Starter, kind: str) -> None:
    server = await start()
    try:
        answer = await submit(server, f"mug [[{kind}]]")
        assert kind in ("badjson", "504")
        assert answer.status_code == (504 if kind == "504" else 200)
    except httpx.RemoteProtocolError:
        assert kind in ("drop", "truncated")
    ledger = await server.until(in_flight=0)
    assert (ledger["billed"], ledger["jobs"]["made"]) == (1, 1)


async def test_one_that_fails_is_not_billed(start: Starter) -> None:
    server = await start()
    found = (await over(server, (await submit(server, "mug [[job-failed]]")).json()["id"])).json()
    assert (found["status"], found["error"]["code"]) == ("failed", "model_error")
    assert (await server.ledger())["billed"] == 0


async def test_one_that_is_lost_is_billed_and_nowhere(start: Starter) -> None:
    server = await start()
    found = await over(server, (await submit(server, "mug [[job-lost]]")).json()["id"])
    assert (found.status_code, found.json()["error"]["code"]) == (404, "job_not_found")
    assert (await server.ledger())["billed"] == 1


async def test_the_first_questions_after_its_end_may_fail(start: Starter) -> None:
    server = await start()
    job_id = (await submit(server, "mug [[poll-500]]")).json()["id"]
    await server.until(in_flight=0)
    answers = [(await server.client.get(f"/v1/jobs/{job_id}")).status_code for _ in range(4)]
    assert answers == [500, 500, 500, 200]


async def test_a_job_that_is_cancelled_in_time_costs_nothing(start: Starter) -> None:
    server = await start(mean_s=10_000)
    job_id = (await submit(server, "mug")).json()["id"]
    assert (await server.client.post(f"/v1/jobs/{job_id}/cancel")).json()["status"] == "cancelled"
    ledger = await server.until(in_flight=0)
    assert (ledger["billed"], ledger["outcomes"]) == (0, {"cancelled": 1})
    assert (await server.client.post(f"/v1/jobs/{job_id}/cancel")).status_code == 409
    assert (await server.client.post("/v1/jobs/x/cancel")).status_code == 404
    assert (await server.client.get("/v1/jobs/x")).status_code == 404


async def test_one_key_is_one_job_where_keys_are_honoured(start: Starter) -> None:
    server = await start(idempotency=True)
    first, second = [(await submit(server, "mug", "k")).json()["id"] for _ in range(2)]
    assert first == second
    ledger = await server.until(in_flight=0)
    assert (ledger["billed"], ledger["attempts"]) == (1, 2)


async def test_nobody_without_the_key_asks_about_a_job(start: Starter) -> None:
    server = await start()
    job_id = (await submit(server, "mug")).json()["id"]
    stranger = {"Authorization": "Bearer other"}
    for method, path in (("GET", ""), ("POST", "/cancel")):
        url = f"/v1/jobs/{job_id}{path}"
        assert (await server.client.request(method, url, headers=stranger)).status_code == 401


async def test_trouble_of_jobs_is_none_for_a_call_that_is_answered_at_once(start: Starter) -> None:
    server = await start()
    assert (await server.draw("mug [[job-lost]] [[callback-late]]")).status_code == 200
    assert (await server.ledger())["outcomes"] == {"ok": 1}


async def test_an_address_that_is_none_is_refused(start: Starter) -> None:
    server = await start()
    for wrong in ("ftp://x", 7):
        assert (await submit(server, "mug", callback_url=wrong)).status_code == 400
    assert (await server.ledger())["jobs"]["made"] == 0


# --- callbacks ---------------------------------------------------------------------------------


async def test_it_calls_once_and_signs(start: Starter) -> None:
    server = await start()
    async with Hook() as hook:
        wish = {"callback_url": hook.url, "callback_secret": SECRET}
        job_id = (await submit(server, "mug", **wish)).json()["id"]
        await hook.until(1)
        [(headers, body)] = hook.calls
    text = headers["X-Practice-Timestamp"].encode() + b"." + body
    wanted = hmac.new(SECRET.encode(), text, hashlib.sha256).hexdigest()
    assert headers["X-Practice-Signature"] == f"sha256={wanted}"
    assert httpx.Response(200, content=body).json() == (await over(server, job_id)).json()


async def test_a_call_that_is_not_taken_is_made_again(start: Starter) -> None:
    server = await start()
    async with Hook(500, 503) as hook:
        await submit(server, "mug", callback_url=hook.url)
        await hook.until(3)
        assert "X-Practice-Signature" not in hook.calls[0][0]
    assert await called(server, 3) == {"200": 1, "500": 1, "503": 1}


async def test_one_nobody_hears_is_given_up(start: Starter) -> None:
    server = await start()
    async with Hook() as hook:
        url = hook.url
    await submit(server, "mug", callback_url=url)
    assert await called(server, 3) == {"unanswered": 3}


async def test_a_lost_call_is_never_made(start: Starter) -> None:
    server = await start()
    async with Hook() as hook:
        job_id = (await submit(server, "m [[callback-lost]]", callback_url=hook.url)).json()["id"]
        await over(server, job_id)
        await submit(server, "another", callback_url=hook.url)
        await hook.until(1)
        assert len(hook.calls) == 1
        assert job_id.encode() not in hook.calls[0][1]


async def test_a_late_call_comes_late(start: Starter) -> None:
    server = await start(callback_late_s=100)
    async with Hook() as hook:
        job_id = (await submit(server, "m [[callback-late]]", callback_url=hook.url)).json()["id"]
        await over(server, job_id)
        assert hook.calls == []
        await hook.until(1)


async def test_a_doubled_call_comes_three_times_twice_the_same(start: Starter) -> None:
    server = await start()
    async with Hook() as hook:
        wish = {"callback_url": hook.url, "callback_secret": SECRET}
        await submit(server, "mug [[callback-doubled]]", **wish)
        await hook.until(3)
        assert hook.calls[0] == hook.calls[1]
        assert {body for _, body in hook.calls} == {hook.calls[0][1]}


async def test_an_early_call_comes_before_the_answer(start: Starter) -> None:
    server = await start()
    async with Hook() as hook:
        job_id = (await submit(server, "m [[callback-early]]", callback_url=hook.url)).json()["id"]
        assert len(hook.calls) == 1
        assert job_id.encode() in hook.calls[0][1]


async def test_a_reset_ends_jobs_and_their_calls(start: Starter) -> None:
    server = await start(mean_s=10_000)
    async with Hook() as hook:
        job_id = (await submit(server, "mug", callback_url=hook.url)).json()["id"]
        await server.client.post("/_practice/reset")
        assert (await server.client.get(f"/v1/jobs/{job_id}")).status_code == 404
        assert hook.calls == []
    assert (await server.ledger())["jobs"]["made"] == 0
