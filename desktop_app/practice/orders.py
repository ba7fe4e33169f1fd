"""Reads what a request asks for and refuses what no provider would take."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from desktop_app.practice.drawing import FORMATS
from desktop_app.practice.shown import BadPicture, Shown, form_of, look, look_behind

_NAMED_SIZES = {"auto": (1024, 1024), "1k": (1024, 1024), "2k": (2048, 2048), "4k": (4096, 4096)}
_SIZE = re.compile(r"(\d{2,5})[x×*](\d{2,5})", re.IGNORECASE)
_SMALLEST, _LARGEST = 64, 4096
_MOST_SHOWN = 16

T = TypeVar("T")


class BadOrder(ValueError):
    """A request with a fault: ``text`` says which, ``param`` where, ``code`` in a word."""

    def __init__(self, text: str, param: str, code: str = "invalid_value") -> None:
        super().__init__(text)
        self.text = text
        self.param = param
        self.code = code


@dataclass(frozen=True, slots=True)
class PictureOrder:
    """``count`` pictures of ``width`` x ``height`` pixels as ``fmt``; ``by_url``: as addresses;
    ``shown``: the pictures they are made of; ``previews``: so many unfinished ones before each,
    in a stream (None: no stream)."""

    prompt: str
    model: str
    width: int
    height: int
    count: int
    fmt: str
    by_url: bool
    shown: tuple[Shown, ...] = ()
    previews: int | None = None


@dataclass(frozen=True, slots=True)
class CallbackWish:
    """Where to call when a job has ended; ``secret``: with what to sign, empty for not at all."""

    url: str
    secret: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class ChatOrder:
    """``prompt`` is the last thing the user said, ``shown`` what came with it; ``max_tokens`` None
    is no cap; ``count`` answers; ``streams``: word by word, and ``counts`` their tokens."""

    prompt: str
    model: str
    max_tokens: int | None
    count: int = 1
    shown: tuple[Shown, ...] = ()
    streams: bool = False
    counts: bool = False


def picture_order(body: Any) -> PictureOrder:
    """From the JSON of ``/v1/images/generations``. Raises BadOrder."""
    fields = _table(body)
    model = _model(fields)
    prompt = _prompt(fields.get("prompt"), "prompt")
    width, height = _size(fields.get("size"))
    count = _count(fields.get("n"))
    fmt = fields.get("output_format") or "png"
    if fmt not in FORMATS:
        raise BadOrder("Invalid 'output_format': expected png, jpeg or webp.", "output_format")
    wanted = fields.get("response_format") or "b64_json"
    if wanted not in ("b64_json", "url"):
        raise BadOrder("Invalid 'response_format': expected b64_json or url.", "response_format")
    by_url = wanted == "url"
    if by_url and fields.get("stream"):
        raise BadOrder("A stream holds its pictures: leave out 'response_format'.", "stream")
    previews = _previews(fields)
    return PictureOrder(prompt, model, width, height, count, str(fmt), by_url, previews=previews)


def callback_wish(body: Any) -> CallbackWish | None:
    """From the JSON of ``/v1/jobs``. Raises BadOrder."""
    fields = _table(body)
    url = fields.get("callback_url")
    if url is None:
        return None
    if not isinstance(url, str) or not url.startswith(("http://", "https://")):
        raise BadOrder("Invalid 'callback_url': expected an http address.", "callback_url")
    return CallbackWish(url, str(fields.get("callback_secret") or ""))


def edit_order(body: bytes, content_type: str) -> PictureOrder:
    """From the form of ``/v1/images/edits``. Raises BadOrder."""
    try:
        texts, files = form_of(body, content_type)
    except ValueError as error:
        text = "We could not parse the form of your request."
        raise BadOrder(text, "body", "invalid_form") from error
    count = texts.get("n", "1")
    fields: dict[str, Any] = {**texts, "n": int(count) if count.isdecimal() else count}
    fields["stream"] = texts.get("stream", "").lower() == "true"
    partial = texts.get("partial_images", "0")
    fields["partial_images"] = int(partial) if partial.isdecimal() else partial
    pictures = [content for name, content in files if name in ("image", "image[]")]
    if not 1 <= len(pictures) <= _MOST_SHOWN:
        raise BadOrder(f"Invalid 'image': expected 1 to {_MOST_SHOWN} files.", "image")
    return replace(picture_order(fields), shown=_shown(look, pictures, "image"))


def chat_order(body: Any) -> ChatOrder:
    """From the JSON of ``/v1/chat/completions``. Raises BadOrder."""
    fields = _table(body)
    model = _model(fields)
    messages = fields.get("messages")
    if not isinstance(messages, list) or not all(isinstance(m, Mapping) for m in messages):
        raise BadOrder("Missing required parameter: 'messages'.", "messages")
    said = [m.get("content") for m in messages if m.get("role") == "user"]
    content = said[-1] if said else None
    urls = _urls(content)
    if isinstance(content, list):
        parts = (p.get("text") for p in content if isinstance(p, Mapping))
        content = "\n".join(p for p in parts if isinstance(p, str))
    cap = fields.get("max_completion_tokens", fields.get("max_tokens"))
    if cap is not None and (not isinstance(cap, int) or isinstance(cap, bool) or cap < 1):
        raise BadOrder("Invalid 'max_tokens': expected a positive integer.", "max_tokens")
    prompt, count = _prompt(content, "messages"), _count(fields.get("n"))
    shown = _shown(look_behind, urls, "messages")
    options = fields.get("stream_options")
    counts = isinstance(options, Mapping) and bool(options.get("include_usage"))
    return ChatOrder(prompt, model, cap, count, shown, bool(fields.get("stream")), counts)


def _previews(fields: Mapping[str, Any]) -> int | None:
    count = fields.get("partial_images") or 0
    if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= 3:
        raise BadOrder(
            "Invalid 'partial_images': expected an integer from 0 to 3.", "partial_images"
        )
    return count if fields.get("stream") else None


def _urls(content: Any) -> list[str]:
    """The pictures beside what the user said."""
    if not isinstance(content, list):
        return []
    parts = [p.get("image_url") for p in content if isinstance(p, Mapping)]
    return [str(part.get("url") or "") for part in parts if isinstance(part, Mapping)]


def _shown(looking: Callable[[T], Shown], pictures: Sequence[T], param: str) -> tuple[Shown, ...]:
    try:
        return tuple(map(looking, pictures))
    except BadPicture as error:
        text = f"Invalid image: {error}."
        raise BadOrder(text, param, "invalid_image_file") from error


def _table(body: Any) -> Mapping[str, Any]:
    if not isinstance(body, Mapping):
        raise BadOrder("We could not parse the JSON body of your request.", "body", "invalid_json")
    return body


def _count(value: Any) -> int:
    count = 1 if value is None else value
    if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= 10:
        raise BadOrder("Invalid 'n': expected an integer from 1 to 10.", "n")
    return count


def _model(fields: Mapping[str, Any]) -> str:
    model = fields.get("model")
    if not isinstance(model, str) or not model:
        raise BadOrder("You must provide a model parameter.", "model", "missing_model")
    return model


def _prompt(value: Any, param: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise BadOrder(f"Missing required parameter: '{param}'.", param, "missing_prompt")
    if len(value) > 32_000:
        raise BadOrder(f"Invalid '{param}': longer than 32000 characters.", param, "too_long")
    return value


def _size(value: Any) -> tuple[int, int]:
    text = "auto" if value is None else str(value).strip()
    named = _NAMED_SIZES.get(text.lower())
    if named is not None:
        return named
    found = _SIZE.fullmatch(text)
    if found is None:
        raise BadOrder(f"Invalid size '{text[:40]}': expected WIDTHxHEIGHT.", "size")
    width, height = int(found[1]), int(found[2])
    if not (_SMALLEST <= width <= _LARGEST and _SMALLEST <= height <= _LARGEST):
        raise BadOrder(f"Invalid size '{text[:40]}': each side is 64 to 4096 pixels.", "size")
    return width, height
