"""A batch is one imported sheet with its mapping, connection and output folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Any

from desktop_app.domain.money import Money
from desktop_app.domain.text import Message


class BatchStage(IntEnum):
    """IMPORTING batches are ignored by the engine until one commit seals them. Never renumber."""

    IMPORTING = 0
    SEALED = 1


class RunState(IntEnum):
    """Whether the engine may claim from the batch. Stored; never renumber."""

    IDLE = 0  # never started
    RUNNING = 1
    PAUSED = 2  # by a person, a restart, a cap; see pause_reason


class BatchPriority(IntEnum):
    """Which batches of one account go first: a lower one has what the higher ones leave, and equal
    ones take turns. Stored; never renumber."""

    LOW = -1
    NORMAL = 0
    HIGH = 1

    @property
    def word(self) -> str:
        """As it is written in a command, in lower case."""
        return self.name.lower()


class LaneOnDead(StrEnum):
    """Whether a dead letter at the head of a lane lets the lane go on."""

    GO = "go"
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class SheetMapping:
    """How the sheet's columns become requests.

    Exactly one of ``prompt_column`` and ``template`` (text with ``{{column}}``) is set.
    ``params`` are fixed values or ``@column`` references, by parameter name. ``output_name`` is a
    pattern for file names (``filing.NameTemplate``; None: row number and key or prompt),
    ``subfolder`` a fixed text or an ``@column`` reference, in which slashes make levels.
    """

    prompt_column: str | None = None
    template: str | None = None
    params: Mapping[str, str] = field(default_factory=dict)
    lane_column: str | None = None
    key_column: str | None = None
    priority_column: str | None = None
    output_name: str | None = None
    subfolder: str | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch as stored. ``columns`` are the sheet's headers in order, unique.

    ``fingerprint`` is a hash of sheet bytes, mapping, connection and output parent: the same
    run again is recognised by it. ``sheet_hash`` is SHA-256 of the sheet's bytes alone.
    ``row_gate``: only rows with ``row_no`` <= gate may be claimed (the trial); None opens all.
    While there is a gate and ``options`` has ``open_rows`` (row numbers), those alone may be.
    ``max_calls`` caps attempts of the batch, ``budget`` what they may cost in all, those that may
    have been billed included; None is no cap.
    """

    id: int
    name: str
    sheet_path: str
    sheet_hash: str
    fingerprint: str
    columns: tuple[str, ...]
    mapping: SheetMapping
    connection_id: int
    out_dir: str
    created_at: float
    stage: BatchStage = BatchStage.SEALED
    run_state: RunState = RunState.IDLE
    pause_reason: Message | None = None
    lane_on_dead: LaneOnDead = LaneOnDead.GO
    row_gate: int | None = None
    max_calls: int | None = None
    started_at: float | None = None
    finished_at: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    budget: Money | None = None
    priority: BatchPriority = BatchPriority.NORMAL
