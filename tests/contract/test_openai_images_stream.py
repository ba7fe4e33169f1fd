"""Pictures that come one by one, or bit by bit: what is finished is a result, what is not is only
looked at."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.ports import RawAnswer
from desktop_app.domain.references import REFERENCE, Reference, stored
from desktop_app.domain.task import Request
from tests.contract.cases import IMAGES, PNG, call, failing, png
from tests.contract.conftest import Open
from tests.contract.server import Reply, ScriptedServer
from tests.contract.streams import cut, open_ended, streamed

OTHER = png((9, 9))
USAGE = {"total_tokens": 4185, "output_tokens": 4160}


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def named(kind: str, **fields: Any) -> bytes:
    """An event with its name, as OpenAI and Ark send it."""
    data = json.dumps({"type": kind, **fields})
    return f"event: {kind}\ndata: {data}\n\n".encode()


def partial(data: bytes, no: int = 0, of: str = "image_generation") -> bytes:
    return named(f"{of}.partial_image", b64_json=b64(data), partial_image_index=no)


def completed(data: bytes, of: str = "image_generation") -> bytes:
    return named(f"{of}.completed", b64_json=b64(data), usage=USAGE)


def succeeded(index: int, **picture: Any) -> bytes:
    return named("image_generation.partial_succeeded", model="m", image_index=index, **picture)


def failed(index: int) -> bytes:
    error = {"code": "OutputImageSensitiveContentDetected", "message": "no"}
    return named("image_generation.partial_failed", image_index=index, error=error)


GROUP_END = named(
    "image_generation.completed",
    usage={"generated_images": 2, "output_tokens": 9, "total_tokens": 9},
)


@pytest.fixture
def adapter(open_adapter: Open, server: ScriptedServer) -> Any:
    return open_adapter(IMAGES.connection(server.url, params={"stream": True}))


async def test_a_picture_that_comes_bit_by_bit(adapter: Any, server: ScriptedServer) -> None:
    server.on(IMAGES.path, streamed(partial(OTHER), partial(OTHER, 1), completed(PNG)))
    found = await adapter.submit(call())
    assert [content.data for content in found.contents] == [PNG]
    assert (found.billed_images, found.tokens, found.flags) == (1, 4185, ())
    sent = server.seen[0].json
    assert (sent["stream"], sent["partial_images"]) == (True, 2)


async def test_events_without_names_are_known_by_their_type(
    adapter: Any, server: ScriptedServer
) -> None:
    big = b64(png((400, 400)) + b"\0" * 20_000)
    first = {"type": "image_generation.partial_image", "b64_json": big}
    last = {"b64_json": big, "type": "image_generation.completed"}
    server.on(IMAGES.path, streamed(first, last, "[DONE]"))
    assert len((await adapter.submit(call())).contents) == 1


async def test_edits_come_bit_by_bit_too(
    adapter: Any, server: ScriptedServer, tmp_path: Path
) -> None:
    (tmp_path / "a.png").write_bytes(PNG)
    shown = stored([Reference(str(tmp_path / "a.png"), hashlib.sha256(PNG).hexdigest())])
    of = "image_edit"
    server.on("/v1/images/edits", streamed(partial(OTHER, 0, of), completed(PNG, of)))
    found = await adapter.submit(call(**{REFERENCE: shown}))
    assert [content.data for content in found.contents] == [PNG]
    assert b'name="stream"\r\n\r\ntrue\r\n' in server.seen[0].body
    assert b'name="partial_images"\r\n\r\n2\r\n' in server.seen[0].body


async def test_an_unfinished_picture_is_no_result(adapter: Any, server: ScriptedServer) -> None:
    server.on(IMAGES.path, streamed(partial(OTHER)), cut(streamed(partial(OTHER))))
    for _ in range(2):
        failure = await failing(adapter)
        assert (failure.kind, failure.code, failure.billed) == (F.UNKNOWN, "cut_body", True)


@pytest.mark.parametrize(
    "event",
    [completed(PNG), succeeded(0, b64_json=b64(PNG)), failed(0), GROUP_END],
    ids=["finished", "of-a-group", "refused", "end"],
)
async def test_an_event_that_is_cut_itself_tells_nothing(
    adapter: Any, server: ScriptedServer, event: bytes
) -> None:
    server.on(IMAGES.path, streamed(event[:-6]), cut(streamed(event[:-6])))
    for _ in range(2):
        failure = await failing(adapter)
        assert (failure.kind, failure.code, failure.billed) == (F.UNKNOWN, "cut_body", True)


async def test_a_group_comes_picture_by_picture(adapter: Any, server: ScriptedServer) -> None:
    server.on(IMAGES.path, streamed(
        succeeded(0, b64_json=b64(PNG), size="8x8"), succeeded(2, b64_json=b64(OTHER)),
        GROUP_END, "[DONE]"))  # fmt: skip
    found = await adapter.submit(call())
    assert [content.data for content in found.contents] == [PNG, OTHER]
    assert (found.tokens, found.flags, found.usage["generated_images"]) == (9, ("other_model",), 2)


async def test_a_group_of_which_some_were_refused_is_a_result_in_part(
    adapter: Any, server: ScriptedServer
) -> None:
    server.on(IMAGES.path, streamed(succeeded(0, b64_json=b64(PNG)), failed(1), GROUP_END))
    found = await adapter.submit(call())
    assert (len(found.contents), found.billed_images) == (1, 1)
    assert "partial" in found.flags
    server.on(IMAGES.path, streamed(failed(0), failed(1), GROUP_END, "[DONE]"))
    failure = await failing(adapter)
    assert (failure.kind, failure.code) == (F.REFUSED, "OutputImageSensitiveContentDetected")


async def test_a_picture_of_a_group_that_cant_be_read_is_missed(
    adapter: Any, server: ScriptedServer
) -> None:
    torn = succeeded(0, b64_json=b64(PNG))[:-6] + b"\n\n"
    server.on(IMAGES.path, streamed(torn, succeeded(1, b64_json=b64(OTHER)), GROUP_END, "[DONE]"))
    found = await adapter.submit(call())
    assert [content.data for content in found.contents] == [OTHER]
    assert "partial" in found.flags
    server.on(IMAGES.path, streamed(torn, GROUP_END, "[DONE]"))
    failure = await failing(adapter)
    assert (failure.kind, failure.code, failure.billed) == (F.UNKNOWN, "cut_body", True)


@pytest.mark.parametrize("breaks", [True, False], ids=["line-breaks", "stream-ends"])
async def test_finished_pictures_of_a_cut_group_are_kept(
    adapter: Any, server: ScriptedServer, breaks: bool
) -> None:
    reply = streamed(succeeded(0, b64_json=b64(PNG)))
    server.on(IMAGES.path, cut(reply) if breaks else reply)
    found = await adapter.submit(call())
    assert [content.data for content in found.contents] == [PNG]
    assert "partial" in found.flags


async def test_pictures_behind_addresses_are_fetched(adapter: Any, server: ScriptedServer) -> None:
    server.on("/a.png", Reply(200, PNG, {"content-type": "image/png"}))
    server.on(IMAGES.path, streamed(succeeded(0, url=f"{server.url}/a.png"), GROUP_END))
    found = await adapter.submit(call())
    assert [content.data for content in found.contents] == [PNG]


@pytest.mark.parametrize(
    ("events", "kind", "code"),
    [
        ([named("error", error={"code": "moderation_blocked", "message": "no"})], F.REFUSED,
         "moderation_blocked"),
        ([partial(OTHER), named("error", error={"code": "moderation_blocked", "message": "no"})],
         F.REFUSED, "moderation_blocked"),
        ([named("error", error={"code": "server_error", "message": "oops"})], F.TRANSIENT, None),
        ([partial(OTHER), named("error", error={"code": "server_error", "message": "oops"})],
         F.UNKNOWN, None),
        ([{"error": {"code": "InternalServiceError", "message": "oops"}}], F.TRANSIENT, None),
        ([{"code": "Throttling", "message": "slow"}], F.THROTTLED, None),
        ([GROUP_END, "[DONE]"], F.REFUSED, "empty_result"),
        (["[DONE]"], F.REFUSED, "empty_result"),
    ],
    ids=["moderation", "moderation-late", "error", "error-late", "ark", "bare", "empty", "done"],
)  # fmt: skip
async def test_a_stream_without_a_picture(
    adapter: Any, server: ScriptedServer, events: list[Any], kind: F, code: str | None
) -> None:
    server.on(IMAGES.path, streamed(*events))
    failure = await failing(adapter)
    assert failure.kind is kind
    assert code in (None, failure.code)


async def test_an_error_after_a_finished_picture_leaves_it_a_result_in_part(
    adapter: Any, server: ScriptedServer
) -> None:
    error = named("error", error={"code": "server_error", "message": "oops"})
    server.on(IMAGES.path, streamed(succeeded(0, b64_json=b64(PNG)), error))
    found = await adapter.submit(call())
    assert len(found.contents) == 1
    assert "partial" in found.flags


async def test_what_is_being_made_can_be_looked_at(adapter: Any, server: ScriptedServer) -> None:
    made = call()
    server.on(IMAGES.path, open_ended(streamed(partial(PNG), partial(OTHER, 1))))
    going = asyncio.create_task(adapter.submit(made))

    def seen() -> Any:
        return None if made.peek is None else made.peek().picture

    while (picture := seen()) is None or picture.no < 2:  # noqa: ASYNC110
        await asyncio.sleep(0.005)
    assert await asyncio.to_thread(picture.read) == OTHER
    going.cancel()
    with pytest.raises(asyncio.CancelledError):
        await going


async def test_a_whole_stream_is_put_aside_and_says_the_same_again(
    adapter: Any, server: ScriptedServer, open_adapter: Open
) -> None:
    heard: list[RawAnswer] = []
    made = call()
    made.on_whole = heard.append
    server.on(IMAGES.path, streamed(partial(OTHER), completed(PNG)))
    answer = await adapter.submit(made)
    reader: Any = open_adapter(IMAGES.connection(server.url), None)
    assert await reader.reread(Request("p", {}, {}), heard[0]) == answer
