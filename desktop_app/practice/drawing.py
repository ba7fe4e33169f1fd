"""Draws the practice pictures: a small product poster that shows its prompt and says PRACTICE."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

from PIL import Image, ImageDraw, ImageOps

from desktop_app.practice.lettering import Lettering
from desktop_app.practice.palette import Colours, Rgb, colours_for, mix
from desktop_app.practice.pen import Pen
from desktop_app.practice.products import product_for
from desktop_app.practice.shown import Shown

FORMATS = {"png": "image/png", "jpeg": "image/jpeg", "webp": "image/webp"}
"""What ``Drawer.draw`` can encode, with the media type of each."""


class Drawer:
    """Draws with one font file. Safe to call from several threads; about 25 ms of CPU a picture
    of 1024 x 1024. Raises OSError when the font cannot be read."""

    def __init__(self, font: Path) -> None:
        self._letters = Lettering(font)

    def draw(
        self,
        prompt: str,
        width: int,
        height: int,
        fmt: str = "png",
        variant: int = 0,
        shown: Sequence[Shown] = (),
    ) -> bytes:
        """The encoded picture, exactly ``width`` x ``height`` pixels. ``variant`` tells apart
        several pictures of one prompt; ``shown`` are stuck to its edge. The same arguments always
        give the same bytes."""
        colours = colours_for(prompt)
        style = (hashlib.sha256(prompt.encode()).digest()[4] + variant) % 3
        sheet = _backdrop(colours, width, height)
        stage = _Stage.of(width, height)
        _STYLES[style](sheet, stage, colours)
        _shadow(sheet, stage, colours)
        ware, foot = _ware(product_for(prompt), stage.side, colours.body, colours.trim)
        sheet.paste(ware, (stage.x, round(stage.floor) - foot), ware)
        self._write(sheet, prompt, stage, colours)
        self._stick(sheet, shown, stage, colours)
        return _encode(sheet, fmt)

    def _write(self, sheet: Image.Image, prompt: str, stage: _Stage, colours: Colours) -> None:
        draw = ImageDraw.Draw(sheet)
        x0, y0, x1, y1 = stage.text
        sizes = tuple(max(9, round(stage.unit * s)) for s in (0.046, 0.04, 0.034, 0.029, 0.025))
        size, lines, step = self._letters.fit(prompt, x1 - x0, y1 - y0, sizes)
        top = y0 + ((y1 - y0) - step * len(lines)) / 2
        for i, line in enumerate(lines):
            across = x0 if stage.beside else (x0 + x1) / 2
            draw.text(
                (across, top + step * (i + 0.5)),
                line,
                font=self._letters.font(size),
                fill=colours.ink,
                anchor="lm" if stage.beside else "mm",
            )

        self._tag(sheet, draw, stage, colours)

    def _stick(
        self, sheet: Image.Image, shown: Sequence[Shown], stage: _Stage, colours: Colours
    ) -> None:
        side, gap = round(stage.unit * 0.16), max(2, round(stage.unit * 0.02))
        size = max(7, round(stage.unit * 0.018))
        draw = ImageDraw.Draw(sheet)
        down = max(1, (sheet.height - gap) // (side + size + 2 * gap))
        for number, one in enumerate(shown):
            x = gap + number // down * (side + gap)
            y = gap + number % down * (side + size + 2 * gap)
            if one.small is not None:
                small = ImageOps.contain(one.small, (side, side))
                sheet.paste(small, (x, y))
            draw.text(
                (x, y + side + size / 2),
                one.mark,
                font=self._letters.font(size),
                fill=colours.ink,
                anchor="lm",
            )

    def _tag(
        self, sheet: Image.Image, draw: ImageDraw.ImageDraw, stage: _Stage, colours: Colours
    ) -> None:
        size = max(8, round(stage.unit * 0.021))
        pad = stage.unit * 0.016
        long = round(self._letters.length("PRACTICE", size) + 2 * pad)
        high = round(size + 1.2 * pad)
        margin = round(stage.unit * 0.035)
        x, y = sheet.width - margin - long, margin
        sheet.paste(colours.ink, (x, y), _pill(long, high))
        draw.text(
            (x + long / 2, y + high / 2),
            "PRACTICE",
            font=self._letters.font(size),
            fill=mix(colours.top, colours.bottom, 0.3),
            anchor="mm",
        )


class _Stage:
    """Where things go. ``unit`` is the shorter side; ``beside`` puts the text to the right."""

    def __init__(
        self,
        unit: int,
        side: int,
        corner: tuple[int, int],
        text: tuple[float, float, float, float],
        size: tuple[int, int],
        beside: bool,
    ) -> None:
        self.unit = unit
        self.side = side
        self.x, self.y = corner
        self.text = text
        self.size = size
        self.beside = beside

    @staticmethod
    def of(width: int, height: int) -> _Stage:
        """Landscape: product left, text right. Otherwise: product above, text below."""
        unit = min(width, height)
        if width >= height * 1.3:
            side = round(height * 0.6)
            corner = (round(width * 0.30 - side / 2), round(height * 0.5 - side * 0.52))
            text = (width * 0.575, height * 0.2, width * 0.94, height * 0.8)
            return _Stage(unit, side, corner, text, (width, height), True)
        tall = height >= width * 1.3
        side = round(min(width * (0.68 if tall else 0.56), height * 0.5))
        y = round(height * (0.4 if tall else 0.385) - side * 0.5)
        text = (width * 0.09, height * 0.725, width * 0.91, height * 0.955)
        return _Stage(unit, side, (round((width - side) / 2), y), text, (width, height), False)

    @property
    def centre(self) -> tuple[float, float]:
        """The product's middle."""
        return self.x + self.side / 2, self.y + self.side / 2

    @property
    def floor(self) -> float:
        """Where the product stands."""
        return self.y + self.side * 0.92


def _backdrop(colours: Colours, width: int, height: int) -> Image.Image:
    # Rows of one colour each: stretching one column sideways is nine times as quick as scaling.
    column = _gradient(colours.top, colours.bottom).resize((1, height), Image.Resampling.BILINEAR)
    return column.resize((width, height), Image.Resampling.NEAREST)


@lru_cache(maxsize=64)
def _gradient(top: Rgb, bottom: Rgb) -> Image.Image:
    return ImageOps.colorize(Image.linear_gradient("L").resize((1, 256)), top, bottom)


def _disc(sheet: Image.Image, stage: _Stage, colours: Colours) -> None:
    x, y = stage.centre
    for grow, share in ((0.66, 0.35), (0.56, 1.0)):
        _paste_disc(sheet, x, y, stage.side * grow, mix(colours.bottom, colours.glow, share))


def _arch(sheet: Image.Image, stage: _Stage, colours: Colours) -> None:
    half = round(stage.side * 0.54)
    top = round(stage.y - stage.side * 0.14)
    mask = _arch_mask(half, round(stage.floor) - top)
    sheet.paste(colours.glow, (round(stage.centre[0]) - half, top), mask)
    _ground(sheet, stage, colours, stage.floor)


def _horizon(sheet: Image.Image, stage: _Stage, colours: Colours) -> None:
    x, y = stage.centre
    side = stage.side
    _paste_disc(sheet, x + side * 0.26, y - side * 0.3, side * 0.3, colours.glow)
    _ground(sheet, stage, colours, stage.floor - side * 0.1)


def _paste_disc(sheet: Image.Image, x: float, y: float, radius: float, tone: Rgb) -> None:
    mask = _pill(round(radius) * 2, round(radius) * 2)
    sheet.paste(tone, (round(x - radius), round(y - radius)), mask)


@lru_cache(maxsize=32)
def _pill(long: int, high: int) -> Image.Image:
    mask = Image.new("L", (long * 3, high * 3))
    ImageDraw.Draw(mask).rounded_rectangle(
        (0, 0, long * 3 - 1, high * 3 - 1), radius=high * 1.5, fill=255
    )
    return mask.reduce(3)


@lru_cache(maxsize=16)
def _arch_mask(half: int, high: int) -> Image.Image:
    mask = Image.new("L", (half * 2, high), 255)
    mask.paste(_pill(half * 2, half * 2).crop((0, 0, half * 2, half)), (0, 0))
    return mask


def _ground(sheet: Image.Image, stage: _Stage, colours: Colours, top: float) -> None:
    tone = mix(mix(colours.top, colours.bottom, 0.75), colours.glow, 0.25)
    sheet.paste(tone, (0, round(top), *stage.size))


_STYLES: tuple[Callable[[Image.Image, _Stage, Colours], None], ...] = (
    _disc,
    _arch,
    _horizon,
)


def _shadow(sheet: Image.Image, stage: _Stage, colours: Colours) -> None:
    width, height = round(stage.side * 0.9), max(4, round(stage.side * 0.12))
    soft = _soft_oval().resize((width, height), Image.Resampling.BILINEAR)
    x, _ = stage.centre
    at = (round(x - width / 2), round(stage.floor - height * 0.6))
    sheet.paste(mix(colours.bottom, (20, 20, 30), 0.5), at, soft)


@lru_cache(maxsize=1)
def _soft_oval() -> Image.Image:
    return ImageOps.invert(Image.radial_gradient("L")).point(lambda v: max(0, v - 75) * 0.9)


@lru_cache(maxsize=48)
def _ware(draw: Callable[[Pen], None], side: int, body: Rgb, trim: Rgb) -> tuple[Image.Image, int]:
    pen = Pen(side, body, trim)
    draw(pen)
    image = pen.image()
    box = image.getbbox()
    return image, box[3] if box else side


def _encode(sheet: Image.Image, fmt: str) -> bytes:
    out = io.BytesIO()
    if fmt == "png":
        sheet.save(out, "PNG", compress_level=1)
    elif fmt == "jpeg":
        sheet.save(out, "JPEG", quality=88)
    else:
        sheet.save(out, "WEBP", quality=85, method=0)
    return out.getvalue()
