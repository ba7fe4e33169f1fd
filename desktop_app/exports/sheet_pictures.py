"""Small copies of results for the cells of a workbook."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

from PIL import Image, ImageOps

from desktop_app.domain.reach import reachable
from desktop_app.exports.picture_check import MAX_PIXELS

BOX = 96
"""Pixels of the longer side."""

MOST = 5_000
"""More pictures than that, and no spreadsheet program opens the workbook in good time."""


class SheetPictures:
    """Makes JPEG files in a folder of its own, since a workbook takes its pictures in at its end;
    ``close`` removes them."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="batchwright-")
        self.made = 0

    @property
    def is_full(self) -> bool:
        """Whether enough were made."""
        return self.made >= MOST

    def of(self, output: str) -> Path | None:
        """The small copy of a result; None where it is no picture, is gone, or enough were made."""
        if self.is_full:
            return None
        small = Path(self._folder.name) / f"{self.made}.jpg"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", Image.DecompressionBombWarning)
                with Image.open(reachable(Path(output), 0)) as image:
                    if image.width * image.height > MAX_PIXELS:
                        return None
                    image.draft("RGB", (2 * BOX, 2 * BOX))
                    thumb = ImageOps.exif_transpose(image).convert("RGBA")
            thumb.thumbnail((BOX, BOX))
            paper = Image.new("RGB", thumb.size, "white")
            paper.paste(thumb, mask=thumb)
            paper.save(small, "JPEG", quality=80)
        except Exception:
            # Decoders raise whatever the bytes lead them to, and the link beside still works.
            return None
        self.made += 1
        return small

    def close(self) -> None:
        """Remove them."""
        self._folder.cleanup()
