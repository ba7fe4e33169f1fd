"""Mappings that were used or saved before: what a person has told once about a kind of sheet is
not asked for again."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from desktop_app.domain.mapping_file import (
    MOST_BYTES,
    MappingPreset,
    cleaned_name,
    fitted,
    from_json,
    header_key,
    read,
    to_json,
    written,
)
from desktop_app.domain.ports import MappingShelf
from desktop_app.domain.safe_names import fold, numbered
from desktop_app.domain.text import OperatorError, message
from desktop_app.services.preferences import Preferences

_LAST_USED = "mappings"
_MOST = 100
"""Sets of columns whose mapping is remembered."""


class Mappings:
    """Every method but ``last`` and ``remember`` waits for the disk. Raises OperatorError."""

    def __init__(self, shelf: MappingShelf, preferences: Preferences) -> None:
        self._shelf = shelf
        self._preferences = preferences

    def last(self, columns: Sequence[str]) -> MappingPreset | None:
        """The mapping used last for these columns, in whatever order; ``name`` says which preset
        it was, or is a dash."""
        found = self._remembered().get(header_key(columns))
        try:
            return None if found is None else fitted(from_json(found, "-"), columns)
        except OperatorError:
            return None

    def known_row(self, headers: Sequence[tuple[int, Sequence[str]]]) -> int | None:
        """Of the rows of a sheet that could name its columns (see ``Sheets.headers``) the first
        whose names a mapping is remembered for. None: none is known."""
        known = self._remembered()
        return next((row for row, columns in headers if header_key(columns) in known), None)

    def remember(self, columns: Sequence[str], preset: MappingPreset) -> None:
        """It was used for these columns."""
        known = self._remembered()
        key = header_key(columns)
        kept = [(name, said) for name, said in known.items() if name != key]
        newest = dict([*kept, (key, to_json(preset))][-_MOST:])
        # The file sorts its keys: their order is kept beside them.
        self._preferences.set(_LAST_USED, {"order": list(newest), "by_columns": newest})

    async def presets(self) -> list[MappingPreset]:
        """The saved ones, by name."""
        return await asyncio.to_thread(self._shelf.all)

    async def get(self, name: str) -> MappingPreset:
        """The saved one of this name; case does not count."""
        presets = await self.presets()
        wanted = fold(" ".join(name.split()))
        found = next((preset for preset in presets if fold(preset.name) == wanted), None)
        if found is None:
            if not presets:
                raise OperatorError(message("mappings.no_presets", name=name))
            known = [preset.name for preset in presets]
            raise OperatorError(message("mappings.no_preset", name=name, known=known))
        return found

    async def save(self, preset: MappingPreset, *, replaces: bool) -> MappingPreset:
        """As it was saved; one of that name is only replaced where that is meant."""
        preset = replace(preset, name=cleaned_name(preset.name))
        if not replaces and fold(preset.name) in map(fold, await self._names()):
            raise OperatorError(message("mappings.name_taken", name=preset.name))
        await asyncio.to_thread(self._shelf.save, preset)
        return preset

    async def rename(self, name: str, new: str) -> MappingPreset:
        """The one with its new name."""
        preset = await self.get(name)
        is_same = fold(cleaned_name(new)) == fold(preset.name)
        renamed = await self.save(replace(preset, name=new), replaces=is_same)
        if not is_same:
            await asyncio.to_thread(self._shelf.remove, preset.name)
        return renamed

    async def remove(self, name: str) -> None:
        """Forget a saved one."""
        await asyncio.to_thread(self._shelf.remove, (await self.get(name)).name)

    async def read_file(self, path: Path) -> MappingPreset:
        """What a file holds; it is not saved by that."""

        def load() -> bytes:
            with path.open("rb") as file:
                return file.read(MOST_BYTES + 1)

        try:
            data = await asyncio.to_thread(load)
        except OSError as error:
            reason = error.strerror or str(error)
            raise OperatorError(
                message("mappings.unreadable", file=path.name, reason=reason)
            ) from error
        return read(data, path.name)

    async def write_file(self, preset: MappingPreset, path: Path, *, replaces: bool) -> Path:
        """For a colleague, or for ``run --map``; returns where it went: a file that is there is
        only replaced where that is meant, else ``name-2`` is written beside it."""
        try:
            if not replaces:
                return await asyncio.to_thread(_write_beside, path, written(preset))
            await asyncio.to_thread(path.write_bytes, written(preset))
        except OSError as error:
            reason = error.strerror or str(error)
            raise OperatorError(
                message("mappings.unwritable", file=path.name, reason=reason)
            ) from error
        return path

    async def _names(self) -> list[str]:
        return [preset.name for preset in await self.presets()]

    def _remembered(self) -> dict[str, Any]:
        """Oldest first; what the settings hold may be anything."""
        kept = self._preferences.get(_LAST_USED)
        if not isinstance(kept, dict):
            return {}
        order, known = kept.get("order"), kept.get("by_columns")
        if not isinstance(order, list) or not isinstance(known, dict):
            return {}
        return {key: known[key] for key in order if isinstance(key, str) and key in known}


def _write_beside(path: Path, data: bytes) -> Path:
    names = (numbered(path.stem, n, path.suffix) for n in itertools.count(2))
    for name in itertools.chain([path.name], names):
        beside = path.with_name(name)
        try:
            with beside.open("xb") as file:
                file.write(data)
        except FileExistsError:
            continue
        return beside
    raise AssertionError  # there is no last number
