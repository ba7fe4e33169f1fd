"""Reference pictures on the wire: what the server gets is what was imported, or it gets nothing."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from email.parser import BytesParser
from email.policy import HTTP
from pathlib import Path
from typing import Any

import pytest

from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.ports import Call
from desktop_app.domain.references import FURTHER, REFERENCE, Reference, stored
from desktop_app.domain.task import Request
from desktop_app.providers import reference_files
from desktop_app.providers.profiles.ark import ARK
from desktop_app.providers.registry import AdapterRegistry
from tests.contract.cases import CASES, CHAT, ENGLISH, IMAGES, KEY, Case, FakeClock, failing, png
from tests.contract.conftest import Open
from tests.contract.server import Reply, ScriptedServer, Seen, json_reply

EDITS = "/v1/images/edits"


def _most(case: Case) -> int:
    connection = case.connection("http://127.0.0.1")
    caps = AdapterRegistry().capabilities(case.adapter, connection).of(connection.model)
    return caps.references[0].most if caps.references else 0


SHOWN = [case for case in CASES if _most(case) > 1]


def file_of(path: Path, content: bytes) -> Reference:
    path.write_bytes(content)
    return Reference(str(path), hashlib.sha256(content).hexdigest())


def showing(*references: Reference, **params: Any) -> Call:
    request = Request("a red sneaker", {REFERENCE: stored(references), **params})
    return Call(request, idempotency_key="task-1", timeout_s=20.0)


def form(seen: Seen) -> list[tuple[str, str | None, str, bytes]]:
    """(field, file name, type, content) of each part."""
    head = f"Content-Type: {seen.headers['content-type']}\r\n\r\n".encode()
    parsed = BytesParser(policy=HTTP).parsebytes(head + seen.body)
    found = []
    for part in parsed.iter_parts():
        field = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        found.append((field, part.get_filename(), part.get_content_type(), content))
    return found


def big_png(seed: int, size: int = reference_files.STRETCH * 2 + 5) -> bytes:
    """Longer than a stretch, and none of its parts alike."""
    noise = b"".join(hashlib.sha256(f"{seed} {n}".encode()).digest() for n in range(size // 32 + 1))
    return (png() + noise)[:size]


async def test_one_picture_is_edited(
    server: ScriptedServer, open_adapter: Open, tmp_path: Path
) -> None:
    content = big_png(1)
    server.on(EDITS, json_reply(IMAGES.good))
    adapter = open_adapter(IMAGES.connection(server.url))
    made = showing(file_of(tmp_path / 'red "1" 鞋.png', content), n=2, size="1024x1024")
    answer = await adapter.submit(made)
    assert answer.contents[0].data == IMAGES.result
    (seen,) = server.seen
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert seen.headers["idempotency-key"] == "task-1"
    assert KEY.encode() not in seen.body
    assert form(seen) == [
        ("model", None, "text/plain", b"gpt-image-1"),
        ("prompt", None, "text/plain", b"a red sneaker"),
        ("n", None, "text/plain", b"2"),
        ("size", None, "text/plain", b"1024x1024"),
        ("image", "red %221%22 鞋.png", "image/png", content),
    ]


async def test_several_pictures_keep_their_order(
    server: ScriptedServer, open_adapter: Open, tmp_path: Path
) -> None:
    contents = [png((9, n)) for n in (3, 1, 2)]
    files = [file_of(tmp_path / f"{n}.png", one) for n, one in enumerate(contents)]
    server.on(EDITS, json_reply(IMAGES.good))
    adapter = open_adapter(IMAGES.connection(server.url))
    await adapter.submit(showing(*files))
    sent = [(f, c) for f, name, _, c in form(server.seen[0]) if name]
    assert sent == [("image[]", content) for content in contents]
    shown = adapter.body_preview(showing(*files).request)
    assert shown["image[]"] == ["<0.png>", "<1.png>", "<2.png>"]


async def test_a_model_that_sees_gets_files_as_data_and_addresses_as_they_are(
    server: ScriptedServer, open_adapter: Open, tmp_path: Path
) -> None:
    contents = [big_png(2), png()]
    one, two = (file_of(tmp_path / f"{n}.png", c) for n, c in enumerate(contents))
    address = "https://pictures.example/a.png"
    server.on(CHAT.path, json_reply(CHAT.good))
    adapter = open_adapter(CHAT.connection(server.url))
    made = showing(one, Reference(url=address), two, save_as="md")
    await adapter.submit(made)
    urls = ["data:image/png;base64," + base64.b64encode(c).decode() for c in contents]
    (message,) = server.seen[0].json["messages"]
    assert message["content"] == [
        {"type": "text", "text": "a red sneaker"},
        *({"type": "image_url", "image_url": {"url": url}} for url in (urls[0], address, urls[1])),
    ]
    assert server.seen[0].json.keys() == {"model", "messages"}
    preview = adapter.body_preview(made.request)["messages"][0]["content"]
    assert [part["image_url"]["url"] for part in preview[1:]] == ["<0.png>", address, "<1.png>"]


async def test_seedream_takes_pictures_in_its_generations(
    server: ScriptedServer, open_adapter: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("desktop_app.providers.vendor_line.profile_of", lambda _: ARK)
    server.on(IMAGES.path, json_reply(IMAGES.good))
    adapter = open_adapter(IMAGES.connection(server.url, model="doubao-seedream-4-5-251128"))
    first, second = (file_of(tmp_path / f"{n}.png", png((n, 1))) for n in (4, 5))
    await adapter.submit(showing(first))
    await adapter.submit(showing(first, second))
    one, several = (seen.json["image"] for seen in server.seen)
    uris = ["data:image/png;base64," + base64.b64encode(png((n, 1))).decode() for n in (4, 5)]
    assert (one, several) == (uris[0], uris)


@pytest.mark.parametrize("case", SHOWN, ids=lambda case: case.adapter)
class TestNothingIsSent:
    """Every way in which a picture is not what was imported."""

    async def failure(self, case: Case, server: ScriptedServer, open_adapter: Open, *shown: Any,
                      **more: Any) -> Any:  # fmt: skip
        adapter = open_adapter(case.connection(server.url, **more))
        failure = await failing(adapter, showing(*shown))
        assert server.seen == []
        assert (failure.kind, failure.sent, failure.billed) == (F.INVALID, False, False)
        return failure

    async def test_a_missing_file(
        self, case: Case, server: ScriptedServer, open_adapter: Open, tmp_path: Path
    ) -> None:
        gone = Reference(str(tmp_path / "gone.png"), "0" * 64)
        failure = await self.failure(case, server, open_adapter, gone)
        assert failure.code == "reference_missing"
        assert (failure.said.values["file"], failure.lost) == (gone.path, "")

    async def test_a_file_whose_folders_are_gone_names_the_topmost(
        self, case: Case, server: ScriptedServer, open_adapter: Open, tmp_path: Path
    ) -> None:
        gone = Reference(str(tmp_path / "drive" / "red" / "a.png"), "0" * 64)
        failure = await self.failure(case, server, open_adapter, gone)
        assert (failure.code, failure.lost) == ("reference_missing", str(tmp_path / "drive"))

    async def test_a_changed_file(
        self, case: Case, server: ScriptedServer, open_adapter: Open, tmp_path: Path
    ) -> None:
        kept = file_of(tmp_path / "a.png", png())
        changed = file_of(tmp_path / "b.png", png())
        (tmp_path / "b.png").write_bytes(png((9, 9)))
        failure = await self.failure(case, server, open_adapter, kept, changed)
        assert failure.code == "reference_changed"

    async def test_a_file_that_grew_too_large(
        self, case: Case, server: ScriptedServer, open_adapter: Open, tmp_path: Path
    ) -> None:
        large = file_of(tmp_path / "a.png", png() + bytes(50_000_001))
        failure = await self.failure(case, server, open_adapter, large)
        assert failure.code == "reference_unfit"
        assert " 0 MB" not in ENGLISH.say(failure.said)

    async def test_what_is_no_picture(
        self, case: Case, server: ScriptedServer, open_adapter: Open, tmp_path: Path
    ) -> None:
        failure = await self.failure(
            case, server, open_adapter, file_of(tmp_path / "a.png", b"<svg/>")
        )
        assert failure.code == "reference_unfit"

    async def test_too_many(
        self, case: Case, server: ScriptedServer, open_adapter: Open, tmp_path: Path
    ) -> None:
        many = [file_of(tmp_path / "a.png", png())] * 17
        assert (await self.failure(case, server, open_adapter, *many)).code == "references_many"


async def test_a_model_that_takes_none_gets_none(
    server: ScriptedServer, open_adapter: Open, tmp_path: Path
) -> None:
    adapter = open_adapter(IMAGES.connection(server.url, model="dall-e-3"))
    failure = await failing(adapter, showing(file_of(tmp_path / "a.png", png())))
    assert (failure.said.code, server.seen) == ("providers.references_none", [])


class _Reader:
    """Stands in for a file that is written to after it was checked."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __call__(self, reference: Reference, rule: Any) -> Any:
        checked = reference_files.check_file(reference, rule)
        content = self.path.read_bytes()
        self.path.write_bytes(content[:-1] + b"?")
        return checked


@pytest.mark.parametrize("case", SHOWN, ids=lambda case: case.adapter)
async def test_a_file_that_is_written_to_while_it_is_sent_never_becomes_a_request(
    case: Case,
    server: ScriptedServer,
    open_adapter: Open,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = file_of(tmp_path / "a.png", big_png(3))
    monkeypatch.setattr(
        "desktop_app.providers.openai_references.check_file", _Reader(tmp_path / "a.png")
    )
    failure = await failing(open_adapter(case.connection(server.url)), showing(one))
    assert (failure.kind, failure.code, failure.billed) == (F.INVALID, "reference_changed", False)
    assert not failure.sent
    assert server.seen == []  # it reads requests whole


async def test_an_address_is_fetched_without_the_key(
    server: ScriptedServer, other: ScriptedServer, open_adapter: Open
) -> None:
    other.on("/a.png", Reply(200, png((5, 5))))
    server.on(EDITS, json_reply(IMAGES.good))
    adapter = open_adapter(IMAGES.connection(server.url))
    await adapter.submit(showing(Reference(url=f"{other.url}/a.png")))
    assert form(server.seen[0])[-1] == ("image", "picture.png", "image/png", png((5, 5)))
    assert ["authorization" in seen.headers for seen in other.seen] == [False]


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Reply(404, b"gone"), F.INVALID),
        (Reply(200, b"<html>sign in</html>"), F.INVALID),
        (Reply(503, b"later"), F.TRANSIENT),
        (Reply(drop=True), F.TRANSIENT),
    ],
    ids=["gone", "page", "503", "drop"],
)
async def test_an_address_that_brings_nothing(
    server: ScriptedServer,
    other: ScriptedServer,
    open_adapter: Open,
    clock: FakeClock,
    reply: Reply,
    kind: F,
) -> None:
    other.on("/a.png", reply)
    adapter = open_adapter(IMAGES.connection(server.url))
    failure = await failing(adapter, showing(Reference(url=f"{other.url}/a.png")))
    assert (failure.kind, failure.code) == (kind, "reference_unreachable")
    assert (failure.sent, failure.billed, server.seen) == (False, False, [])
    assert clock.slept or kind is F.INVALID


@pytest.mark.usefixtures("clock")
async def test_without_a_network_no_row_is_blamed_for_its_picture(
    server: ScriptedServer, other: ScriptedServer, open_adapter: Open
) -> None:
    address = f"{other.url}/a.png"
    await other.close()
    adapter = open_adapter(IMAGES.connection(server.url))
    await server.close()
    failure = await failing(adapter, showing(Reference(url=address)))
    assert (failure.kind, failure.code) == (F.OFFLINE, "connect_refused")
    assert (failure.sent, failure.billed, failure.said.values["host"]) == (
        False,
        False,
        server.url.partition("://")[2],
    )


async def test_a_provider_elsewhere_makes_nobody_call_this_machine(
    server: ScriptedServer, open_adapter: Open
) -> None:
    connection = replace(IMAGES.connection(""), base_url="https://api.example/v1", proxy="none")
    failure = await failing(open_adapter(connection), showing(Reference(url=f"{server.url}/a.png")))
    assert (failure.code, server.connections) == ("reference_unreachable", 0)
    assert failure.kind is F.INVALID


def open_files() -> list[str]:
    held = []
    for fd in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            held.append(str(fd.readlink()))
    return held


async def comes_true(true: Callable[[], bool]) -> bool:
    for _ in range(6000):
        if true():
            return True
        await asyncio.sleep(0.005)
    return False


def of_models(capabilities: Any, models: Sequence[str]) -> list[Any]:
    return [next(iter(capabilities.of(model).references), None) for model in models]


def test_the_model_decides() -> None:
    from desktop_app.providers.adapters.openai_images import CAPABILITIES

    gpt, two, three, ark = of_models(
        CAPABILITIES, ("gpt-image-1", "dall-e-2", "DALL-E-3", "doubao-seedream-4-0")
    )
    assert (gpt.most, gpt.square) == (16, False)
    assert (two.most, two.square, two.mimes) == (1, True, ("image/png",))
    assert three is None
    assert ark.most == 14
    columns = [
        [param.name for param in CAPABILITIES.of(model).params if param.kind == "reference"]
        for model in ("gpt-image-1", "dall-e-2", "dall-e-3")
    ]
    assert columns == [[REFERENCE, FURTHER], [REFERENCE], []]
    assert "size" in [param.name for param in CAPABILITIES.of("dall-e-3").params]


Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter, asyncio.Event], Awaitable[None]]


@asynccontextmanager
async def listening(serve: Serve) -> AsyncIterator[str]:
    """The address of a server of one's own. ``serve`` is told when it is to end."""
    over, ended = asyncio.Event(), asyncio.Event()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await serve(reader, writer, over)
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()
            ended.set()

    made = await asyncio.start_server(accept, "127.0.0.1", 0)
    yield f"http://127.0.0.1:{made.sockets[0].getsockname()[1]}"
    over.set()
    await ended.wait()
    made.close()
    await made.wait_closed()


async def stuck(_: asyncio.StreamReader, __: asyncio.StreamWriter, over: asyncio.Event) -> None:
    await over.wait()


async def test_an_answer_that_comes_before_the_upload_ends_costs_nothing(
    open_adapter: Open, tmp_path: Path
) -> None:
    async def serve(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter, _: asyncio.Event
    ) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 429 X\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
        await writer.drain()  # closed with megabytes unread, the line is reset

    one = file_of(tmp_path / "a.png", png() + bytes(20_000_000))
    async with listening(serve) as url:
        failure = await failing(open_adapter(IMAGES.connection(url)), showing(one))
    # Where the line is reset the answer is lost with it.
    assert failure.kind in (F.THROTTLED, F.TRANSIENT)
    assert not failure.billed


async def test_a_line_that_breaks_in_the_middle_of_an_upload_leaves_no_doubt(
    open_adapter: Open, tmp_path: Path
) -> None:
    async def serve(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter, _: asyncio.Event
    ) -> None:
        await reader.readexactly(1_000_000)
        writer.transport.abort()

    made = showing(file_of(tmp_path / "a.png", png() + bytes(20_000_000)))
    async with listening(serve) as url:
        failure = await failing(open_adapter(IMAGES.connection(url)), made)
    assert (failure.kind, failure.code, made.begun) == (F.TRANSIENT, "upload_cut", True)
    assert failure.billed is False


async def test_a_line_that_breaks_after_the_upload_leaves_one(
    server: ScriptedServer, open_adapter: Open, tmp_path: Path
) -> None:
    server.on(EDITS, Reply(drop=True))
    one = file_of(tmp_path / "a.png", png() + bytes(1_000_000))
    failure = await failing(open_adapter(IMAGES.connection(server.url)), showing(one))
    assert (failure.kind, failure.code, failure.billed) == (F.UNKNOWN, "dropped", None)


async def test_a_deadline_in_the_middle_of_an_upload_is_a_time_out_that_cost_nothing(
    open_adapter: Open, tmp_path: Path
) -> None:
    made = showing(file_of(tmp_path / "a.png", png() + bytes(40_000_000)))
    made.timeout_s = 0.2
    async with listening(stuck) as url:
        failure = await failing(open_adapter(IMAGES.connection(url)), made)
    assert (failure.kind, failure.code) == (F.TRANSIENT, "upload_cut")
    assert (failure.timeout, failure.billed) == (True, False)


async def test_a_cancelled_upload_leaves_no_file_open(open_adapter: Open, tmp_path: Path) -> None:
    began = asyncio.Event()
    made = showing(file_of(tmp_path / "a.png", png() + bytes(40_000_000)))
    made.on_begin = began.set
    async with listening(stuck) as url:
        sending = asyncio.ensure_future(open_adapter(IMAGES.connection(url)).submit(made))
        await began.wait()
        if sys.platform == "linux":  # or the last line would be true of no upload at all
            assert await comes_true(lambda: str(tmp_path / "a.png") in open_files())
        sending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sending
    if sys.platform == "linux":  # a thread that still reads closes it once it has read
        assert await comes_true(lambda: str(tmp_path / "a.png") not in open_files())
