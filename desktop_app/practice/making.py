"""Makes what was ordered, pictures and words, away from the loop where it takes long."""

from __future__ import annotations

import asyncio
import base64
import functools
import json
import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from desktop_app.practice import answers
from desktop_app.practice.drawing import FORMATS, Drawer
from desktop_app.practice.orders import ChatOrder, PictureOrder
from desktop_app.practice.previews import previews
from desktop_app.practice.shown import marks
from desktop_app.practice.streams import Pieces, of_chat, of_pictures
from desktop_app.practice.trouble import unmarked

_FILES_MAX_BYTES = 200_000_000

T = TypeVar("T")
U = TypeVar("U")


class Maker:
    """Belongs to the server's loop. ``font`` is the font file to draw prompts with. Raises OSError
    when it can't be read."""

    def __init__(self, font: Path) -> None:
        self._drawer = Drawer(font)
        self._pool = ThreadPoolExecutor(2, thread_name_prefix="practice-draw")
        self._files: OrderedDict[str, tuple[bytes, str]] = OrderedDict()
        self._files_bytes = 0

    def close(self) -> None:
        """Begin nothing more."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def beside(self, work: Callable[[T], U], of: T) -> U:
        """Do work that takes long."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, work, of)

    def make(
        self, order: PictureOrder | ChatOrder, base: str
    ) -> Callable[[bool], Awaitable[bytes]]:
        """What makes the body of a good answer, spoilt where it is told so; ``base`` is the
        server's address."""
        if isinstance(order, PictureOrder):
            return functools.partial(self._pictures, order, base)
        return functools.partial(_words, order)

    def cut_up(
        self, order: PictureOrder | ChatOrder
    ) -> Callable[[bytes], Awaitable[Pieces]] | None:
        """What makes a stream of that body, where one was ordered."""
        if isinstance(order, ChatOrder):
            return functools.partial(_in_words, order) if order.streams else None
        return None if order.previews is None else functools.partial(self._bit_by_bit, order)

    def file(self, name: str) -> tuple[bytes, str] | None:
        """A picture that an answer gave the address of, and its media type."""
        return self._files.get(name)

    async def _pictures(self, order: PictureOrder, base: str, spoilt: bool) -> bytes:
        said = unmarked(order.prompt)
        items = []
        for variant in range(order.count):
            data = await self.beside(
                lambda no: self._drawer.draw(
                    said, order.width, order.height, order.fmt, no, order.shown
                ),
                variant,
            )
            if spoilt and variant == order.count - 1:  # of a group one alone, as it happens
                data = b"\x89PNG\r\n\x1a\n" + b"this is no picture " * 40
            items.append({"url": base + self._keep(data, order.fmt)} if order.by_url
                         else answers.b64(data))  # fmt: skip
        return answers.images(items, f"{order.width}x{order.height}", order.fmt)

    async def _bit_by_bit(self, order: PictureOrder, body: bytes) -> Pieces:
        def cut_up(body: bytes) -> Pieces:
            found = (base64.b64decode(one["b64_json"]) for one in json.loads(body)["data"])
            unfinished = [previews(data, order.previews or 0) for data in found]
            kind = "image_edit" if order.shown else "image_generation"
            return of_pictures(body, unfinished, kind)

        return await self.beside(cut_up, body)

    def _keep(self, data: bytes, fmt: str) -> str:
        name = f"{secrets.token_urlsafe(18)}.{fmt}"
        self._files[name] = (data, FORMATS[fmt])
        self._files_bytes += len(data)
        while self._files_bytes > _FILES_MAX_BYTES:
            _, (oldest, _) = self._files.popitem(last=False)
            self._files_bytes -= len(oldest)
        return f"files/{name}"


async def _words(order: ChatOrder, spoilt: bool) -> bytes:
    prompt = unmarked(order.prompt)
    if order.shown:
        prompt = f"{prompt} [{marks(order.shown)}]"
    return answers.chat(
        order.model,
        prompt,
        order.max_tokens,
        count=order.count,
        text="" if spoilt else None,
        at_length=order.streams,
    )


async def _in_words(order: ChatOrder, body: bytes) -> Pieces:
    return of_chat(body, counts=order.counts)
