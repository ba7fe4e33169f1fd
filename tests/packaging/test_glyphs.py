"""The look that tells characters from empty boxes tells them apart."""

from __future__ import annotations

from pathlib import Path

import glyphs
from PIL import Image, ImageDraw, ImageFont
from places import ROOT

WORDS = "红色运动鞋春季新款白底图片"
FONT = ROOT / "resources" / "fonts" / "practice-sans-sc.otf"


def test_boxes_are_boxes(tmp_path: Path) -> None:
    picture = Image.new("RGB", (600, 60), "white")
    draw = ImageDraw.Draw(picture)
    for at in range(30):
        draw.rectangle((10 + 18 * at, 20, 20 + 18 * at, 34), outline="black")
    picture.save(tmp_path / "boxes.png")
    seen = glyphs.look(tmp_path / "boxes.png")
    assert (seen.hollow, seen.same_hollow, seen.different) == (30, 30, 0)


def test_characters_are_none(tmp_path: Path) -> None:
    picture = Image.new("RGB", (600, 60), "white")
    font = ImageFont.truetype(str(FONT), 22)
    ImageDraw.Draw(picture).text((10, 10), WORDS, font=font, fill="black")
    picture.save(tmp_path / "words.png")
    seen = glyphs.look(tmp_path / "words.png")
    assert seen.same_hollow <= 1  # some characters have a mouth in them
    assert seen.different >= 8
