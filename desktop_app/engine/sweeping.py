"""Removes what killed programs left half written in the output folders, and needs nobody for it."""

from __future__ import annotations

import logging

from desktop_app.domain.errors import LocalTrouble
from desktop_app.domain.ports import ResultFiles

_log = logging.getLogger(__name__)


class Sweeping:
    """Whoever asks knows that no row needs what lies there."""

    def __init__(self, files: ResultFiles) -> None:
        self._files = files
        self._swept: set[str] = set()

    async def once(self, out_dir: str) -> None:
        """Sweep a folder unless this process has."""
        if out_dir not in self._swept:
            await self.sweep(out_dir)

    async def sweep(self, out_dir: str) -> None:
        """Sweep a folder."""
        self._swept.add(out_dir)
        try:
            await self._files.sweep(out_dir)
        except LocalTrouble:
            _log.warning("what the last run left in the output folder could not be removed")
