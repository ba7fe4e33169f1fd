"""Tells Chinese from empty boxes in a screenshot. A font without a character draws the same hollow
rectangle for each: the program looks whole to every check but that of the eye."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

_SMALLEST, _LARGEST = 6, 24  # of a character, in pixels
_INK = 60  # how far a pixel is from its background, of 255


@dataclass(frozen=True, slots=True)
class Seen:
    """Shapes the size of characters: how many hollow rectangles there are, how many of the most
    frequent size of them, and how many different other shapes."""

    hollow: int
    same_hollow: int
    different: int


def look(picture: Path) -> Seen:
    """Count the shapes in a screenshot."""
    grey = Image.open(picture).convert("L")
    wide, high = grey.size
    pixels = grey.tobytes()
    common = Counter(pixels).most_common(1)[0][0]
    ink = bytearray(abs(value - common) > _INK for value in pixels)
    hollow: Counter[tuple[int, int]] = Counter()
    others: set[frozenset[tuple[int, int]]] = set()
    for at in range(len(ink)):
        if not ink[at]:
            continue
        shape = _filled(ink, at, wide, high)
        left, top = min(x for x, _ in shape), min(y for _, y in shape)
        points = frozenset((x - left, y - top) for x, y in shape)
        size = max(x for x, _ in points) + 1, max(y for _, y in points) + 1
        if not all(_SMALLEST <= side <= _LARGEST for side in size):
            continue
        if _is_hollow(points, *size):
            hollow[size] += 1
        else:
            others.add(points)
    most = hollow.most_common(1)[0][1] if hollow else 0
    return Seen(hollow.total(), most, len(others))


def _filled(ink: bytearray, start: int, wide: int, high: int) -> list[tuple[int, int]]:
    """The points of the shape at ``start``, which is taken out of ``ink``."""
    ink[start] = 0
    ask, found = [start], []
    while ask:
        at = ask.pop()
        y, x = divmod(at, wide)
        found.append((x, y))
        for beside_y in range(max(0, y - 1), min(high, y + 2)):
            for beside_x in range(max(0, x - 1), min(wide, x + 2)):
                beside = beside_y * wide + beside_x
                if ink[beside]:
                    ink[beside] = 0
                    ask.append(beside)
    return found


def _is_hollow(points: frozenset[tuple[int, int]], wide: int, high: int) -> bool:
    """Nothing but the four edges."""
    edge = {(x, y) for x, y in points if x in (0, wide - 1) or y in (0, high - 1)}
    whole = 2 * (wide + high) - 4
    return len(edge) >= 0.9 * whole and len(points) - len(edge) <= 0.1 * whole
