"""The names of what a result leaves on its way, so that a crash can be read from a folder."""

from __future__ import annotations

import contextlib
import os
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from desktop_app.domain.attempt import Claim
from desktop_app.exports.placing import NOTE

PREFIX = ".bw-"
_PART, _WRITING = ".part", ".writing"
_ODD = re.compile(r"[^0-9A-Za-z]")
_PLACE = re.compile(r"_\d+of(\d+)\.")


@dataclass(frozen=True)
class Slot:
    """One result of an attempt: the ``number``-th (from 1) of an answer that holds ``of``. How
    many there are stands in each name, so that a crash can't make some pass for all."""

    claim: Claim
    number: int = 1
    of: int = 1

    @property
    def stem(self) -> str:
        """The output name reserved for it, relative to the folder, without an ending."""
        if self.number == 1:
            return self.claim.file_stem
        if self.number - 2 < len(self.claim.more_stems):
            return self.claim.more_stems[self.number - 2]
        return f"{self.claim.file_stem}-{self.number}"

    @cached_property
    def part(self) -> Path:
        """Its finished file before the commit: written, fsynced and verified."""
        place = "" if self.of == 1 else f"_{self.number}of{self.of}"
        return folder_of(self.claim) / f"{_base(self.claim)}{place}{_PART}"


def folder_of(claim: Claim) -> Path:
    """Where its results go."""
    return _folder(claim.out_dir)


@lru_cache(maxsize=16)
def _folder(out_dir: str) -> Path:
    return Path(out_dir)  # many rows go into one folder, which then is taken apart and hashed once


def slots(claim: Claim, of: int) -> list[Slot]:
    """Those of an answer with ``of`` results."""
    return [Slot(claim, number, of) for number in range(1, of + 1)]


def left_slots(claim: Claim) -> list[Slot]:
    """Those of an answer with several results of which this attempt left anything, else none."""
    base = _base(claim)
    for path in Path(claim.out_dir).glob(f"{base}_*"):
        found = _PLACE.match(path.name[len(base) :])
        if found is not None:
            return slots(claim, int(found[1]))
    return []


def part_of(claim: Claim) -> Path:
    """The finished file of an answer with one result."""
    return Slot(claim).part


def _base(claim: Claim) -> str:
    """The whole task id is in the name: the first digits of a time-ordered UUID are shared by all
    tasks of a batch."""
    task = _ODD.sub("", claim.task_id)
    return f"{PREFIX}{task}-{claim.edition}-{claim.attempt_no}"


def writing_of(part: Path) -> Path:
    """The same file while it is being written: worth nothing after a crash."""
    return part.with_suffix(_WRITING)


def drop(part: Path) -> None:
    """Remove all that one attempt left."""
    base = str(part).removesuffix(_PART)
    for ending in (_WRITING, _PART, NOTE):
        with contextlib.suppress(FileNotFoundError):
            # Every row passes here, and a Path for each costs more than all the rest.
            os.unlink(base + ending)  # noqa: PTH108
