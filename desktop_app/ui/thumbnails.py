"""Pictures are read, scaled and cached in worker threads; the Qt thread only wraps their pixels."""

from __future__ import annotations

import asyncio
import hashlib
import io
import logging
import os
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage, QPixmap

from desktop_app.domain.reach import reachable

_log = logging.getLogger(__name__)

KEPT_BYTES = 12 << 20  # of pixmaps in memory: several screenfuls of any size
_SMOOTH = frozenset({"L", "LA", "RGB", "RGBA", "CMYK", "YCbCr"})
"""Modes that can be scaled as they are."""

WAITING = 96  # a screenful and a half; what scrolled away is forgotten


@dataclass(frozen=True, slots=True)
class Pixels:
    """A scaled picture as RGBA bytes; ``natural`` is the file's own size in pixels."""

    width: int
    height: int
    data: bytes
    natural: tuple[int, int]

    def pixmap(self, ratio: float = 1.0) -> QPixmap:
        """For the Qt thread: no decoding happens here."""
        image = QImage(
            self.data, self.width, self.height, self.width * 4, QImage.Format.Format_RGBA8888
        )
        pixmap = QPixmap.fromImage(image)
        pixmap.setDevicePixelRatio(ratio)
        return pixmap


def read_scaled(source: Path | io.BytesIO, longest: int) -> Pixels:
    """Decode, scale down to at most ``longest`` pixels. Raises OSError for what is no picture."""
    # Imported with the first picture: the first row on the screen waits for every import.
    from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        with Image.open(source) as opened:
            natural = opened.size
            # Made small before anything else: each step on the whole picture is a copy of it.
            small = opened if opened.mode in _SMOOTH else opened.convert("RGBA")
            small.thumbnail((longest, longest), Image.Resampling.LANCZOS)
            ImageOps.exif_transpose(small, in_place=True)
            image = small.convert("RGBA")
    except (UnidentifiedImageError, ValueError, SyntaxError, Image.DecompressionBombError) as why:
        raise OSError(f"not a picture: {getattr(source, 'name', '')}") from why
    return Pixels(image.width, image.height, image.tobytes(), natural)


def read_thumbnail(path: Path, longest: int, cache: Path) -> Pixels:
    """Like ``read_scaled``, through the cache folder; the cache is a convenience and may fail."""
    file = reachable(path, 0)
    stat = file.stat()
    name = hashlib.sha256(
        f"{path}\0{stat.st_mtime_ns}\0{stat.st_size}\0{longest}".encode()
    ).hexdigest()[:32]
    kept = cache / name[:2] / f"{name}.png"
    try:
        return read_scaled(kept, longest)
    except OSError:
        pixels = read_scaled(file, longest)
    from PIL import Image

    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        buffer = io.BytesIO()
        size = (pixels.width, pixels.height)
        Image.frombytes("RGBA", size, pixels.data).save(buffer, "PNG")
        half = kept.with_suffix(f".{os.getpid()}.part")
        half.write_bytes(buffer.getvalue())
        half.replace(kept)
    except OSError as why:
        _log.info("no thumbnail kept: %s", why)
    return pixels


class Thumbnails(QObject):
    """Thumbnails by path. ``ready`` fires when new ones can be painted.

    ``ratio`` is the screen's device pixel ratio; ``longest`` is in logical pixels.
    """

    ready = Signal()

    def __init__(
        self,
        spawn: Callable[[Coroutine[Any, Any, Any]], object],
        cache: Path,
        longest: int,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._spawn = spawn
        self._cache = cache
        self._longest = longest
        self._kept: OrderedDict[tuple[str, float], QPixmap | None] = OrderedDict()
        self._bytes = 0
        self._waiting: OrderedDict[tuple[str, float], None] = OrderedDict()
        self._working = False

    def get(self, path: str, ratio: float) -> QPixmap | None:
        """The thumbnail if it is at hand; otherwise it is fetched, the last asked for first."""
        key = (path, ratio)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        self._waiting[key] = None
        self._waiting.move_to_end(key)
        while len(self._waiting) > WAITING:
            self._waiting.popitem(last=False)
        if not self._working:
            self._working = True
            self._spawn(self._work())
        return None

    def _keep(self, key: tuple[str, float], pixmap: QPixmap | None) -> None:
        self._kept[key] = pixmap
        self._bytes += _bytes(pixmap)
        while self._bytes > KEPT_BYTES and len(self._kept) > 1:
            _, gone = self._kept.popitem(last=False)
            self._bytes -= _bytes(gone)

    async def _work(self) -> None:
        # A thread of its own: in the pool each of many would keep the memory of its last picture.
        # It ends with the work, so that none outlives its window.
        thread = ThreadPoolExecutor(1, "thumbnails")
        try:
            while self._waiting:
                key, _ = self._waiting.popitem(last=True)
                path, ratio = key
                pixmap: QPixmap | None = None
                try:
                    size = round(self._longest * ratio)
                    work = partial(read_thumbnail, Path(path), size, self._cache)
                    pixels = await asyncio.get_running_loop().run_in_executor(thread, work)
                    pixmap = pixels.pixmap(ratio)
                except OSError as why:
                    _log.info("no thumbnail: %s", why)
                self._keep(key, pixmap)
                self.ready.emit()
        finally:
            thread.shutdown(wait=False)
            self._working = False


def _bytes(pixmap: QPixmap | None) -> int:
    """What it takes in memory; a picture that can't be shown is remembered as well."""
    return 1_000 if pixmap is None else pixmap.width() * pixmap.height() * 4
