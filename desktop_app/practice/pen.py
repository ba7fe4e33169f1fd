"""A pen on a 100 x 100 sheet, so that a silhouette is a few lines that know nothing of pixels."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image, ImageDraw

from desktop_app.practice.palette import Rgb, mix

Point = tuple[float, float]


class Pen:
    """Draws at twice the size asked for; ``image`` gives the smooth result.

    Tones: ``body``, ``dark``, ``deep``, ``light``, ``trim``; all coordinates 0..100, y downwards.
    """

    def __init__(self, side: int, body: Rgb, trim: Rgb) -> None:
        self._scale = side * 2 / 100
        # The transparent ground has the product's colour, so that smoothed edges show no fringe.
        self._sheet = Image.new("RGBA", (side * 2, side * 2), (*body, 0))
        self._draw = ImageDraw.Draw(self._sheet)
        self.body = body
        self.dark = mix(body, (18, 18, 28), 0.22)
        self.deep = mix(body, (14, 14, 24), 0.45)
        self.light = mix(body, (255, 255, 255), 0.32)
        self.trim = trim

    def image(self) -> Image.Image:
        """RGBA, ``side`` x ``side``."""
        return self._sheet.reduce(2)

    def _at(self, points: Sequence[Point]) -> list[Point]:
        return [(x * self._scale, y * self._scale) for x, y in points]

    def poly(self, points: Sequence[Point], tone: Rgb) -> None:
        """A straight-edged shape."""
        self._draw.polygon(self._at(points), fill=tone)

    def blob(self, points: Sequence[Point], tone: Rgb) -> None:
        """A closed, smooth shape through the points (Catmull-Rom)."""
        self._draw.polygon(self._at(_smooth(points)), fill=tone)

    def oval(self, x0: float, y0: float, x1: float, y1: float, tone: Rgb) -> None:
        """A filled ellipse in the box."""
        self._draw.ellipse(self._at([(x0, y0), (x1, y1)]), fill=tone)

    def box(
        self, x0: float, y0: float, x1: float, y1: float, tone: Rgb, *, round_by: float = 0
    ) -> None:
        """A filled rectangle; ``round_by`` is the corners' radius."""
        radius = round_by * self._scale
        self._draw.rounded_rectangle(self._at([(x0, y0), (x1, y1)]), radius=radius, fill=tone)

    def ring(self, x0: float, y0: float, x1: float, y1: float, tone: Rgb, *, width: float) -> None:
        """An ellipse's outline, drawn inwards."""
        stroke = round(width * self._scale)
        self._draw.ellipse(self._at([(x0, y0), (x1, y1)]), outline=tone, width=stroke)

    def arc(
        self,
        box: tuple[float, float, float, float],
        start: float,
        end: float,
        tone: Rgb,
        *,
        width: float,
    ) -> None:
        """A part of an ellipse's outline; degrees clockwise from three o'clock."""
        corners = self._at([(box[0], box[1]), (box[2], box[3])])
        self._draw.arc(corners, start, end, fill=tone, width=round(width * self._scale))

    def line(self, points: Sequence[Point], tone: Rgb, *, width: float) -> None:
        """A stroke with round joints and ends."""
        stroke = max(1, round(width * self._scale))
        at = self._at(points)
        self._draw.line(at, fill=tone, width=stroke, joint="curve")
        half = stroke / 2
        for x, y in (at[0], at[-1]):
            self._draw.ellipse((x - half, y - half, x + half, y + half), fill=tone)


def _smooth(points: Sequence[Point], steps: int = 10) -> list[Point]:
    count = len(points)
    curve: list[Point] = []
    for i in range(count):
        a, b, c, d = (points[(i + k) % count] for k in (-1, 0, 1, 2))
        for step in range(steps):
            t = step / steps
            curve.append((_between(a[0], b[0], c[0], d[0], t), _between(a[1], b[1], c[1], d[1], t)))
    return curve


def _between(a: float, b: float, c: float, d: float, t: float) -> float:
    return 0.5 * (
        2 * b
        + (c - a) * t
        + (2 * a - 5 * b + 4 * c - d) * t * t
        + (3 * b - a - 3 * c + d) * t * t * t
    )
