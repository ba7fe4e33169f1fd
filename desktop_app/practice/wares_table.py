"""Silhouettes of what stands on a table or a shelf, one function each, on a 100 x 100 sheet."""

from __future__ import annotations

from desktop_app.practice.pen import Pen

_GLASS = (226, 236, 240)
_LEAF = (92, 140, 96)
_LEAF_DARK = (66, 110, 78)
_FLAME = (250, 196, 84)
_METAL = (200, 204, 210)


def mug(p: Pen) -> None:
    """A mug with its handle to the right, steaming."""
    for x in (36, 48):
        p.line([(x, 24), (x + 3, 18), (x - 1, 12), (x + 2, 6)], p.light, width=1.8)
    p.ring(58, 40, 90, 74, p.dark, width=6.5)
    p.poly([(18, 34), (74, 34), (70, 84), (65, 89), (27, 89), (22, 84)], p.body)
    p.poly([(62, 34), (74, 34), (70, 84), (65, 89), (58, 89)], p.dark)
    p.poly([(24, 36), (31, 36), (33, 84), (28, 84)], p.light)
    p.oval(18, 28, 74, 40, p.light)
    p.oval(22, 30, 70, 39, (98, 66, 46))
    p.oval(40, 56, 52, 68, p.trim)


def teapot(p: Pen) -> None:
    """A round teapot, spout to the left."""
    p.blob([(30, 50), (16, 44), (8, 32), (3, 34), (10, 56), (24, 70), (34, 70)], p.dark)
    p.ring(66, 38, 96, 74, p.dark, width=5)
    p.oval(20, 32, 80, 88, p.body)
    p.blob([(70, 42), (79, 58), (74, 76), (60, 87), (66, 70), (70, 56)], p.dark)
    p.blob([(28, 50), (36, 40), (40, 42), (34, 52), (31, 62)], p.light)
    p.oval(34, 27, 66, 39, p.dark)
    p.oval(34, 25, 66, 36, p.light)
    p.oval(46, 17, 54, 26, p.trim)
    p.box(36, 85, 64, 91, p.deep, round_by=2)


def bowl(p: Pen) -> None:
    """A bowl on a plate."""
    p.oval(2, 74, 98, 92, p.dark)
    p.oval(2, 71, 98, 88, p.light)
    p.poly([(10, 40), (90, 40), (82, 64), (66, 80), (34, 80), (18, 64)], p.body)
    p.poly([(76, 40), (90, 40), (82, 64), (66, 80), (58, 80), (70, 64)], p.dark)
    p.oval(10, 30, 90, 50, p.light)
    p.oval(15, 33, 85, 48, p.deep)
    p.line([(17, 57), (50, 62), (82, 57)], p.trim, width=2)


def vase(p: Pen) -> None:
    """A vase with three stems."""
    for x, y in ((34, 14), (50, 6), (66, 15)):
        p.line([(50, 52), (x, y + 8)], _LEAF_DARK, width=1.6)
        p.blob([(x, y - 4), (x + 9, y + 6), (x, y + 18), (x - 9, y + 6)], _LEAF)
        p.line([(x, y), (x, y + 14)], _LEAF_DARK, width=0.8)
    p.blob(
        [(42, 40), (58, 40), (57, 52), (70, 66), (66, 86), (50, 93), (34, 86), (30, 66), (43, 52)],
        p.body,
    )
    p.blob([(54, 42), (58, 42), (57, 52), (70, 66), (66, 86), (55, 92), (60, 72)], p.dark)
    p.blob([(38, 62), (42, 58), (41, 74), (38, 78)], p.light)
    p.oval(41, 37, 59, 43, p.deep)


def candle(p: Pen) -> None:
    """A candle in a glass."""
    p.blob([(50, 8), (56, 20), (53, 28), (47, 28), (44, 20)], _FLAME)
    p.line([(50, 27), (50, 34)], (70, 60, 54), width=1.4)
    p.box(24, 34, 76, 90, p.body, round_by=7)
    p.box(62, 36, 76, 90, p.dark, round_by=7)
    p.oval(24, 29, 76, 41, p.light)
    p.oval(29, 32, 71, 40, p.trim)
    p.box(34, 52, 66, 76, (248, 246, 240), round_by=2)
    p.line([(40, 60), (60, 60)], p.deep, width=1.8)
    p.line([(44, 67), (56, 67)], p.dark, width=1.2)


def jar(p: Pen) -> None:
    """A squat jar with a lid."""
    p.box(16, 36, 84, 88, p.body, round_by=11)
    p.box(66, 38, 84, 88, p.dark, round_by=11)
    p.box(22, 42, 27, 80, p.light, round_by=2.5)
    p.box(20, 18, 80, 40, p.trim, round_by=4)
    for i in range(9):
        p.line([(26 + i * 6, 22), (26 + i * 6, 36)], p.dark, width=0.9)
    p.box(32, 52, 68, 78, (248, 246, 240), round_by=2)
    p.line([(38, 61), (62, 61)], p.deep, width=2)
    p.line([(42, 69), (58, 69)], p.dark, width=1.3)


def perfume(p: Pen) -> None:
    """A cut-glass flacon."""
    p.box(42, 6, 58, 22, p.deep, round_by=2)
    p.box(45, 22, 55, 32, _METAL)
    p.poly([(26, 32), (74, 32), (82, 42), (82, 86), (76, 92), (24, 92), (18, 86), (18, 42)], _GLASS)
    p.poly([(26, 48), (74, 48), (74, 82), (70, 86), (30, 86), (26, 82)], p.body)
    p.poly([(62, 48), (74, 48), (74, 82), (70, 86), (62, 86)], p.dark)
    p.poly([(30, 48), (38, 48), (34, 86), (30, 86)], p.light)
    p.box(38, 58, 62, 74, (248, 246, 240), round_by=1)
    p.line([(43, 66), (57, 66)], p.deep, width=1.6)


def bottle(p: Pen) -> None:
    """A tall bottle with a label."""
    p.box(42, 4, 58, 18, p.deep, round_by=2.5)
    p.box(44, 17, 56, 28, p.dark)
    p.blob([(44, 24), (56, 24), (66, 36), (68, 46), (68, 88), (62, 94), (38, 94), (32, 88),
            (32, 46), (34, 36)], p.body)  # fmt: skip
    p.box(58, 40, 68, 92, p.dark, round_by=4)
    p.box(36, 42, 40, 86, p.light, round_by=2)
    p.box(32, 50, 68, 78, (248, 246, 240))
    p.line([(40, 60), (60, 60)], p.deep, width=2)
    p.line([(43, 67), (57, 67)], p.dark, width=1.3)


def lipstick(p: Pen) -> None:
    """An open lipstick with its cap beside it."""
    p.box(62, 44, 84, 92, p.deep, round_by=3)
    p.box(66, 47, 69, 88, p.dark, round_by=1.5)
    p.box(22, 58, 48, 92, p.deep, round_by=3)
    p.box(25, 42, 45, 60, (214, 178, 112), round_by=1)
    p.box(39, 42, 45, 58, (184, 146, 86))
    p.poly([(28, 18), (42, 8), (42, 42), (28, 42)], p.body)
    p.poly([(37, 12), (42, 8), (42, 42), (37, 42)], p.dark)
