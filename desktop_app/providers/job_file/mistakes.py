"""What is wrong in a provider file, all of it at once, each with its line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from desktop_app.domain.text import Message
from desktop_app.providers.job_file.lines import Lines, Place


@dataclass(frozen=True, slots=True)
class Mistake:
    """``line`` counts from 1. ``said`` names file and line, too."""

    line: int
    said: Message


@dataclass(slots=True)
class Mistakes:
    """Those of one file, as they are found."""

    file: str
    lines: Lines
    found: list[Mistake] = field(default_factory=list)

    def add(self, place: Place, code: str, /, **values: Any) -> None:
        """One more, at the value of this place, or at the table that lacks it."""
        self.at(self.lines.of(place), code, **values)

    def at(self, line: int, code: str, /, **values: Any) -> None:
        """One more, at this line."""
        self.found.append(Mistake(line, spoken(self.file, line, code, values)))

    def in_order(self) -> tuple[Mistake, ...]:
        """From the first line to the last."""
        return tuple(sorted(self.found, key=lambda one: one.line))


def spoken(file: str, line: int, code: str, values: Mapping[str, Any]) -> Message:
    """``replicate.toml, line 7: ...``"""
    what = Message(f"job_files.{code}", values)
    return Message("job_files.mistake", {"file": file, "line": line, "what": what})


def dotted(place: Place) -> str:
    """A place as a person writes it."""
    return ".".join(str(step) for step in place if isinstance(step, str))
