from __future__ import annotations

import base64
import hashlib
import io
from typing import Any

import httpx
import pytest
from PIL import Image

from desktop_app.practice.shown import form_of
from tests.practice.practice_kit import Running, Starter, picture

EDITS = "/v1/images/edits"


def png(red: int, size: tuple[int, int] = (300, 20)) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", size, (red, 0, 0)).save(stream, "PNG")
    return stream.getvalue()


async def edit(server: Running, *contents: bytes, key: str = "", **fields: str) -> httpx.Response:
    data = {"model": "practice", "prompt": "a shoe", "size": "128x128", **fields}
    files = [("image[]", ("a.png", content, "image/png")) for content in contents]
    headers = {"Idempotency-Key": key} if key else {}
    return await server.client.post(EDITS, data=data, files=files, headers=headers)


async def test_the_same_pictures_give_the_same_answer_and_others_another(start: Starter) -> None:
    server = await start()
    rounds = ((png(200),), (png(200),), (png(201),), (png(200), png(201)))
    one, again, other, two = [picture(await edit(server, *shown)).tobytes() for shown in rounds]
    assert one == again
    assert len({one, other, two}) == 3
    found = picture(await edit(server, png(200)))
    assert found.size == (128, 128)
    assert found.convert("RGB").getpixel((6, 3)) == (200, 0, 0)
    assert (await server.ledger())["billed"] == 5


async def test_several_results_of_one_edit(start: Starter) -> None:
    server = await start()
    answer = await edit(server, png(9), n="3", output_format="jpeg")
    assert len(answer.json()["data"]) == 3
    assert picture(answer, 2).format == "JPEG"


@pytest.mark.parametrize(
    ("contents", "fields", "param"),
    [
        ((b"no picture",), {}, "image"),
        ((png(1)[:40],), {}, "image"),
        ((), {}, "image"),
        ((png(1),) * 17, {}, "image"),
        ((png(1),), {"n": "x"}, "n"),
        ((png(1),), {"prompt": " "}, "prompt"),
    ],
    ids=["text", "half", "none", "17", "n", "prompt"],
)
async def test_a_bad_edit_says_which_field(
    start: Starter, contents: tuple[bytes, ...], fields: dict[str, str], param: str
) -> None:
    server = await start()
    answer = await edit(server, *contents, **fields)
    if not contents:
        assert answer.json()["error"]["code"] == "invalid_form"  # without files it is none
        return
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, param)
    assert (await server.ledger())["billed"] == 0


async def test_one_key_for_other_pictures_is_refused(start: Starter) -> None:
    server = await start(idempotency=True)
    first = await edit(server, png(1), key="k")
    assert (await edit(server, png(1), key="k")).json() == first.json()
    other = await edit(server, png(2), key="k")
    assert other.json()["error"]["code"] == "idempotency_key_reuse"


async def test_a_chat_says_what_it_was_shown(start: Starter) -> None:
    server = await start()
    content, address = png(7), "https://a.example/x.png"

    def part(url: str) -> Any:
        return {"type": "image_url", "image_url": {"url": url}}

    data = "data:image/png;base64," + base64.b64encode(content).decode()
    said = [{"type": "text", "text": "what?"}, part(data), part(address)]
    messages = [{"role": "user", "content": said}]
    body = {"model": "practice", "messages": messages}
    answer = await server.client.post("/v1/chat/completions", json=body)
    marks = [hashlib.sha256(one).hexdigest()[:8] for one in (content, address.encode())]
    text = answer.json()["choices"][0]["message"]["content"]
    assert text == f"Practice answer. You asked: what? [{' '.join(marks)}]"
    body["messages"] = [{"role": "user", "content": [*said, part("data:image/png;base64,%%")]}]
    answer = await server.client.post("/v1/chat/completions", json=body)
    assert answer.json()["error"]["code"] == "invalid_image_file"


async def test_edits_need_the_key(start: Starter) -> None:
    server = await start()
    server.client.headers["Authorization"] = "Bearer other"
    assert (await edit(server, png(1))).status_code == 401


def test_a_broken_form_is_none() -> None:
    kind = "multipart/form-data; boundary=x"
    whole = b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--x--\r\n'
    assert form_of(whole, kind) == ({"a": "b"}, [])
    for end in range(len(whole) - 3):
        with pytest.raises(ValueError, match=r"."):
            form_of(whole[:end], kind)
    with pytest.raises(ValueError, match="no form"):
        form_of(whole, "application/json")
