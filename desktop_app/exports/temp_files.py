"""The names of what a result leaves on its way, so that a crash can be read from a folder."""

from __future__ import annotations

import re
from pathlib import Path

from desktop_app.domain.attempt import Claim
from desktop_app.exports.placing import note_of

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
