"""Silhouettes of worn and woven things, one function each, on the pen's 100 x 100 sheet."""

from __future__ import annotations

from desktop_app.practice.pen import Pen


def shoe(p: Pen) -> None:
    """A low sneaker, toe to the right."""
    p.blob(
        [(10, 42), (14, 32), (24, 36), (34, 40), (44, 30), (52, 33), (62, 46), (78, 54), (92, 60),
         (95, 70), (90, 76), (50, 77), (12, 76), (8, 64)],
        p.body,
    )  # fmt: skip
    p.blob([(10, 46), (14, 33), (22, 38), (28, 54), (26, 74), (11, 74)], p.dark)
    p.blob([(70, 56), (82, 55), (93, 61), (95, 72), (78, 75), (68, 68)], p.light)
    for i in range(4):
        x, y = 46 + i * 6.2, 37 + i * 5
        p.line([(x - 5, y + 4.5), (x + 2.5, y - 2)], p.trim, width=2)
    p.line([(33, 66), (44, 56), (60, 66)], p.trim, width=2.4)
    p.box(7, 73, 96, 83, (246, 246, 243), round_by=5)
    p.box(7, 79, 96, 83, p.deep, round_by=2)


def boot(p: Pen) -> None:
    """An ankle boot, toe to the right."""
    p.blob(
        [(28, 12), (42, 10), (56, 12), (57, 34), (58, 50), (72, 58), (88, 64), (92, 76), (88, 80),
         (40, 80), (27, 79), (26, 46)],
        p.body,
    )  # fmt: skip
    p.blob([(28, 13), (36, 12), (37, 44), (36, 78), (27, 78), (26, 44)], p.dark)
    p.box(28, 10, 56, 17, p.deep, round_by=2)
    for i in range(4):
        p.line([(46, 27 + i * 8), (57, 25 + i * 8)], p.trim, width=1.8)
    p.box(25, 78, 93, 84, p.deep, round_by=2.5)
    p.box(25, 80, 45, 91, p.deep, round_by=1.5)


def bag(p: Pen) -> None:
    """A structured handbag."""
    p.arc((30, 6, 70, 66), 180, 360, p.deep, width=4)
    p.poly([(18, 38), (82, 38), (90, 88), (10, 88)], p.body)
    p.poly([(74, 38), (82, 38), (90, 88), (77, 88)], p.dark)
    p.poly([(16, 38), (84, 38), (80, 58), (50, 64), (20, 58)], p.light)
    p.line([(20, 58), (50, 64), (80, 58)], p.dark, width=1)
    p.box(45, 58, 55, 69, p.trim, round_by=2)
    p.oval(48.2, 62, 51.8, 66, p.deep)


def backpack(p: Pen) -> None:
    """A rounded daypack from the front."""
    p.arc((40, 4, 60, 26), 170, 370, p.deep, width=3.2)
    p.box(22, 14, 78, 92, p.body, round_by=20)
    p.box(14, 52, 24, 86, p.dark, round_by=5)
    p.box(76, 52, 86, 86, p.dark, round_by=5)
    p.arc((27, 20, 73, 70), 180, 360, p.dark, width=1.8)
    p.box(29, 54, 71, 86, p.light, round_by=8)
    p.line([(31, 63), (69, 63)], p.deep, width=1.8)
    p.line([(66, 63), (66, 70)], p.trim, width=2)
    p.box(43, 32, 57, 42, p.trim, round_by=2)


def shirt(p: Pen) -> None:
    """A short-sleeved top, laid flat."""
    p.poly(
        [(36, 14), (64, 14), (80, 20), (97, 44), (84, 54), (76, 44), (76, 88), (24, 88), (24, 44),
         (16, 54), (3, 44), (20, 20)],
        p.body,
    )  # fmt: skip
    p.poly([(24, 44), (24, 88), (31, 88), (28, 40)], p.dark)
    p.poly([(76, 44), (76, 88), (69, 88), (72, 40)], p.dark)
    p.poly([(3, 44), (16, 54), (18.5, 51), (5.5, 41)], p.trim)
    p.poly([(97, 44), (84, 54), (81.5, 51), (94.5, 41)], p.trim)
    p.oval(36, 4, 64, 25, p.deep)
    p.oval(38.5, 2, 61.5, 21, p.dark)
    p.box(55, 40, 67, 53, p.light, round_by=1)


def dress(p: Pen) -> None:
    """A sleeveless dress with a belt."""
    p.line([(40, 8), (38, 20)], p.body, width=4)
    p.line([(60, 8), (62, 20)], p.body, width=4)
    p.blob([(36, 18), (50, 24), (64, 18), (66, 32), (62, 46), (38, 46), (34, 32)], p.body)
    p.poly([(38, 44), (62, 44), (84, 90), (66, 93), (50, 94), (34, 93), (16, 90)], p.body)
    p.poly([(56, 46), (62, 44), (84, 90), (72, 92)], p.dark)
    p.poly([(44, 46), (48, 46), (44, 93), (36, 93)], p.light)
    p.box(37, 42.5, 63, 48, p.trim, round_by=1.5)


def hat(p: Pen) -> None:
    """A brimmed hat."""
    p.oval(4, 58, 96, 82, p.dark)
    p.oval(4, 55, 96, 77, p.body)
    p.blob([(26, 64), (28, 36), (38, 22), (50, 25), (62, 22), (72, 36), (74, 64), (50, 70)], p.body)
    p.blob([(58, 24), (63, 23), (72, 36), (74, 64), (66, 67), (66, 40)], p.dark)
    p.poly([(26, 55), (50, 61), (74, 55), (74, 64), (50, 70), (26, 64)], p.trim)


def pillow(p: Pen) -> None:
    """Two cushions or folded linens, stacked."""
    p.blob([(12, 58), (50, 55), (88, 58), (94, 72), (88, 86), (50, 89), (12, 86), (6, 72)], p.dark)
    p.blob([(16, 26), (50, 31), (84, 26), (80, 44), (86, 62), (50, 58), (14, 62), (20, 44)], p.body)
    p.blob([(24, 33), (50, 36), (60, 35), (44, 42), (26, 50), (28, 42)], p.light)
    for i in range(3):
        p.line([(14 + i, 66 + i * 7), (86 - i, 66 + i * 7)], p.trim, width=1.1)
    p.oval(47, 43, 53, 48, p.trim)


def bear(p: Pen) -> None:
    """A sitting plush bear."""
    for x in (26, 60):
        p.oval(x, 8, x + 16, 24, p.body)
        p.oval(x + 4, 12, x + 12, 20, p.trim)
    for box in ((10, 50, 34, 74), (66, 50, 90, 74), (16, 70, 44, 94), (56, 70, 84, 94)):
        p.oval(*box, p.dark)
    p.oval(26, 42, 74, 92, p.body)
    p.oval(35, 52, 65, 84, p.light)
    p.oval(24, 10, 76, 56, p.body)
    p.oval(39, 32, 61, 50, p.trim)
    for x in (36, 58):
        p.oval(x, 26, x + 6, 32, p.deep)
    p.oval(46, 34, 54, 40, p.deep)
    p.arc((44, 36, 56, 46), 20, 160, p.deep, width=1.4)
