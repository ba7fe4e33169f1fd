"""Result and failure sheets: the sheet's own columns first, unchanged."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Exported:
    """``path`` is where it went (``name-2`` when the target was locked)."""

    path: Path
    rows: int
    renamed: bool


class ExportBatch:
    """SIGNATURES; bodies follow. The format follows the suffix: .xlsx, .csv, .jsonl."""

    async def results(self, batch_id: int, target: Path) -> Exported:
        """Every row of the batch."""
        raise NotImplementedError

    async def failures(self, batch_id: int, target: Path) -> Exported:
        """Dead letters only."""
        raise NotImplementedError
