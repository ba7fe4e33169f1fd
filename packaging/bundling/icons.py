"""The one drawing of the icon in every size and form that a desktop asks for."""

from __future__ import annotations

import os
from pathlib import Path

SIZES = (16, 22, 24, 32, 48, 64, 128, 256, 512)
_WINDOWS = (16, 24, 32, 48, 64, 128, 256)


def render(drawing: Path, target: Path) -> None:
    """Write ``SIZE.png`` for all sizes, ``batchwright.ico`` and ``batchwright.icns``."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PIL import Image
    from PySide6.QtGui import QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    target.mkdir(parents=True, exist_ok=True)
    renderer = QSvgRenderer(str(drawing))
    drawn: dict[int, Image.Image] = {}
    for size in (*SIZES, 1024):
        image = QImage(size, size, QImage.Format.Format_ARGB32)
        image.fill(0)
        painter = QPainter(image)
        renderer.render(painter)
        painter.end()
        file = target / f"{size}.png"
        image.save(str(file))
        drawn[size] = Image.open(file)
        drawn[size].load()
        drawn[size].save(file, optimize=True)
    # Each size is drawn by itself: a large one scaled down is mud at 16 pixels.
    drawn[256].save(
        target / "batchwright.ico",
        sizes=[(size, size) for size in _WINDOWS],
        append_images=[drawn[size] for size in _WINDOWS if size != 256],
    )
    drawn[1024].save(
        target / "batchwright.icns",
        append_images=[drawn[size] for size in (32, 64, 128, 256, 512)],
    )
