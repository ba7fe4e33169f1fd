"""The names of what a result leaves on its way, so that a crash can be read from a folder."""

from __future__ import annotations

import re
from pathlib import Path

from desktop_app.domain.attempt import Claim
from desktop_app.exports.placing import note_of, read_note

PREFIX = ".bw-"
_ODD = re.compile(r"[^0-9A-Za-z]")


def part_of(claim: Claim) -> Path:
    """The attempt's finished file before its commit: written, fsynced and verified.

    The whole task id is in the name: the first digits of a time-ordered UUID are shared by all
    tasks of a batch.
    """
    task = _ODD.sub("", claim.task_id)
    return Path(claim.out_dir) / f"{PREFIX}{task}-{claim.edition}-{claim.attempt_no}.part"


def writing_of(part: Path) -> Path:
    """The same file while it is being written: worth nothing after a crash."""
    return part.with_suffix(".writing")


def drop(part: Path) -> None:
    """Remove all that one attempt left."""
    for path in (writing_of(part), part, note_of(part)):
        path.unlink(missing_ok=True)


def sweep(folder: Path, before: float) -> int:
    """Remove what runs left that ended before ``before`` (epoch s); returns how many files went.

    A finished file that never got its name stays: it may be a paid result that nobody claimed.
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
    if path.suffix == ".note":
        note = read_note(path)
        return note is None or not path.with_suffix(".part").exists()
    return True
