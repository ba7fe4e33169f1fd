"""Thumbnails are made off the Qt thread, kept on disk, and a broken file costs nothing."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from PySide6.QtWidgets import QApplication

from desktop_app.ui import thumbnails
from desktop_app.ui.tasks import Spawner
from desktop_app.ui.thumbnails import Thumbnails, read_scaled, read_thumbnail
from tests.ui.conftest import Run, until


def _picture(path: Path, size: tuple[int, int] = (400, 200)) -> Path:
    Image.new("RGB", size, (200, 30, 30)).save(path)
    return path


def test_scaled_keeps_the_shape_and_tells_the_natural_size(tmp_path: Path) -> None:
    pixels = read_scaled(_picture(tmp_path / "a.png"), 100)
    assert (pixels.width, pixels.height, pixels.natural) == (100, 50, (400, 200))
    assert pixels.data[:4] == bytes((200, 30, 30, 255))


@pytest.mark.parametrize("kind", ["RGB", "P", "1", "I;16", "LA"])
@pytest.mark.parametrize("turned", [False, True])
def test_every_kind_is_scaled_and_turned_as_it_was_taken(
    tmp_path: Path, kind: str, turned: bool
) -> None:
    path = tmp_path / "a.png"
    exif = Image.Exif()
    exif[0x0112] = 6 if turned else 1  # "rotate by 90 degrees"
    Image.new(kind, (400, 200)).save(path, exif=exif)
    pixels = read_scaled(path, 100)
    assert (pixels.width, pixels.height) == ((50, 100) if turned else (100, 50))
    assert len(pixels.data) == 50 * 100 * 4


def test_a_second_read_comes_from_the_cache_and_a_changed_file_does_not(tmp_path: Path) -> None:
    path, cache = _picture(tmp_path / "a.png"), tmp_path / "cache"
    first = read_thumbnail(path, 64, cache)
    kept = list(cache.rglob("*.png"))
    assert len(kept) == 1
    Image.new("RGB", (64, 32), (1, 2, 3)).save(kept[0])
    assert read_thumbnail(path, 64, cache).data[:3] == bytes((1, 2, 3))
    _picture(path, (300, 300))
    assert read_thumbnail(path, 64, cache).height == 64
    assert first.height == 32


@pytest.mark.parametrize("content", [b"", b"no picture", b"\x89PNG\r\n\x1a\n" + b"0" * 50])
def test_what_is_no_picture_is_an_os_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(content)
    with pytest.raises(OSError, match=r"(?i)picture|truncated"):
        read_scaled(path, 64)


def test_a_cache_that_cannot_be_written_is_no_failure(tmp_path: Path) -> None:
    blocked = tmp_path / "cache"
    blocked.write_text("a file where the folder should be")
    assert read_thumbnail(_picture(tmp_path / "a.png"), 64, blocked).width == 64


def test_decoding_happens_in_a_worker_thread(
    qapp: QApplication, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[Any] = []

    def spy(path: Path, longest: int, cache: Path) -> Any:
        threads.append(threading.get_ident())
        return read_thumbnail(path, longest, cache)

    monkeypatch.setattr(thumbnails, "read_thumbnail", spy)
    path = str(_picture(tmp_path / "a.png"))
    broken = str(tmp_path / "gone.png")

    async def go() -> None:
        store = Thumbnails(Spawner(lambda said: None), tmp_path / "cache", 32)
        ready: list[int] = []
        store.ready.connect(lambda: ready.append(1))
        assert store.get(path, 2.0) is None
        assert store.get(broken, 2.0) is None
        await until(lambda: len(ready) == 2)
        pixmap = store.get(path, 2.0)
        assert pixmap is not None
        assert (pixmap.width(), pixmap.devicePixelRatio()) == (64, 2.0)
        assert store.get(broken, 2.0) is None
        await asyncio.sleep(0)
        assert len(threads) == 2  # a broken file is not tried again and again

    run(go())
    assert threading.get_ident() not in threads
    assert len(set(threads)) == 1  # each thread would keep the memory of its last picture
