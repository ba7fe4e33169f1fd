"""What imports ask of files: sheets to rows, rows to drafts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from desktop_app.domain.batch import SheetMapping
from desktop_app.domain.ports.capabilities import Capabilities
from desktop_app.domain.sheet_kinds import WHOLE_LINES as WHOLE_LINES
from desktop_app.domain.task import Draft, DraftValues
from desktop_app.domain.text import Message


@dataclass(frozen=True, slots=True)
class SheetOptions:
    """How to read a file; None means: find out. ``quoting``: whether quotation marks hold a cell
    together; ``header``: whether the first row names the columns; ``hidden``: whether the hidden
    rows of a workbook are taken too (None: left out); ``header_row``: the number, as Excel shows
    it, of the row that counts as the first: what stands above is left out (None: the first that is
    not blank)."""

    encoding: str | None = None
    delimiter: str | None = None
    worksheet: str | None = None
    quoting: bool | None = None
    header: bool | None = None
    hidden: bool | None = None
    header_row: int | None = None


@dataclass(frozen=True, slots=True)
class FileStamp:
    """A file at one moment: bytes, time of its last change in ns, SHA-256 of its content."""

    size: int
    mtime_ns: int
    sha256: str


@dataclass(frozen=True, slots=True)
class SheetInfo:
    """A sheet opened from its private copy.

    ``columns`` are unique header names in order; ``rows`` counts data rows, None if not counted;
    ``encoding``/``delimiter``/``worksheet``/``quoting``/``header`` as used, None where the kind of
    file knows no such thing; ``guess`` proposes columns (keys ``prompt``, ``key``, ``lane``, and
    any parameter name). ``hidden_rows`` counts what the workbook hides, taken if ``with_hidden``.
    ``header_row`` is the row that counts as the first, None where nothing stands above it.
    ``stamp`` is of the operator's file as it was copied.
    """

    path: Path  # the file the operator chose
    copy: Path  # the private copy that is read
    sha256: str  # of its bytes, and of how they are read where that was not found out but chosen
    columns: tuple[str, ...]
    rows: int | None
    encoding: str | None
    delimiter: str | None
    worksheet: str | None
    worksheets: tuple[str, ...] = ()
    guess: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[Message, ...] = ()
    quoting: bool | None = None
    header: bool | None = None
    hidden_rows: int = 0
    with_hidden: bool = False
    header_row: int | None = None
    stamp: FileStamp | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class SheetRow:
    """``row_no`` as Excel shows it. ``problem`` is set for a row that can't be read as it is."""

    row_no: int
    cells: tuple[str, ...]
    problem: Message | None = None


SheetLine = tuple[int, list[str], Message | None]
"""(row_no, cells, problem): what a SheetRow says, for the many rows that nobody looks at."""


class Sheets(Protocol):
    """Files to rows. All blocking; callers use a worker thread. Raises OperatorError."""

    def open(self, path: Path, copy_dir: Path, options: SheetOptions) -> SheetInfo: ...
    def rows(self, info: SheetInfo) -> Iterable[SheetRow]: ...
    def lines(self, info: SheetInfo) -> Iterable[SheetLine]: ...
    def headers(self, info: SheetInfo) -> Sequence[tuple[int, tuple[str, ...]]]:
        """(row number, names) of those of the sheet's first rows that could be ``header_row``."""
        ...

    def is_changed(self, info: SheetInfo) -> bool:
        """Whether the operator's file holds something else by now. One that can't be read any more
        is not changed: its copy is whole."""
        ...

    def write_pasted(self, text: str, html: str, path: Path) -> None:
        """The clipboard's table (plain text, and HTML where there is some) as a sheet."""
        ...


class Drafter(Protocol):
    """Rows to drafts under a mapping; pure. Raises OperatorError for an unusable mapping."""

    def check(
        self, info: SheetInfo, mapping: SheetMapping, caps: Capabilities | None = None
    ) -> None: ...
    def draft(
        self, info: SheetInfo, mapping: SheetMapping, caps: Capabilities, row: SheetRow
    ) -> Draft: ...
    def values(
        self,
        info: SheetInfo,
        mapping: SheetMapping,
        caps: Capabilities,
        lines: Iterable[SheetLine],
    ) -> Iterable[DraftValues]:
        """What ``draft`` makes of each row, as plain values."""
        ...

    def wanted(self, info: SheetInfo, mapping: SheetMapping) -> tuple[int, ...]:
        """Places of the columns whose blank cell leaves a gap in a prompt made of several."""
        ...
