"""What crashed runs leave in a folder of results, told from what may still be a paid result."""

from __future__ import annotations

from pathlib import Path

from desktop_app.exports.placing import read_note
from desktop_app.exports.staging import SUFFIX as STAGED
from desktop_app.exports.staging import is_whole
from desktop_app.exports.temp_files import PREFIX


def sweep(folder: Path, before: float) -> int:
    """Remove what runs left that ended before ``before`` (epoch s); returns how many files went.

    A whole file that never got its name stays: it may be a paid result that nobody claimed.
    """
    gone = 0
    for path in list(folder.glob(f"{PREFIX}*")):
        if path.stat().st_mtime < before and _is_spent(path):
            path.unlink(missing_ok=True)
            gone += 1
    return gone


def _is_spent(path: Path) -> bool:
    if path.suffix == ".part":
        return path.stat().st_nlink > 1
    if path.suffix == STAGED:
        return not is_whole(path)
    if path.suffix == ".note":
        note = read_note(path)
        return note is None or not path.with_suffix(".part").exists()
    return True
