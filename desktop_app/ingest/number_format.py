"""Numbers as a workbook shows them: 123 under ``00000`` is the article 00123 that people know."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import cached_property, lru_cache

Render = Callable[[float], str]

BUILT_IN = {
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    9: "0%",
    10: "0.00%",
    11: "0.00E+00",
    37: "#,##0;(#,##0)",
    38: "#,##0;(#,##0)",
    39: "#,##0.00;(#,##0.00)",
    40: "#,##0.00;(#,##0.00)",
}
"""By number, those of numbers that are the same in every country."""

_EXACT = 1e15
"""Whole numbers below it are known to their last digit."""

_LONGEST = 255
"""Characters of a format code that Excel takes."""

_ROUNDING = Context(prec=1_200, rounding=ROUND_HALF_UP)
"""Holds every digit of the largest number under such a code, be it all per cent signs."""

_PIECE = re.compile(
    r"""(?P<quoted>"[^"]*")|\\(?P<escaped>.)|(?P<pad>[_*].)|\[\$(?P<money>[^\]-]*)(?:-[^\]]*)?\]"""
    r"""|\[(?P<bracket>[^\]]*)\]|(?P<exp>[Ee][+-])|(?P<digit>[0#?])|(?P<mark>[.,%])"""
    r"""|(?P<name>[A-Za-z@/]+)|(?P<plain>.)""",
    re.DOTALL,
)
_COLOUR = re.compile(
    r"(?:black|blue|cyan|green|magenta|red|white|yellow|color ?\d+)\Z", re.IGNORECASE
)
_SECTION = re.compile(r"""((?:"[^"]*"|\\.|\[[^\]]*\]|[^;"\\\[])*)(?:;|\Z)""", re.DOTALL)


class _Unknown(Exception):
    """A format that is not shown here; the plain value is."""


@dataclass
class _Section:
    """``whole`` and ``part`` are the places before and after the point: a digit's sign or a
    literal. ``scale`` is a power of ten, ``exponent`` the least digits of one."""

    whole: list[tuple[bool, str]]
    part: list[tuple[bool, str]]
    scale: int = 0
    grouped: bool = False
    point: bool = False
    exponent: int = 0
    exponential: bool = False

    @cached_property
    def least(self) -> int | None:
        """The fewest digits before the point; None where more than digits stands there."""
        if self.grouped or not all(is_digit for is_digit, _ in self.whole):
            return None
        needed = [text == "0" for _, text in self.whole]
        return len(needed) - needed.index(True) if True in needed else 0

    @cached_property
    def decimals(self) -> int:
        """The most digits behind the point."""
        return sum(is_digit for is_digit, _ in self.part)


@lru_cache(maxsize=512)
def number_format(code: str) -> Render | None:
    """What shows a number under a format code. None where the plain value does: ``General``,
    dates, fractions, conditions."""
    if len(code) > _LONGEST:
        return None
    try:
        sections = [_section(text) for text in sections_of(code)[:3]]
    except _Unknown:
        return None
    if not any(is_digit for is_digit, _ in sections[0].whole + sections[0].part):
        return None
    if len(sections) > 1 and not sections[1].whole + sections[1].part:
        return None  # it would hide what is below zero
    return lambda value: _shown(sections, value)


def sections_of(code: str) -> list[str]:
    """The parts of a format code between semicolons."""
    sections = []
    for found in _SECTION.finditer(code):
        sections.append(found.group(1))
        if found.group() == found.group(1):
            break
    return sections


def _section(text: str) -> _Section:
    section = _Section([], [])
    places = section.whole
    commas = 0
    for piece in _PIECE.finditer(text):
        kind = piece.lastgroup
        found = piece.group()
        if kind == "digit":
            if section.exponential:
                section.exponent += 1
                continue
            section.grouped = section.grouped or (commas > 0 and places is section.whole)
            commas = 0
            places.append((True, found))
        elif kind == "mark" and found == ",":
            commas += 1
        elif kind == "mark" and found == ".":
            if section.point:
                raise _Unknown
            section.scale -= 3 * commas
            commas = 0
            section.point, places = True, section.part
        elif kind == "exp":
            if found[1] == "-" or sum(is_digit for is_digit, _ in section.whole) != 1:
                raise _Unknown
            section.exponential = True
        elif kind == "bracket":
            if not _COLOUR.match(piece.group("bracket")):
                raise _Unknown
        elif kind == "name" or (section.exponential and kind != "pad"):
            raise _Unknown
        elif kind != "pad":
            if found == "%":
                section.scale += 2
            literal = found[1:-1] if kind == "quoted" else piece.group(kind or 0)
            places.append((False, literal))
    section.scale -= 3 * commas
    return section


def _shown(sections: list[_Section], value: float) -> str:
    at = 0
    if value < 0 and len(sections) > 1:
        at = 1
    elif value == 0 and len(sections) > 2:
        at = 2
    section = sections[at]
    sign = "-" if value < 0 and at == 0 else ""
    if not section.scale and not section.exponential and abs(value) < _EXACT and value % 1 == 0:
        digits = str(abs(int(value))).lstrip("0")
        behind = _part(section, "0" * section.decimals) if section.part else ""
        point = "." if section.point else ""
        return sign + _whole(section, digits) + point + behind
    number = abs(Decimal(f"{value:.15g}")).scaleb(section.scale)
    exponent = ""
    places = Decimal(1).scaleb(-section.decimals)
    if section.exponential:
        power = number.adjusted() if number else 0
        number = number.scaleb(-power)
        if number.quantize(places, context=_ROUNDING) >= 10:
            power, number = power + 1, number.scaleb(-1)
        exponent = f"E{'-' if power < 0 else '+'}{abs(power):0{section.exponent}d}"
    rounded = number.quantize(places, context=_ROUNDING)
    whole, _, part = f"{rounded:f}".partition(".")
    point = "." if section.point else ""
    return sign + _whole(section, whole.lstrip("0")) + point + _part(section, part) + exponent


def _whole(section: _Section, digits: str) -> str:
    """Filled from the right; what is left over goes before the first place."""
    if section.least is not None:
        return digits.zfill(section.least)
    out: list[str] = []
    shown = 0
    left = sum(is_digit for is_digit, _ in section.whole)
    for is_digit, text in reversed(section.whole):
        if not is_digit:
            out.append(text)
            continue
        left -= 1
        due = digits[-1:] or ("0" if text == "0" else "")
        digits = digits[:-1]
        for digit in due + (digits[::-1] if not left else ""):
            if section.grouped and shown and shown % 3 == 0:
                out.append(",")
            out.append(digit)
            shown += 1
    return "".join(reversed(out))


def _part(section: _Section, digits: str) -> str:
    needed = max(
        (at for at, text in enumerate((t for d, t in section.part if d), start=1) if text == "0"),
        default=0,
    )
    kept = digits[:needed] + digits[needed:].rstrip("0")
    out = []
    at = 0
    for is_digit, text in section.part:
        if not is_digit:
            out.append(text)
            continue
        out.append(kept[at : at + 1])
        at += 1
    return "".join(out)
