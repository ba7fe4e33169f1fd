"""What is too long for a cell goes whole into a file beside the sheet, and the cell says which."""

from __future__ import annotations

import hashlib
from pathlib import Path

from desktop_app.domain.safe_names import cut, safe_name

_NAME_BYTES = 60
_FOLDER_BYTES = 200


class LongTexts:
    """Files in a folder named after ``target``, made when the first is needed. A name holds a part
    of its content's hash: what an earlier export left under it is the same text, and a sheet that
    somebody has open keeps its own. Raises OSError."""

    def __init__(self, target: Path) -> None:
        self._parent = target.parent
        self._folder = cut(safe_name(target.stem, _FOLDER_BYTES), _FOLDER_BYTES) + "_texts"

    def put(self, row_no: int, column: str, text: str) -> str:
        """Write a text in UTF-8 (with a mark, for Windows' own editor); returns its path relative
        to the sheet's folder, with ``/``."""
        data = text.encode("utf-8-sig", "replace")
        digest = hashlib.sha256(data).hexdigest()[:12]
        name = f"{row_no:04d}_{safe_name(column, _NAME_BYTES)}_{digest}.txt"
        folder = self._parent / self._folder
        folder.mkdir(exist_ok=True)
        file = folder / name
        if not (file.is_file() and file.read_bytes() == data):
            file.write_bytes(data)
        return f"{self._folder}/{name}"
