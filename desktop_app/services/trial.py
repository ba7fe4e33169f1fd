"""Which rows are tried before the rest may run: picked while the sheet streams by, so that the rows
that are shown are the rows that will run."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from desktop_app.domain.batch import LaneOnDead
from desktop_app.domain.text import Message, OperatorError, message

MOST = 1_000
"""A trial is there to be looked at."""

_SHOWN = 200
_NAMED = 10


class Pick(StrEnum):
    """How the rows of a trial are chosen."""

    FIRST = "first"
    RANDOM = "random"
    CHOSEN = "chosen"


@dataclass(frozen=True, slots=True)
class Trial:
    """``count`` usable rows, the first ones or random ones by ``seed``; or those of ``rows`` (row
    numbers as Excel shows them)."""

    pick: Pick = Pick.FIRST
    count: int = 3
    seed: int = 0
    rows: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class TrialRow:
    """``prompt`` is cut to 200 characters."""

    row_no: int
    prompt: str

    @classmethod
    def of(cls, row_no: int, prompt: str) -> Self:
        """The row as it is shown."""
        return cls(row_no, prompt[:_SHOWN])


def rows_of(text: str) -> frozenset[int]:
    """``3, 7-9`` as row numbers. Raises OperatorError for what is none, and for too many."""
    found: set[int] = set()
    for part in text.replace("，", ",").replace("、", ",").split(","):
        first, dash, last = (piece.strip() for piece in part.replace("–", "-").partition("-"))
        if not first and not dash:
            continue
        if not _is_number(first) or (dash and not _is_number(last)):
            raise OperatorError(message("services.bad_rows", text=part.strip()))
        start, end = int(first), int(last or first)
        if end < start:
            raise OperatorError(message("services.bad_rows", text=part.strip()))
        if end - start >= MOST or len(found) + end - start >= MOST:
            raise OperatorError(message("services.trial_many", most=f"{MOST:,}"))
        found.update(range(start, end + 1))
    return frozenset(found)


def spelled(rows: Iterable[int]) -> str:
    """Row numbers as ``rows_of`` reads them: ``3, 7-9``."""
    parts: list[list[int]] = []
    for row in sorted(rows):
        if parts and row == parts[-1][-1] + 1:
            parts[-1][1:] = [row]
        else:
            parts.append([row])
    return ", ".join("-".join(map(str, part)) for part in parts)


def spelled_first(rows: Sequence[int], most: int, *, of: int) -> str:
    """The first ``most`` of ``of`` row numbers, ``rows`` being the first that are known:
    ``3, 7-9, …``."""
    return spelled(rows[:most]) + (", …" if of > most else "")


class Picker:
    """Sees every row that is imported, in sheet order, and knows at the end which are tried.

    A row whose lane has an earlier row outside the trial would wait for it for ever: random ones
    are never such, and a chosen one is a problem.
    """

    def __init__(self, trial: Trial, lane_on_dead: LaneOnDead) -> None:
        self._trial = trial
        self._stops = lane_on_dead is LaneOnDead.STOP
        self._random = random.Random(trial.seed)  # noqa: S311 - the same rows each time
        self._seen = 0
        self._picked: list[TrialRow] = []
        self._held_by: dict[str, int] = {}
        self._unusable: list[int] = []
        self._waiting: tuple[int, int] | None = None

    def see(self, row_no: int, prompt: str | None, lane: str | None) -> None:
        """One row; ``prompt`` None is one that can't be used."""
        pick = self._trial.pick
        if prompt is None:
            if pick is Pick.CHOSEN and row_no in self._trial.rows:
                self._unusable.append(row_no)
            if lane is not None and self._stops:
                self._held_by.setdefault(lane, row_no)
        elif pick is Pick.FIRST:
            if len(self._picked) < self._trial.count:
                self._picked.append(TrialRow.of(row_no, prompt))
        elif pick is Pick.CHOSEN:
            self._see_chosen(row_no, prompt, lane)
        else:
            self._see_random(row_no, prompt, lane)

    def rows(self) -> tuple[TrialRow, ...]:
        """The rows of the trial, in sheet order."""
        return tuple(sorted(self._picked, key=lambda row: row.row_no))

    def problem(self) -> Message | None:
        """Why the chosen rows can't be tried, or None."""
        if self._trial.pick is not Pick.CHOSEN:
            return None
        if self._unusable:
            named = spelled(self._unusable[:_NAMED])
            return message("services.trial_unusable", rows=named)
        missing = self._trial.rows - {row.row_no for row in self._picked}
        if missing:
            return message("services.trial_missing", rows=spelled(sorted(missing)[:_NAMED]))
        if self._waiting is not None:
            row, before = self._waiting
            return message("services.trial_waits", row=row, before=before)
        return None

    def _see_chosen(self, row_no: int, prompt: str, lane: str | None) -> None:
        if row_no not in self._trial.rows:
            if lane is not None:
                self._held_by.setdefault(lane, row_no)
            return
        self._picked.append(TrialRow.of(row_no, prompt))
        before = None if lane is None else self._held_by.get(lane)
        if before is not None and self._waiting is None:
            self._waiting = (row_no, before)

    def _see_random(self, row_no: int, prompt: str, lane: str | None) -> None:
        if lane is not None and self._held_by.setdefault(lane, row_no) != row_no:
            return
        self._seen += 1
        if len(self._picked) < self._trial.count:
            self._picked.append(TrialRow.of(row_no, prompt))
            return
        at = int(self._random.random() * self._seen)
        if at < self._trial.count:
            self._picked[at] = TrialRow.of(row_no, prompt)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10
