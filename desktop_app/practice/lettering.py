"""Breaks prompts into lines as readers expect: Chinese anywhere, English at spaces."""

from __future__ import annotations

import io
import re
from pathlib import Path

from PIL import ImageFont

_PIECES = re.compile(r"\s+|[⺀-鿿豈-﫿＀-￯　-〿]|[^\s⺀-鿿豈-﫿＀-￯　-〿]+")
_NO_START = frozenset("，。、；：？！）》」』】”’,.;:?!)]}%…·")
_ABSENT = "\U000f0000"


class Lettering:
    """One font file in the sizes asked for, with measuring and wrapping."""

    def __init__(self, font: Path) -> None:
        self._data = font.read_bytes()
        self._fonts: dict[int, ImageFont.FreeTypeFont] = {}
        self._advances: dict[tuple[int, str], float] = {}
        self._known: dict[str, bool] = {" ": True}
        self._probe = self.font(16)
        self._absent = bytes(self._probe.getmask(_ABSENT))

    def font(self, size: int) -> ImageFont.FreeTypeFont:
        """The font at ``size`` pixels."""
        found = self._fonts.get(size)
        if found is None:
            found = self._fonts[size] = ImageFont.truetype(io.BytesIO(self._data), size)
        return found

    def has(self, char: str) -> bool:
        """Whether the font draws this character as more than its "missing" box."""
        known = self._known.get(char)
        if known is None:
            known = bytes(self._probe.getmask(char)) != self._absent
            self._known[char] = known
        return known

    def length(self, text: str, size: int) -> float:
        """Pixels the text takes; the font has no kerning, so characters simply add up."""
        total = 0.0
        for char in text:
            advance = self._advances.get((size, char))
            if advance is None:
                advance = self._advances[size, char] = self.font(size).getlength(char)
            total += advance
        return total

    def fit(
        self, text: str, width: float, height: float, sizes: tuple[int, ...]
    ) -> tuple[int, list[str], float]:
        """(size, lines, line height): the largest of ``sizes`` at which the text fits the box;
        at the smallest it is cut and ends with an ellipsis. Few lines are made about equal."""
        shown = "".join(c if c.isspace() or self.has(c) else "·" for c in text[:600])
        for size in sizes:
            lines, step = self._wrap(shown, size, width), size * 1.4
            if len(lines) * step <= height:
                return size, self._balance(shown, size, width, lines), step
        cut = lines[: max(1, int(height // step))]
        while cut[-1] and self.length(cut[-1] + "…", size) > width:
            cut[-1] = cut[-1][:-1]
        cut[-1] += "…"
        return size, cut, step

    def _balance(self, text: str, size: int, width: float, lines: list[str]) -> list[str]:
        if not 1 < len(lines) <= 4:
            return lines
        for share in (0.6, 0.7, 0.8, 0.9):
            narrower = self._wrap(text, size, width * share)
            if len(narrower) == len(lines):
                return narrower
        return lines

    def _wrap(self, text: str, size: int, width: float) -> list[str]:
        lines: list[str] = []
        for paragraph in text.splitlines():
            lines += self._wrap_one(paragraph, size, width)
        return lines or [""]

    def _wrap_one(self, text: str, size: int, width: float) -> list[str]:
        lines: list[str] = []
        line, used = "", 0.0
        for piece in _PIECES.findall(text.strip()):
            if piece.isspace():
                piece = " "
            need = self.length(piece, size)
            if used + need <= width or piece in _NO_START or piece == " ":
                line, used = line + piece, used + need
                continue
            lines.append(line)
            line, used = piece, need
            while used > width:  # a word longer than the line
                keep = max(1, int(len(line) * width / used))
                lines.append(line[:keep])
                line = line[keep:]
                used = self.length(line, size)
        lines.append(line)
        return [line.strip() for line in lines if line.strip()]
