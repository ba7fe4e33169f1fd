"""The pictures: their size, their words, their look by keyword."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from desktop_app.practice.drawing import Drawer
from desktop_app.practice.lettering import Lettering
from desktop_app.practice.palette import colours_for, luma, named
from desktop_app.practice.products import product_for
from tests.practice.practice_kit import FONT

SHEET = Path(__file__).parents[2] / "resources" / "sample_prompts.csv"


@pytest.fixture(scope="module")
def drawer() -> Drawer:
    return Drawer(FONT)


@pytest.fixture(scope="module")
def letters() -> Lettering:
    return Lettering(FONT)


def _image(data: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(data))
    image.load()
    return image


@pytest.mark.parametrize(
    ("width", "height"), [(64, 64), (4096, 64), (64, 1000), (1536, 1024), (1024, 1536), (333, 777)]
)
def test_any_size_is_drawn_exactly(drawer: Drawer, width: int, height: int) -> None:
    assert _image(drawer.draw("红色运动鞋, side view", width, height)).size == (width, height)


def test_the_same_prompt_gives_the_same_bytes_and_another_does_not(drawer: Drawer) -> None:
    first = drawer.draw("red shoe", 256, 256)
    assert drawer.draw("red shoe", 256, 256) == first
    assert drawer.draw("red shoe!", 256, 256) != first


def test_the_words_of_the_prompt_are_on_the_picture(drawer: Drawer) -> None:
    """Two prompts that differ in their words only differ where the words are."""
    one = _image(drawer.draw("红色运动鞋 甲", 512, 512)).convert("RGB")
    box = None
    for other in ("红色运动鞋 乙", "红色运动鞋 丙", "红色运动鞋 丁", "红色运动鞋 戊"):
        two = _image(drawer.draw(other, 512, 512)).convert("RGB")
        found = ImageChops.difference(one, two).getbbox()
        assert found is not None
        if found[1] > 512 * 0.7:
            box = found
    assert box is not None, "no other prompt got the same backdrop"


def test_chinese_is_drawn_and_not_as_the_missing_box(letters: Lettering) -> None:
    font = letters.font(48)
    shapes = {c: bytes(font.getmask(c)) for c in "鞋杯釉琉璃，。「A"}
    missing = bytes(font.getmask("\U000f0000"))
    assert len(set(shapes.values())) == len(shapes)
    assert missing not in shapes.values()
    assert not letters.has("\U0001f576")


def test_the_font_has_every_character_of_gb2312(letters: Lettering) -> None:
    rows = range(0xB0, 0xF8)
    common = [
        bytes([row, cell]).decode("gb2312", "ignore") for row in rows for cell in range(0xA1, 0xFF)
    ]
    common = [c for c in common if c]
    assert len(common) == 6763
    assert [c for c in common if not letters.has(c)] == []


def test_lines_keep_within_the_width_and_do_not_start_with_a_comma(letters: Lettering) -> None:
    text = "高端护肤品瓶身特写，柔和的晨光从左侧窗户洒入，水珠折射出细腻的光斑。Soft light, " * 3
    size, lines, step = letters.fit(text, 300, 400, (40, 30, 20, 14))
    assert len(lines) * step <= 400
    for line in lines:
        assert letters.length(line.rstrip("，。,"), size) <= 300
        assert line[0] not in "，。,"
    joined = "".join(lines).replace(" ", "")
    assert joined == text.replace(" ", "")


def test_a_text_too_long_is_cut_with_an_ellipsis(letters: Lettering) -> None:
    _, lines, step = letters.fit("长" * 500, 200, 100, (20, 14))
    assert lines[-1].endswith("…")
    assert len(lines) * step <= 100


def test_a_word_longer_than_the_line_is_broken(letters: Lettering) -> None:
    size, lines, _ = letters.fit("x" * 60, 100, 400, (20,))
    assert "".join(lines) == "x" * 60
    assert all(letters.length(line, size) <= 100 for line in lines)


def test_line_breaks_of_the_cell_are_kept(letters: Lettering) -> None:
    _, lines, _ = letters.fit("one\ntwo", 400, 400, (20,))
    assert lines == ["one", "two"]


@pytest.mark.parametrize(
    ("prompt", "name"),
    [
        ("红色运动鞋，白底", "shoe"), ("Leather wallet on felt", "bag"), ("帆布书包", "backpack"),
        ("白色陶瓷马克杯", "mug"), ("Black desk lamp", "lamp"), ("花瓶与绿植", "vase"),
        ("Two walnut chairs", "chair"), ("笔记本电脑", "keyboard"), ("手账笔记本", "book"),
        ("Wine red dress", "dress"), ("保温杯", "bottle"), ("light blue mug", "mug"),
    ],
)  # fmt: skip
def test_the_product_named_first_is_drawn(prompt: str, name: str) -> None:
    assert product_for(prompt).__name__ == name


@pytest.mark.parametrize(
    ("prompt", "body", "backdrop"),
    [
        ("红色运动鞋，墨绿背景", "红", "墨绿"), ("navy bag, sage green background", "navy", "sage"),
        ("酒红色连衣裙", "酒红", None), ("mug", None, None),
        ("Maroon leather wallet, grey felt", "maroon", None),
    ],
)  # fmt: skip
def test_colours_are_those_the_prompt_names(
    prompt: str, body: str | None, backdrop: str | None
) -> None:
    def of(word: str | None) -> object:
        return None if word is None else named(word)[0]

    assert named(prompt) == (of(body), of(backdrop))


def test_text_can_be_read_and_the_product_seen_on_every_sample() -> None:
    with SHEET.open(encoding="utf-8", newline="") as file:
        prompts = [row["prompt"] for row in csv.DictReader(file)]
    for prompt in prompts:
        colours = colours_for(prompt)
        assert abs(luma(colours.ink) - luma(colours.bottom)) > 75, prompt
        assert colours.body != colours.glow
