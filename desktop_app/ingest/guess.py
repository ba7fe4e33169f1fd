"""What the columns are likely to mean, by their names alone: most sheets need no mapping."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_PROMPT = (
    "prompt",
    "prompts",
    "提示词",
    "提示詞",
    "提示",
    "提示語",
    "提示语",
    "プロンプト",
    "画面描述",
    "图片描述",
    "描述",
    "description",
    "instruction",
    "指令",
    "question",
    "问题",
    "query",
    "text",
    "文本",
    "文案",
    "内容",
    "content",
)
_KEY = (
    "sku",
    "货号",
    "編碼",
    "编码",
    "商品编码",
    "款号",
    "商品货号",
    "编号",
    "productid",
    "itemid",
    "id",
)
_PARAMS: Mapping[str, tuple[str, ...]] = {
    "size": ("size", "imagesize", "尺寸", "图片尺寸", "分辨率", "resolution"),
    "quality": ("quality", "质量", "画质"),
    "background": ("background", "背景"),
    "output_format": ("outputformat", "format", "格式", "图片格式", "输出格式"),
    "seed": ("seed", "种子", "随机种子"),
    "system": ("system", "systemprompt", "系统提示词", "系统提示"),
    "temperature": ("temperature", "温度"),
    "reference": (
        "reference",
        "references",
        "referencepicture",
        "referenceimage",
        "参考图",
        "参考图片",
        "垫图",
        "原图",
    ),
    "max_tokens": ("maxtokens", "最大长度", "最大字数"),
}
_NOT_PROMPT = re.compile(r"neg|反|负|ネガ|system|系统|システム")
_NAMES_PROMPTS = ("prompt", "提示词", "プロンプト")
_LONGEST_NAME = 30
_PARTED = re.compile(r"[,;|\t，；]")
_NOISE = re.compile(r"[\s_\-.:：*＊]+|[(（].*?[)）]")


def guess_columns(columns: Sequence[str]) -> dict[str, str]:
    """Keys ``prompt``, ``key`` and parameter names; values are columns. What nothing hints at is
    left out. A lane is never guessed, because it slows the batch down, nor a model: in a sheet of
    wares that is the article's."""
    plain = {_plain(column): column for column in reversed(columns)}
    guess: dict[str, str] = {}
    prompt = _first(plain, _PROMPT) or _containing(plain)
    if prompt is None and len(columns) == 1:
        prompt = columns[0]
    if prompt is not None:
        guess["prompt"] = prompt
    key = _first(plain, _KEY)
    if key is not None and key != prompt:
        guess["key"] = key
    for param, names in _PARAMS.items():
        column = _first(plain, names)
        if column is not None:
            guess[param] = column
    return guess


def names_prompts(cell: str) -> bool:
    """Whether a cell is a name for prompts, and too short to be one of them."""
    if len(cell) > _LONGEST_NAME or _PARTED.search(cell):
        return False
    plain = _plain(cell)
    ends = plain.removesuffix("s").endswith(_NAMES_PROMPTS) and not _NOT_PROMPT.search(plain)
    return ends or plain in _PROMPT


def _plain(column: str) -> str:
    return _NOISE.sub("", column.casefold())


def _first(plain: Mapping[str, str], names: Sequence[str]) -> str | None:
    return next((plain[name] for name in names if name in plain), None)


def _containing(plain: Mapping[str, str]) -> str | None:
    """``商品提示词``, ``image prompt``; but not a negative one."""
    hits = (
        column
        for name, column in plain.items()
        if any(word in name for word in _NAMES_PROMPTS) and not _NOT_PROMPT.search(name)
    )
    return next(hits, None)
