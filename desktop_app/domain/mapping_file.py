"""A mapping under a name, and as the file that colleagues hand to each other: columns, texts and
values alone, never an account, a key or a folder of this machine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from desktop_app.domain.batch import LaneOnDead, SheetMapping
from desktop_app.domain.columns import named, place_of
from desktop_app.domain.safe_names import safe_folders
from desktop_app.domain.text import OperatorError, message

SUFFIX = ".json"
MOST_BYTES = 1_000_000
"""A longer file is no mapping."""

LONGEST_NAME = 80

_VERSION_KEY = "batchwright_mapping"
_VERSION = 1
_LANE_KEY = "lane_on_dead"
_ROW_KEY = "header_row"


@dataclass(frozen=True, slots=True)
class MappingPreset:
    """``name`` is not blank, on one line, at most LONGEST_NAME characters. ``header_row`` is where
    such sheets name their columns, None where nothing stands above."""

    name: str
    mapping: SheetMapping
    lane_on_dead: LaneOnDead = LaneOnDead.GO
    header_row: int | None = None


def written(preset: MappingPreset) -> bytes:
    """The whole file."""
    text = json.dumps(to_json(preset), ensure_ascii=False, indent=2) + "\n"
    return text.encode("utf-8", "replace")


def read(data: bytes, file: str) -> MappingPreset:
    """What ``written`` wrote; ``file`` is its name, for sentences. Raises OperatorError."""
    try:
        found = json.loads(data.decode("utf-8-sig")) if len(data) <= MOST_BYTES else None
    except (ValueError, RecursionError):
        found = None
    return from_json(found, file)


def to_json(preset: MappingPreset) -> dict[str, Any]:
    """Plain values; what is not chosen is left out."""
    mapping = preset.mapping
    said: dict[str, Any] = {
        field.name: value
        for field in fields(mapping)
        if (value := getattr(mapping, field.name)) is not None
    }
    said["params"] = dict(mapping.params)
    if mapping.subfolder and not mapping.subfolder.startswith("@"):
        said["subfolder"] = "/".join(safe_folders(mapping.subfolder))
    said[_LANE_KEY] = preset.lane_on_dead.value
    if preset.header_row is not None:
        said[_ROW_KEY] = preset.header_row
    return {_VERSION_KEY: _VERSION, "name": preset.name, "mapping": said}


def from_json(found: object, file: str) -> MappingPreset:
    """What ``to_json`` made. Raises OperatorError."""
    version = found.get(_VERSION_KEY) if isinstance(found, dict) else None
    if not isinstance(found, dict) or type(version) is not int:
        raise OperatorError(message("mappings.not_one", file=file))
    if version > _VERSION:
        raise OperatorError(message("mappings.newer", file=file))
    said = found.get("mapping")
    for what in found.keys() - {_VERSION_KEY, "name", "mapping"}:
        raise _wrong(file, what)
    if not isinstance(said, dict):
        raise _wrong(file, "mapping")
    known = {field.name for field in fields(SheetMapping)}
    for what, value in said.items():
        if what == "params":
            is_right = isinstance(value, dict) and all(isinstance(v, str) for v in value.values())
        elif what == _LANE_KEY:
            is_right = value in list(LaneOnDead)
        elif what == _ROW_KEY:
            is_right = type(value) is int and value > 0
        else:
            is_right = what in known and isinstance(value, str)
        if not is_right:
            raise _wrong(file, what)
    if ("prompt_column" in said) == ("template" in said):
        raise _wrong(file, "prompt_column, template")
    mapping = SheetMapping(**{what: value for what, value in said.items() if what in known})
    lane = LaneOnDead(said.get(_LANE_KEY, LaneOnDead.GO))
    name = cleaned_name(found.get("name") or file)
    return MappingPreset(name, mapping, lane, said.get(_ROW_KEY))


def cleaned_name(name: object) -> str:
    """A preset's name as it is kept. Raises OperatorError where nothing is left of it."""
    text = " ".join(name.split())[:LONGEST_NAME].strip() if isinstance(name, str) else ""
    if not text or not text.isprintable():
        raise OperatorError(message("mappings.no_name"))
    return text


def fitted(preset: MappingPreset, columns: Sequence[str]) -> MappingPreset:
    """The same for this sheet, whose names for the columns it takes. What a text or a pattern asks
    for is left to whoever fills it. Raises OperatorError that names the columns that are
    missing."""
    missing: list[str] = []

    def own(name: str | None) -> str | None:
        if name is None:
            return None
        place = place_of(columns, name)
        if place is None:
            missing.append(name)
            return name
        return columns[place]

    def own_reference(said: str) -> str:
        return f"@{own(said[1:])}" if said.startswith("@") else said

    mapping = preset.mapping
    fitting = replace(
        mapping,
        prompt_column=own(mapping.prompt_column),
        params={name: own_reference(said) for name, said in mapping.params.items()},
        lane_column=own(mapping.lane_column),
        key_column=own(mapping.key_column),
        priority_column=own(mapping.priority_column),
        subfolder=None if mapping.subfolder is None else own_reference(mapping.subfolder),
    )
    if missing:
        names = tuple(dict.fromkeys(missing))
        raise OperatorError(
            message(
                "mappings.missing_columns",
                name=preset.name,
                missing=named(names),
                columns=named(columns),
            )
        )
    return replace(preset, mapping=fitting)


def header_key(columns: Sequence[str]) -> str:
    """Identifies a set of columns, in whatever order: 24 hex digits."""
    said = json.dumps(sorted(columns), ensure_ascii=False)
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _wrong(file: str, what: str) -> OperatorError:
    return OperatorError(message("mappings.wrong_value", file=file, what=what[:60]))
