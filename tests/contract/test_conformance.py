"""Every adapter: what it must send, and what it must make of every answer and every silence."""

from __future__ import annotations

import asyncio
import json
import socket
from typing import Any

import pytest

from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.errors import ProviderFailure
from desktop_app.domain.money import PriceUnit
from desktop_app.domain.ports import Adapter
from desktop_app.domain.task import Request
from desktop_app.domain.text import Translator
from desktop_app.providers.registry import AdapterRegistry
from tests.contract.cases import CASES, JOB_FILES, KEY, Case, FakeClock, call, failing
from tests.contract.conftest import Open, shipped_files
from tests.contract.server import Reply, ScriptedServer, json_reply

PROMPTS = (
    "红色运动鞋，白色背景 — 7″ 👟🏽",
    "00123",
    '"""Foo"""',
    "tail\r",
    "a\tb\n\nc\u2028d\x0be",
    "e\u0301 vs é, \u200d, \ufeff",
    'quote " backslash \\ null-ish \\u0000',
)


def test_every_adapter_is_in_the_suite() -> None:
    assert {case.adapter for case in CASES} == set(AdapterRegistry().names())


async def test_success(case: Case, adapter: Adapter, server: ScriptedServer) -> None:
    server.on(case.path, json_reply(case.good, headers={"x-request-id": "req-7"}))
    answer = await adapter.submit(call())
    assert answer.contents[0].data == case.result
    assert answer.http_status == 200
    assert answer.request_id == "req-7" or case.aside
    (seen,) = server.seen
    assert seen.method == "POST"
    assert case.key_in(seen.headers) == KEY
    assert case.model_of(seen.json, seen.target) == case.model


@pytest.mark.parametrize("prompt", PROMPTS)
async def test_a_prompt_arrives_as_it_is(
    case: Case, adapter: Adapter, server: ScriptedServer, prompt: str
) -> None:
    server.on(case.path, json_reply(case.good))
    await adapter.submit(call(prompt))
    assert case.prompt_of(server.seen[0].json) == prompt


async def test_the_preview_is_what_is_sent_and_holds_no_key(
    case: Case, adapter: Adapter, server: ScriptedServer
) -> None:
    server.on(case.path, json_reply(case.good))
    made = call("x", **case.preview_params)
    preview = adapter.body_preview(made.request)
    await adapter.submit(made)
    sent = {key: value for key, value in server.seen[0].json.items() if key not in case.unforeseen}
    assert sent == preview
    assert KEY not in json.dumps(preview)


async def test_request_wins_over_connection(
    case: Case, server: ScriptedServer, open_adapter: Open
) -> None:
    if not case.flat:
        pytest.skip("its parameters have places of their own")
    connection = case.connection(
        server.url,
        params={"quality": "low", "top_p": 0.1},
        extra={"seed": 1, "user": "u", "model": None},
    )
    request = Request("p", {"quality": "high", "top_p": ""}, {"seed": 2})
    body = open_adapter(connection).body_preview(request)
    assert body["quality"] == "high"
    assert "top_p" not in body  # a blank cell gives nothing
    assert body["seed"] == 2
    assert body["user"] == "u"
    assert "model" not in body  # null takes a field away


# --- the moment of sending --------------------------------------------------------------------


async def test_begin_is_called_once_before_the_server_sees_a_byte(
    case: Case, adapter: Adapter, server: ScriptedServer
) -> None:
    at_begin: list[int] = []
    server.on(case.path, json_reply(case.good))
    made = call()
    made.on_begin = lambda: at_begin.append(len(server.seen))
    await adapter.submit(made)
    assert at_begin == [0]
    assert made.begun


async def test_a_refused_line_has_sent_nothing(case: Case, open_adapter: Open) -> None:
    made = call()
    with socket.socket() as deaf:  # who holds the port keeps others from listening there
        deaf.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        failure = await failing(open_adapter(case.connection(url)), made)
    assert (failure.kind, failure.code) == (F.OFFLINE, "connect_refused")
    assert (failure.sent, failure.billed, made.begun) == (False, False, False)


async def test_an_unknown_host_has_sent_nothing(case: Case, open_adapter: Open) -> None:
    made = call()
    failure = await failing(open_adapter(case.connection("http://api.nowhere.invalid")), made)
    assert (failure.kind, failure.code, made.begun) == (F.OFFLINE, "dns", False)


async def test_failed_tls_has_sent_nothing(case: Case, open_adapter: Open) -> None:
    async def speak_plainly(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 This is no TLS\r\n\r\n")
        writer.close()
        await writer.wait_closed()

    made = call()
    async with await asyncio.start_server(speak_plainly, "127.0.0.1", 0) as plain:
        port = plain.sockets[0].getsockname()[1]
        failure = await failing(open_adapter(case.connection(f"https://127.0.0.1:{port}")), made)
    assert (failure.kind, failure.code, made.begun) == (F.OFFLINE, "tls", False)


async def test_a_silent_tls_handshake_times_out_unsent(case: Case, open_adapter: Open) -> None:
    made = call()
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        connection = case.connection(f"https://127.0.0.1:{deaf.getsockname()[1]}")
        failure = await failing(open_adapter(connection, connect_s=0.2), made)
    assert (failure.kind, failure.code, made.begun) == (F.OFFLINE, "connect_timeout", False)


async def test_a_line_dropped_after_sending_is_unknown(
    case: Case, adapter: Adapter, server: ScriptedServer
) -> None:
    server.on(case.path, Reply(drop=True))
    made = call()
    failure = await failing(adapter, made)
    assert (failure.kind, failure.code) == (F.UNKNOWN, "dropped")
    assert made.begun
    assert failure.sent
    assert not failure.timeout
    assert len(server.seen) == 1


async def test_silence_is_unknown_at_the_deadline(
    case: Case, adapter: Adapter, server: ScriptedServer
) -> None:
    server.on(case.path, Reply(hang=True))
    made = call(timeout_s=0.2)
    failure = await failing(adapter, made)
    assert (failure.kind, failure.code, failure.timeout) == (F.UNKNOWN, "read_timeout", True)
    assert made.begun
    assert len(server.seen) == 1


async def test_cancelling_leaves_begun_to_tell(
    case: Case, adapter: Adapter, server: ScriptedServer
) -> None:
    server.on(case.path, Reply(hang=True))
    made = call()
    task = asyncio.create_task(adapter.submit(made))
    await server.arrival()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert made.begun


async def test_nothing_is_sent_again_by_itself(
    case: Case, adapter: Adapter, server: ScriptedServer
) -> None:
    server.on(case.path, json_reply(case.good), Reply(drop=True), json_reply(case.good))
    await adapter.submit(call())
    assert (await failing(adapter)).kind is F.UNKNOWN  # on a line that was used before
    assert len(server.seen) == 2


async def test_lines_are_used_again_however_many_calls_are_out(
    case: Case, adapter: Adapter, server: ScriptedServer
) -> None:
    all_out = asyncio.Event()
    last = Reply(hang=True, before=all_out.set)
    server.on(case.path, *[Reply(hang=True)] * 39, last, json_reply(case.good))
    out = [asyncio.create_task(adapter.submit(call())) for _ in range(40)]
    await all_out.wait()
    for _ in range(3):
        await adapter.submit(call())
    assert server.connections == 41
    for task in out:
        task.cancel()
    await asyncio.gather(*out, return_exceptions=True)


async def test_a_line_that_went_stale_is_not_used(
    case: Case, adapter: Adapter, server: ScriptedServer
) -> None:
    if case.aside:
        pytest.skip("a job's next question opens the new line already")
    server.on(case.path, json_reply(case.good, cut=10**9), json_reply(case.good))
    await adapter.submit(call())
    await server.line_ended.wait()
    await adapter.submit(call())
    assert server.connections == len(server.seen) == 2


# --- answers ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Reply(200, b'{"data": [', {"content-type": "application/json"}), F.UNKNOWN),
        (Reply(200, b"<html>Sign in</html>", {"content-type": "text/html"}), F.UNKNOWN),
        (Reply(200, b"", {}), F.UNKNOWN),
        (Reply(200, b"[]", {"content-type": "application/json"}), F.UNKNOWN),
        (Reply(200, b"{}", {"content-type": "application/json"}), F.UNKNOWN),
        (Reply(200, b"\x1f\x8bnot gzip", {"content-encoding": "gzip"}), F.UNKNOWN),
        (Reply(502, b"<html><title>502 Bad Gateway</title>", {}), F.TRANSIENT),
        (Reply(503, b"", {}), F.TRANSIENT),
        (Reply(503, b"", {"retry-after": "3"}), F.THROTTLED),
        (Reply(500, b"oops", {}), F.TRANSIENT),
        (Reply(500, b"", {"x-should-retry": "false"}), F.INVALID),
        (Reply(409, b"", {"x-should-retry": "true"}), F.TRANSIENT),
        (Reply(429, b"", {"x-should-retry": "false"}), F.ACCOUNT),
        (Reply(429, b"", {"x-should-retry": "true"}), F.THROTTLED),
        (Reply(521, b"", {}), F.TRANSIENT),
        (Reply(529, b"", {}), F.THROTTLED),
        (Reply(429, b"", {}), F.THROTTLED),
        (Reply(429, b"", {"retry-after": "21600"}), F.ACCOUNT),
        (Reply(408, b"", {}), F.UNKNOWN),
        (Reply(504, b"<html>", {}), F.UNKNOWN),
        (Reply(520, b"", {}), F.UNKNOWN),
        (Reply(522, b"", {}), F.UNKNOWN),
        (Reply(524, b"", {}), F.UNKNOWN),
        (Reply(400, b'{"detail": "no"}', {}), F.INVALID),
        (Reply(404, b"File Not Found", {}), F.INVALID),
        (Reply(422, b'{"detail": [{"loc": ["body", "size"], "msg": "bad"}]}', {}), F.INVALID),
        (Reply(501, b"", {}), F.INVALID),
        (Reply(401, b"", {}), F.ACCOUNT),
        (Reply(402, b"", {}), F.ACCOUNT),
        (Reply(403, b"<html>Forbidden</html>", {}), F.ACCOUNT),
        (Reply(301, b"", {"location": "https://elsewhere.example/v1"}), F.ACCOUNT),
        (Reply(407, b"", {}), F.OFFLINE),
    ],
    ids=lambda value: f"{value.status}-{value.body[:12]!r}" if isinstance(value, Reply) else "",
)
async def test_each_class(
    case: Case, adapter: Adapter, server: ScriptedServer, reply: Reply, kind: F
) -> None:
    server.on(case.path, reply)
    failure = await failing(adapter)
    assert failure.kind is (case.bare if reply.body == b"{}" else kind)
    assert failure.http_status == reply.status
    said = Translator().say(failure.said)
    assert said != failure.said.code
    assert "{" not in said


async def test_wrong_content_type_with_right_json_is_taken(
    case: Case, adapter: Adapter, server: ScriptedServer
) -> None:
    body = json.dumps(case.good).encode()
    server.on(case.path, Reply(200, body, {"content-type": "text/plain"}))
    assert (await adapter.submit(call())).contents[0].data == case.result


@pytest.mark.parametrize("encoding", ["utf-8", "UTF-8", "identity", "none", "br"])
async def test_an_encoding_that_is_none_hides_no_answer(
    case: Case, adapter: Adapter, server: ScriptedServer, encoding: str
) -> None:
    good = json_reply(case.good, headers={"content-encoding": encoding})
    server.on(case.path, good)
    assert (await adapter.submit(call())).contents[0].data == case.result


async def test_a_good_answer_cut_short_is_unknown(
    case: Case, adapter: Adapter, server: ScriptedServer
) -> None:
    server.on(case.path, json_reply(case.good, cut=20))
    failure = await failing(adapter)
    assert (failure.kind, failure.code, failure.http_status) == (F.UNKNOWN, "cut_body", 200)


async def test_a_refusal_cut_short_is_still_that_refusal(
    case: Case, adapter: Adapter, server: ScriptedServer
) -> None:
    server.on(case.path, json_reply({"error": {"message": "slow down"}}, 429, cut=5))
    assert (await failing(adapter)).kind is F.THROTTLED


@pytest.mark.parametrize("status", [502, 503])
async def test_a_gateway_error_after_50_s_is_unknown(
    case: Case, adapter: Adapter, server: ScriptedServer, clock: FakeClock, status: int
) -> None:
    late = Reply(status, headers={"retry-after": "1"}, before=lambda: clock.advance(50))
    quick = Reply(status, before=lambda: clock.advance(49))
    server.on(case.path, late, quick)
    assert (await failing(adapter)).kind is F.UNKNOWN
    assert (await failing(adapter)).kind is F.TRANSIENT


async def test_an_answer_too_large_is_not_taken(
    case: Case, server: ScriptedServer, open_adapter: Open
) -> None:
    adapter = open_adapter(case.connection(server.url), answer_bytes=100)
    server.on(case.path, json_reply({**case.good, "padding": "x" * 5000}))
    failure = await failing(adapter)
    assert (failure.kind, failure.code, failure.billed) == (F.UNKNOWN, "too_large", True)


async def test_an_error_inside_a_200(case: Case, adapter: Adapter, server: ScriptedServer) -> None:
    inside = [
        ({"error": {"code": 429, "message": "Rate limit"}}, F.THROTTLED),
        ({"error": {"code": 502, "message": "Upstream"}}, F.TRANSIENT),
        ({"error": {"code": "content_filter", "message": "no"}}, F.REFUSED),
        ({"error": {"message": "it broke"}}, F.UNKNOWN),
        ({"code": "Throttling", "message": "Requests rate limit exceeded"}, F.THROTTLED),
        ({"code": "Arrearage", "message": "Access denied"}, F.ACCOUNT),
        ({"code": "AccessDenied", "message": "Access denied"}, F.ACCOUNT),
        ({"error": {"message": "This model's maximum context length is 9 tokens"}}, F.INVALID),
    ]
    server.on(case.path, *(json_reply(body) for body, _ in inside))
    assert [(await failing(adapter)).kind for _ in inside] == [kind for _, kind in inside]


async def test_s03_a_504_says_why_and_may_have_been_billed(
    case: Case, adapter: Adapter, server: ScriptedServer
) -> None:
    server.on(case.path, Reply(504, b"<html><h1>504 Gateway Time-out</h1></html>"))
    failure = await failing(adapter)
    assert failure.kind is F.UNKNOWN
    assert failure.timeout
    assert failure.billed is None
    assert "may have been billed" in Translator().say(failure.said)
    assert len(server.seen) == 1


async def test_s07_a_200_without_a_result_is_a_refusal(
    case: Case, adapter: Adapter, server: ScriptedServer
) -> None:
    if case.empty is None:
        pytest.skip("a refusal is none of its answers")
    server.on(case.path, json_reply(case.empty))
    failure = await failing(adapter)
    assert failure.kind is F.REFUSED
    assert Translator().say(failure.said).startswith("Refused by the provider")
    assert len(server.seen) == 1


async def test_text_that_is_no_unicode_is_invalid_and_unsent(
    case: Case, adapter: Adapter, server: ScriptedServer
) -> None:
    made = call("lone \ud800 surrogate")
    failure = await failing(adapter, made)
    assert (failure.kind, failure.sent, made.begun) == (F.INVALID, False, False)
    assert server.seen == []


@pytest.mark.parametrize("base", ["ftp://127.0.0.1", "nonsense", "http://"])
async def test_a_bad_address_pauses_the_account(case: Case, open_adapter: Open, base: str) -> None:
    failure = await failing(open_adapter(case.connection(base)))
    assert (failure.kind, failure.code, failure.sent) == (F.ACCOUNT, "bad_url", False)


async def test_unused_adapters_close(case: Case, server: ScriptedServer) -> None:
    adapter = AdapterRegistry().open(case.connection(server.url), None)
    await adapter.close()


async def test_a_failing_begin_sends_nothing(
    case: Case, adapter: Adapter, server: ScriptedServer
) -> None:
    def refuse() -> None:
        raise RuntimeError("the store is gone")

    made = call()
    made.on_begin = refuse
    with pytest.raises(RuntimeError, match="store is gone"):
        await adapter.submit(made)
    assert server.seen == []


async def test_capabilities(case: Case, adapter: Adapter, server: ScriptedServer) -> None:
    registry = AdapterRegistry(files=shipped_files())
    described = case.connection(server.url) if case in JOB_FILES else None
    capabilities: Any = registry.capabilities(case.adapter, described)
    assert adapter.capabilities == capabilities
    assert capabilities.makes in ("picture", "text")
    assert capabilities.default_timeout_s > 0
    assert PriceUnit.CALL in capabilities.price_units
    if capabilities.jobs:  # none of these tells tokens
        assert not any(unit.tokens for unit in capabilities.price_units)
    with pytest.raises(ProviderFailure):
        await adapter.submit(call())  # nothing scripted: 404
