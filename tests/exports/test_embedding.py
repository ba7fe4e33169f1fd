from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from desktop_app.domain.attempt import Claim
from desktop_app.domain.errors import BadResult
from desktop_app.domain.ports import Content
from desktop_app.domain.task import Request
from desktop_app.exports.embedding import embedded
from desktop_app.exports.picture_check import check_picture
from tests.exports.results_for_test import claim, keeper, names, png, shown, text

BOTH_WAYS = pytest.mark.parametrize("links", [True, False], ids=["link", "note"])
WORDS = {"prompt": "红色运动鞋, white\nbackground", "model": "m-1", "seed": "7", "task_id": "t"}


def made(kind: str, mode: str = "RGB", **how: Any) -> bytes:
    image = Image.effect_noise((61, 40), 90).convert(mode)
    if mode == "RGBA":
        image.putalpha(Image.linear_gradient("L").resize(image.size))
    buffer = io.BytesIO()
    image.save(buffer, kind, **how)
    return buffer.getvalue()


def pixels(data: bytes) -> tuple[str, bytes]:
    with Image.open(io.BytesIO(data)) as image:
        return image.mode, image.tobytes()


def exif_words(data: bytes) -> dict[str, str]:
    with Image.open(io.BytesIO(data)) as image:
        comment = image.getexif().get_ifd(0x8769)[0x9286]
    assert comment.startswith(b"UNICODE\0")
    found: dict[str, str] = json.loads(comment[8:].decode("utf-16-le"))
    return found


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L"])
def test_a_png_has_a_text_chunk_each(mode: str) -> None:
    data = made("PNG", mode)
    with_words = embedded(data, WORDS)
    assert pixels(with_words) == pixels(data)
    check_picture(with_words)
    with Image.open(io.BytesIO(with_words)) as image:
        image.load()
        assert {name: image.info[name] for name in WORDS} == WORDS
    # Nothing of the file itself was changed: what was put in can be cut out again.
    added = len(with_words) - len(data)
    assert with_words[:33] + with_words[33 + added :] == data


@pytest.mark.parametrize(
    ("kind", "mode", "how"),
    [
        ("JPEG", "RGB", {}),
        ("JPEG", "L", {"progressive": True}),
        ("WEBP", "RGB", {}),
        ("WEBP", "RGB", {"lossless": True}),
        ("WEBP", "RGBA", {"lossless": True}),
        ("WEBP", "RGBA", {}),
        ("WEBP", "RGB", {"save_all": True}),
    ],
)
def test_a_jpeg_or_webp_has_one_object_in_its_exif(
    kind: str, mode: str, how: dict[str, Any]
) -> None:
    data = made(kind, mode, **how)
    with_words = embedded(data, WORDS)
    assert exif_words(with_words) == WORDS
    assert pixels(with_words) == pixels(data)
    assert check_picture(with_words) == check_picture(data)


@pytest.mark.parametrize("kind", ["JPEG", "WEBP"])
def test_a_picture_with_exif_of_its_own_keeps_it(kind: str) -> None:
    exif = Image.Exif()
    exif[0x010E] = "theirs"
    data = made(kind, exif=exif.tobytes())
    assert embedded(data, WORDS) == data


def test_what_has_no_place_for_words_stays_as_it_is() -> None:
    gif = made("GIF", "P")
    assert embedded(gif, WORDS) == gif
    assert embedded(b"a text", WORDS) == b"a text"
    jpeg = made("JPEG")
    assert embedded(jpeg, {"prompt": "x" * 70_000}) == jpeg


def damaged(kind: str) -> bytes:
    """A WebP that says a decoder nothing, or one of a size that is taken for a bomb."""
    data = bytearray(made("WEBP"))
    data[20:30] = b"\0" * 10 if kind == "frame" else data[20:26] + b"\xff\x3f\xff\x3f"
    return bytes(data)


@pytest.mark.parametrize("kind", ["frame", "bomb"])
async def test_a_damaged_picture_is_the_rows_fault(tmp_path: Path, kind: str) -> None:
    data = damaged(kind)
    assert embedded(data, WORDS) == data
    files, task = keeper(embed=lambda: True), asking(tmp_path)
    await files.stage(task, Content(data, "image/webp"))
    assert await files.find(task) is None
    with pytest.raises(BadResult):
        await files.keep(task, Content(data, "image/webp"))
    kept = await files.keep(task, png())
    assert await files.keep(task, png()) == kept
    with pytest.raises(BadResult):
        await files.keep(task, Content(data, "image/webp"))


def test_the_same_words_make_the_same_file() -> None:
    for kind in ("PNG", "JPEG", "WEBP"):
        data = made(kind)
        assert embedded(data, WORDS) == embedded(data, WORDS)


def asking(folder: Path, **changes: Any) -> Claim:
    request = Request("红色运动鞋", {"seed": 7})
    return claim(folder, request=request, model="m-1", **changes)


@pytest.mark.parametrize("wanted", [True, False])
async def test_a_batch_that_wants_it_needs_no_setting(tmp_path: Path, wanted: bool) -> None:
    kept = await keeper().keep(asking(tmp_path, embed=wanted), png())
    with Image.open(tmp_path / kept.path) as picture:
        picture.load()
        assert ("prompt" in picture.info) is wanted


@BOTH_WAYS
async def test_pictures_are_kept_with_their_words_where_that_is_wanted(
    tmp_path: Path, links: bool
) -> None:
    files, task = keeper(links=links, embed=lambda: True), asking(tmp_path)
    for _ in range(2):  # staged as it came both times: what is kept is the same
        await files.stage(task, png())
        kept = await files.keep(task, png())
        assert shown(tmp_path) == ["0042_sku.png"]
        data = (tmp_path / kept.path).read_bytes()
        assert kept.sha256 == hashlib.sha256(data).hexdigest()
        with Image.open(io.BytesIO(data)) as image:
            image.load()
            words = {name: image.info[name] for name in ("prompt", "model", "seed", "task_id")}
        assert words == task.words
        assert (words["prompt"], words["seed"], words["model"]) == ("红色运动鞋", "7", "m-1")
        assert pixels(data) == pixels(png().data)
    await files.settled(task)
    assert names(tmp_path) == ["0042_sku.png"]


async def test_a_text_is_kept_as_it_came(tmp_path: Path) -> None:
    kept = await keeper(embed=lambda: True).keep(asking(tmp_path), text("hello"))
    assert (tmp_path / kept.path).read_text() == "hello"


@BOTH_WAYS
@pytest.mark.parametrize("then", [True, False])
async def test_a_picture_staged_before_a_crash_is_found_with_or_without_words(
    tmp_path: Path, links: bool, then: bool
) -> None:
    task = asking(tmp_path)
    await keeper(links=links, embed=lambda: True).stage(task, png())
    kept = await keeper(links=links, embed=lambda: then).find(task)
    assert kept is not None
    assert ((tmp_path / kept.path).read_bytes() == png().data) != then
    assert await keeper(links=links, embed=lambda: not then).keep(task, png()) == kept
    assert shown(tmp_path) == ["0042_sku.png"]
    assert not [name for name in names(tmp_path) if name.endswith(".staged")]


async def test_a_crash_between_the_words_and_the_end_of_staging_leaves_one_file(
    tmp_path: Path,
) -> None:
    task = asking(tmp_path)
    files = keeper(embed=lambda: True)
    await files.stage(task, png())
    staged = tmp_path / next(name for name in names(tmp_path) if name.endswith(".staged"))
    proof = staged.read_bytes()
    kept = await files.keep(task, png())
    staged.write_bytes(proof)  # as if the program had been killed before it went
    assert await keeper(embed=lambda: True).find(task) == kept
    await keeper(embed=lambda: True).settled(task)
    assert names(tmp_path) == ["0042_sku.png"]


async def test_where_words_break_a_picture_it_is_kept_as_it_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("desktop_app.exports.shelf.embedded", lambda data, _words: data[:60])
    files, task = keeper(embed=lambda: True), asking(tmp_path)
    await files.stage(task, png())
    kept = await files.keep(task, png())
    assert (tmp_path / kept.path).read_bytes() == png().data
    await files.settled(task)
    assert names(tmp_path) == ["0042_sku.png"]
