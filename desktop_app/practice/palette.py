"""Colours read from the prompt, so that a grid of pictures looks like the sheet it came from."""

from __future__ import annotations

import colorsys
import hashlib
import re
from dataclasses import dataclass

Rgb = tuple[int, int, int]

WHITE: Rgb = (255, 255, 255)
INK: Rgb = (38, 40, 46)

_WORDS: dict[Rgb, str] = {
    (196, 58, 56): "red|crimson|scarlet|红色|大红|朱红|正红|中国红|枣红|红",
    (120, 32, 48): "burgundy|maroon|wine red|酒红",
    (233, 128, 140): "pink|rose|blush|coral|粉色|粉红|樱花粉|藕粉|珊瑚|玫瑰|粉",
    (232, 128, 52): "orange|tangerine|amber|橙色|橘色|琥珀|橙|橘",
    (240, 190, 62): "yellow|mustard|lemon|黄色|姜黄|鹅黄|明黄|柠檬|黄",
    (206, 164, 92): "gold|golden|brass|金色|黄铜|香槟",
    (86, 150, 92): "green|绿色|草绿|绿",
    (44, 92, 72): "emerald|forest green|dark green|墨绿|祖母绿|深绿",
    (142, 162, 132): "sage|olive|matcha|鼠尾草|橄榄|抹茶|豆绿",
    (112, 190, 180): "mint|teal|turquoise|薄荷|青色|湖绿|青",
    (62, 118, 190): "blue|cobalt|蓝色|宝蓝|海蓝|钴蓝|蓝",
    (36, 52, 92): "navy|indigo|midnight|denim|藏青|深蓝|靛蓝|牛仔|藏蓝",
    (142, 186, 222): "sky blue|light blue|pale blue|powder blue|天蓝|浅蓝|雾蓝|淡蓝",
    (128, 92, 168): "purple|violet|plum|紫色|葡萄紫|紫",
    (184, 168, 214): "lavender|lilac|薰衣草|香芋|淡紫",
    (126, 76, 60): "terracotta|rust|紫砂|赤陶|砖红",
    (132, 88, 58): "brown|walnut|chocolate|coffee|棕色|咖啡|胡桃|深棕|棕|褐",
    (190, 142, 96): "tan|camel|caramel|wooden|oak|bamboo|cork|驼色|焦糖|原木|橡木|竹|木",
    (222, 204, 176): "beige|sand|linen|oatmeal|khaki|米色|卡其|燕麦|亚麻|杏色",
    (244, 238, 226): "cream|ivory|off-white|奶油|米白|象牙|奶白",
    (246, 246, 244): "white|marble|纯白|白色|大理石|白",
    (150, 154, 160): "grey|gray|concrete|灰色|水泥|灰",
    (196, 200, 206): "silver|steel|chrome|银色|不锈钢|银",
    (52, 54, 60): "black|charcoal|graphite|黑色|曜石|炭黑|黑",
}
_BACKDROP_EN = (
    r"[\s\w-]{0,18}?\b(?:background|backdrop|wall|surface|studio|table|bedsheet|gradient)\b"
)
_BACKDROP_ZH = r"[^，。,;；\s]{0,6}?(?:背景|底色|底|墙|桌|台面|影棚|幕布|渐变)"

_FALLBACK: tuple[Rgb, ...] = (
    (204, 92, 74), (62, 118, 190), (86, 150, 92), (222, 168, 70), (128, 92, 168),
    (72, 152, 156), (214, 122, 132), (96, 104, 120), (170, 112, 72), (44, 92, 72),
)  # fmt: skip


_COLOUR_OF = {word: rgb for rgb, words in _WORDS.items() for word in words.split("|")}


def _any_colour() -> re.Pattern[str]:
    longest_first = sorted(_COLOUR_OF, key=len, reverse=True)
    words = (rf"\b{re.escape(w)}\b" if w.isascii() else re.escape(w) for w in longest_first)
    return re.compile("|".join(words), re.IGNORECASE)


_COLOUR = _any_colour()
_BACKDROP = re.compile(rf"(?:{_BACKDROP_EN}|{_BACKDROP_ZH})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Colours:
    """What one picture is painted with. ``top``/``bottom`` are the backdrop's ends, ``glow`` the
    shape behind the product; ``body`` the product itself; ``ink`` the text."""

    top: Rgb
    bottom: Rgb
    glow: Rgb
    body: Rgb
    trim: Rgb
    ink: Rgb


def mix(a: Rgb, b: Rgb, share: float) -> Rgb:
    """``share`` 0 is ``a``, 1 is ``b``."""
    return (
        round(a[0] + (b[0] - a[0]) * share),
        round(a[1] + (b[1] - a[1]) * share),
        round(a[2] + (b[2] - a[2]) * share),
    )


def luma(colour: Rgb) -> float:
    """Perceived brightness, 0 to 255."""
    return 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2]


def turn(colour: Rgb, degrees: float) -> Rgb:
    """The same colour with its hue turned on the wheel."""
    h, light, s = colorsys.rgb_to_hls(*(c / 255 for c in colour))
    r, g, b = colorsys.hls_to_rgb((h + degrees / 360) % 1.0, light, s)
    return round(r * 255), round(g * 255), round(b * 255)


def named(prompt: str) -> tuple[Rgb | None, Rgb | None]:
    """(product colour, backdrop colour) as the prompt names them; None where it doesn't."""
    hits = [
        (_COLOUR_OF[found[0].lower()], _BACKDROP.match(prompt, found.end()) is not None)
        for found in _COLOUR.finditer(prompt)
    ]
    body = next((rgb for rgb, behind in hits if not behind), None)
    backdrop = next((rgb for rgb, behind in hits if behind), None)
    return body, backdrop


def colours_for(prompt: str) -> Colours:
    """Every colour of the picture; the same prompt always gets the same."""
    digest = hashlib.sha256(prompt.encode()).digest()
    body, backdrop = named(prompt)
    if body is None:
        body = _FALLBACK[digest[0] % len(_FALLBACK)]
    if backdrop is None:
        grey = max(body) - min(body) < 24
        base = _FALLBACK[digest[1] % len(_FALLBACK)] if grey else body
        base = mix(turn(base, (digest[2] % 5 - 2) * 14), WHITE, 0.18)
    else:
        base = backdrop
    if backdrop is not None and luma(backdrop) < 90:
        top, bottom, glow = mix(base, WHITE, 0.22), mix(base, INK, 0.25), mix(base, WHITE, 0.34)
        ink = (244, 244, 242)
    elif luma(base) > 232:
        top, bottom, glow, ink = (250, 250, 248), (226, 228, 231), WHITE, INK
    else:
        top, bottom, glow = mix(base, WHITE, 0.86), mix(base, WHITE, 0.58), mix(base, WHITE, 0.93)
        ink = mix(INK, base, 0.12)
    if abs(luma(body) - luma(mix(top, bottom, 0.5))) < 22:
        # A white mug on a white table: the table gives way, or the mug could not be seen.
        top, bottom = mix(top, (150, 156, 166), 0.22), mix(bottom, (128, 134, 146), 0.36)
        glow = mix(glow, (170, 176, 186), 0.3)
    elif abs(luma(body) - luma(glow)) < 26:
        glow = mix(top, bottom, 0.8)
    trim = mix(body, WHITE, 0.72) if luma(body) < 150 else mix(body, (92, 78, 66), 0.62)
    return Colours(top, bottom, glow, body, trim, ink)
