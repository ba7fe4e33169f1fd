"""Silhouettes of furniture, devices and accessories, one function each, on a 100 x 100 sheet."""

from __future__ import annotations

from desktop_app.practice.pen import Pen

_WOOD = (176, 132, 92)
_WOOD_DARK = (140, 100, 66)
_FLAME = (250, 196, 84)
_METAL = (200, 204, 210)


def lamp(p: Pen) -> None:
    """A table lamp, lit."""
    p.poly([(22, 48), (78, 48), (90, 90), (10, 90)], p.light)
    p.line([(50, 46), (50, 86)], _METAL, width=3)
    p.oval(30, 84, 70, 94, p.deep)
    p.poly([(36, 8), (64, 8), (82, 48), (18, 48)], p.body)
    p.poly([(56, 8), (64, 8), (82, 48), (64, 48)], p.dark)
    p.poly([(38, 11), (43, 11), (33, 45), (25, 45)], p.light)
    p.oval(18, 44, 82, 53, _FLAME)


def sofa(p: Pen) -> None:
    """A two-seat sofa."""
    p.box(14, 28, 86, 70, p.dark, round_by=9)
    p.box(17, 30, 49, 62, p.body, round_by=6)
    p.box(51, 30, 83, 62, p.body, round_by=6)
    p.box(12, 56, 88, 78, p.body, round_by=5)
    p.line([(50, 58), (50, 69)], p.dark, width=1.2)
    p.line([(16, 69), (84, 69)], p.dark, width=1.4)
    p.box(3, 44, 19, 80, p.light, round_by=7)
    p.box(81, 44, 97, 80, p.dark, round_by=7)
    for x in (12, 82):
        p.box(x, 79, x + 6, 89, _WOOD_DARK, round_by=1)
    p.poly([(58, 40), (76, 38), (78, 56), (60, 58)], p.trim)


def chair(p: Pen) -> None:
    """A shell chair on wooden legs."""
    for top, foot in (((34, 62), (22, 94)), ((66, 62), (78, 94)), ((42, 62), (38, 90)),
                      ((58, 62), (62, 90))):  # fmt: skip
        p.line([top, foot], _WOOD if top[0] in (34, 66) else _WOOD_DARK, width=3.2)
    p.blob([(28, 10), (50, 5), (72, 10), (77, 30), (72, 54), (50, 58), (28, 54), (23, 30)], p.body)
    p.blob([(64, 9), (72, 10), (77, 30), (72, 54), (62, 56), (68, 32)], p.dark)
    p.blob([(18, 54), (50, 48), (82, 54), (80, 64), (50, 69), (20, 64)], p.light)
    p.blob([(20, 60), (50, 64), (80, 60), (78, 66), (50, 71), (22, 66)], p.dark)


def table(p: Pen) -> None:
    """A desk with a drawer."""
    for x in (14, 80):
        p.box(x, 44, x + 6, 90, p.dark, round_by=1.5)
    for x in (24, 71):
        p.box(x, 44, x + 5, 82, p.deep, round_by=1.5)
    p.box(16, 44, 84, 58, p.body)
    p.box(6, 36, 94, 45, p.light, round_by=2)
    p.line([(50, 46), (50, 57)], p.dark, width=1)
    for x in (33, 67):
        p.oval(x - 2, 49, x + 2, 53, p.trim)
    p.poly([(62, 20), (76, 20), (73, 36), (65, 36)], p.trim)
    p.box(22, 30, 44, 36, p.dark, round_by=1)


def watch(p: Pen) -> None:
    """A wrist watch from the front."""
    p.poly([(36, 2), (64, 2), (68, 30), (32, 30)], p.body)
    p.poly([(32, 70), (68, 70), (64, 98), (36, 98)], p.body)
    p.poly([(58, 2), (64, 2), (68, 30), (60, 30)], p.dark)
    p.poly([(60, 70), (68, 70), (64, 98), (58, 98)], p.dark)
    p.box(76, 46, 82, 54, _METAL, round_by=1.5)
    p.oval(22, 22, 78, 78, _METAL)
    p.oval(26, 26, 74, 74, (250, 249, 245))
    for x0, y0, x1, y1 in ((50, 29, 50, 33), (50, 67, 50, 71), (29, 50, 33, 50), (67, 50, 71, 50)):
        p.line([(x0, y0), (x1, y1)], p.deep, width=1.6)
    p.line([(50, 50), (50, 35)], p.deep, width=2.2)
    p.line([(50, 50), (61, 56)], p.deep, width=2.2)
    p.oval(47.5, 47.5, 52.5, 52.5, p.body)


def clock(p: Pen) -> None:
    """A standing alarm clock."""
    for x in (24, 60):
        p.oval(x, 6, x + 18, 24, p.dark)
    p.line([(30, 84), (24, 93)], p.deep, width=4)
    p.line([(70, 84), (76, 93)], p.deep, width=4)
    p.oval(14, 16, 86, 90, p.body)
    p.oval(22, 24, 78, 82, (250, 249, 245))
    for x0, y0, x1, y1 in ((50, 28, 50, 33), (50, 73, 50, 78), (26, 53, 31, 53), (69, 53, 74, 53)):
        p.line([(x0, y0), (x1, y1)], p.deep, width=1.8)
    p.line([(50, 53), (50, 36)], p.deep, width=2.4)
    p.line([(50, 53), (63, 60)], p.deep, width=2.4)
    p.oval(47, 50, 53, 56, p.dark)


def headphones(p: Pen) -> None:
    """Over-ear headphones."""
    p.arc((14, 10, 86, 92), 180, 360, p.body, width=7)
    p.arc((20, 16, 80, 86), 192, 348, p.dark, width=2.5)
    for x, tone in ((8, p.body), (70, p.dark)):
        p.box(x, 48, x + 22, 88, tone, round_by=10)
    for x in (24, 68):
        p.box(x, 50, x + 8, 86, p.deep, round_by=4)
    p.box(13, 56, 17, 78, p.light, round_by=2)


def phone(p: Pen) -> None:
    """A phone, back and front."""
    p.box(50, 10, 88, 88, p.dark, round_by=7)
    p.box(53, 13, 85, 85, (34, 36, 44), round_by=5)
    p.poly([(53, 62), (85, 34), (85, 80), (80, 85), (58, 85), (53, 80)], p.light)
    p.box(14, 14, 54, 94, p.body, round_by=8)
    p.box(18, 18, 36, 40, p.dark, round_by=5)
    for y in (20, 30):
        p.oval(20, y, 28, y + 8, p.deep)
        p.oval(22.5, y + 2.5, 25.5, y + 5.5, p.light)
    p.oval(30, 26, 34, 30, p.trim)


def speaker(p: Pen) -> None:
    """A small speaker with two drivers."""
    p.box(24, 8, 76, 92, p.body, round_by=9)
    p.box(64, 10, 76, 90, p.dark, round_by=8)
    p.oval(38, 16, 62, 40, p.deep)
    p.oval(45, 23, 55, 33, p.light)
    p.oval(30, 44, 70, 84, p.deep)
    p.ring(33, 47, 67, 81, p.dark, width=2)
    p.oval(42, 56, 58, 72, p.light)


def keyboard(p: Pen) -> None:
    """A compact keyboard, seen from above."""
    p.box(4, 34, 96, 76, p.dark, round_by=5)
    p.box(4, 31, 96, 72, p.body, round_by=5)
    for row in range(3):
        for column in range(10):
            x, y = 9 + column * 8.3, 36 + row * 8.4
            tone = p.trim if (row, column) in ((0, 0), (2, 9)) else p.light
            p.box(x, y, x + 6.9, y + 7, tone, round_by=1.4)
    p.box(26, 61.5, 74, 68, p.light, round_by=1.4)


def glasses(p: Pen) -> None:
    """Sunglasses from the front."""
    p.line([(8, 40), (18, 34)], p.deep, width=3)
    p.line([(92, 40), (82, 34)], p.deep, width=3)
    p.arc((42, 36, 58, 56), 200, 340, p.body, width=4)
    for x in (8, 54):
        p.box(x, 36, x + 38, 70, p.body, round_by=14)
        p.box(x + 4, 40, x + 34, 66, p.deep, round_by=11)
        p.poly([(x + 10, 46), (x + 18, 43), (x + 12, 58), (x + 8, 56)], p.light)


def book(p: Pen) -> None:
    """A bound notebook with an elastic band."""
    p.box(25, 12, 84, 92, (244, 240, 230), round_by=3)
    p.box(20, 8, 80, 88, p.body, round_by=4)
    p.box(20, 8, 30, 88, p.dark, round_by=4)
    p.box(68, 8, 71, 88, p.trim)
    p.box(36, 24, 62, 42, (248, 246, 240), round_by=1.5)
    p.line([(41, 31), (57, 31)], p.deep, width=1.7)
    p.line([(41, 36), (52, 36)], p.dark, width=1.2)
    p.poly([(38, 88), (44, 88), (44, 97), (41, 94), (38, 97)], p.trim)


def umbrella(p: Pen) -> None:
    """An open umbrella."""
    p.line([(50, 10), (50, 84)], _WOOD_DARK, width=2.6)
    p.arc((38, 76, 51.3, 94), 0, 180, _WOOD_DARK, width=2.8)
    p.blob([(6, 54), (14, 32), (32, 17), (50, 13), (68, 17), (86, 32), (94, 54), (79, 49),
            (65, 54), (50, 49), (35, 54), (21, 49)], p.body)  # fmt: skip
    p.blob([(50, 13), (68, 17), (86, 32), (94, 54), (79, 49), (65, 53), (64, 34)], p.dark)
    p.blob([(50, 13), (58, 32), (62, 52), (50, 49), (38, 52), (42, 32)], p.light)
    p.line([(50, 6), (50, 13)], p.deep, width=2.4)


def ring_(p: Pen) -> None:
    """A ring with a stone."""
    p.ring(20, 32, 80, 92, (212, 176, 110), width=8)
    p.arc((22, 34, 78, 90), 300, 70, (240, 214, 158), width=3)
    p.poly([(34, 16), (66, 16), (76, 27), (50, 48), (24, 27)], p.body)
    p.poly([(34, 16), (42, 27), (24, 27)], p.light)
    p.poly([(66, 16), (58, 27), (76, 27)], p.dark)
    p.poly([(42, 27), (58, 27), (50, 48)], p.light)
    p.poly([(58, 27), (76, 27), (50, 48)], p.dark)


def gift(p: Pen) -> None:
    """A gift box with a ribbon."""
    for box in ((28, 8, 52, 30), (48, 8, 72, 30)):
        p.ring(*box, p.trim, width=5)
    p.box(16, 42, 84, 92, p.body, round_by=3)
    p.box(66, 42, 84, 92, p.dark, round_by=3)
    p.box(10, 28, 90, 46, p.light, round_by=3)
    p.box(43, 28, 57, 92, p.trim)
    p.line([(17, 47), (42, 47)], p.dark, width=1.4)
    p.line([(58, 47), (83, 47)], p.deep, width=1.4)
