"""An answer that was put aside means what it meant when it came, even to who knows no key."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.errors import ProviderFailure
from desktop_app.domain.ports import Adapter, Call, RawAnswer, RereadingAdapter
from desktop_app.domain.task import Request
from tests.contract.cases import KEY, Case, call
from tests.contract.conftest import Open
from tests.contract.server import Reply, ScriptedServer, json_reply

PLAIN = Request("p", {}, {})


def listening(heard: list[RawAnswer], decoded: list[int]) -> Call:
    made = call()
    made.on_whole = heard.append
    made.on_receive = lambda: decoded.append(len(heard))
    return made


def chunked(reply: Reply) -> Reply:
    body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(reply.body), reply.body)
    return replace(reply, body=body, headers={**reply.headers, "transfer-encoding": "chunked"})


async def again(open_adapter: Open, case: Case, base: str, raw: RawAnswer) -> Any:
    adapter = open_adapter(case.connection(base), None)
    assert isinstance(adapter, RereadingAdapter)
    return await adapter.reread(PLAIN, raw)


@pytest.mark.parametrize("told", [True, False], ids=["content-length", "chunked"])
async def test_a_good_answer_is_put_aside_before_it_is_decoded_and_says_the_same_again(
    case: Case, adapter: Adapter, server: ScriptedServer, open_adapter: Open, told: bool
) -> None:
    reply = json_reply(case.good, headers={"x-request-id": "req-7", "set-cookie": "a=b"})
    server.on(case.path, reply if told else chunked(reply))
    heard: list[RawAnswer] = []
    decoded: list[int] = []
    answer = await adapter.submit(listening(heard, decoded))
    assert decoded == [1]
    assert "set-cookie" not in heard[0].headers
    seen = len(server.seen)
    assert await again(open_adapter, case, server.url, heard[0]) == answer
    assert len(server.seen) == seen


ERRORS = [
    (429, {"error": {"message": "slow down", "code": "rate_limit_exceeded"}}, F.THROTTLED),
    (500, {"error": {"message": "oops"}}, F.TRANSIENT),
    (400, {"error": {"message": "no", "code": "content_policy_violation"}}, F.REFUSED),
    (401, {"error": {"message": f"Incorrect API key provided: {KEY}"}}, F.ACCOUNT),
]


@pytest.mark.parametrize(("status", "said", "kind"), ERRORS)
async def test_a_bad_answer_fails_again_in_the_same_way_and_holds_no_key(
    case: Case,
    adapter: Adapter,
    server: ScriptedServer,
    open_adapter: Open,
    status: int,
    said: Any,
    kind: F,
) -> None:
    server.on(case.path, json_reply(said, status, headers={"x-echo": KEY, "retry-after": "7"}))
    heard: list[RawAnswer] = []
    with pytest.raises(ProviderFailure) as first:
        await adapter.submit(listening(heard, []))
    assert KEY not in repr(heard[0])
    assert KEY.encode() not in heard[0].body
    with pytest.raises(ProviderFailure) as second:
        await again(open_adapter, case, server.url, heard[0])
    assert second.value.failure.kind is first.value.failure.kind is kind
    assert second.value.failure.code == first.value.failure.code
    assert second.value.failure.wait == first.value.failure.wait


async def test_a_cut_answer_is_not_put_aside(
    case: Case, adapter: Adapter, server: ScriptedServer
) -> None:
    server.on(case.path, json_reply(case.good, cut=20))
    heard: list[RawAnswer] = []
    with pytest.raises(ProviderFailure):
        await adapter.submit(listening(heard, []))
    assert heard == []


async def test_a_result_that_repeats_the_key_is_not_written_anywhere(
    case: Case, adapter: Adapter, server: ScriptedServer
) -> None:
    server.on(case.path, json_reply({**case.good, "you_sent": KEY}))
    heard: list[RawAnswer] = []
    await adapter.submit(listening(heard, []))
    assert heard == []


async def test_an_empty_body_is_a_whole_answer(
    case: Case, adapter: Adapter, server: ScriptedServer
) -> None:
    server.on(case.path, Reply(500, b""))
    heard: list[RawAnswer] = []
    with pytest.raises(ProviderFailure):
        await adapter.submit(listening(heard, []))
    assert [raw.body for raw in heard] == [b""]
