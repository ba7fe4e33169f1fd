"""Records to rows under a header, with every irregular row named instead of bent or dropped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, repeat

from desktop_app.domain import guard
from desktop_app.domain.ports import SheetLine
from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.ingest.header import column_names

Records = Iterator[tuple[int, list[str]]]

_NUL = "\0"
_UNREADABLE = re.compile("[\0\ud800-\udfff]")
_SHOWN_SURPLUS = 100
_TOGETHER = 256


@dataclass(frozen=True, slots=True)
class Survey:
    """What one pass over a sheet found; ``rows`` counts rows that are not blank."""

    columns: tuple[str, ...]
    rows: int


def _uncounted() -> int | None:
    return None


def survey(records: Records, file: str, count: Callable[[], int | None] = _uncounted) -> Survey:
    """Read all records once, or where ``count`` tells how many are not blank and nothing else is
    asked, the header alone. Raises OperatorError: empty, no header, header only."""
    header = _header(records)
    if header is None:
        raise OperatorError(message("ingest.empty", file=file))
    layout = _Layout(header)
    used = max(at for at, cell in enumerate(header, start=1) if cell.strip())
    width = len(header)
    counted = count() if used == width else None
    rows = 0 if counted is None else counted - 1
    for _, cells in records if counted is None else ():
        if not (cells and cells[0].strip()) and is_blank(cells):
            continue
        rows += 1
        if used < width:
            filled = (at for at, cell in enumerate(cells[:width], start=1) if cell)
            used = max(used, max(filled, default=0))
    names = column_names(layout.own(header), used - layout.extra, file)
    if layout.guard_at is not None:
        names = tuple(guard.unguard_header(name) for name in names)
    if not rows:
        raise OperatorError(message("ingest.no_rows", file=file))
    return Survey(names, rows)


def lines_of(
    records: Records, columns: tuple[str, ...], encoding: str | None
) -> Iterator[SheetLine]:
    """The data rows. Blank rows are no rows but keep their number; a short row's missing cells are
    empty, as Excel shows them; a row with more cells than the header has a problem, because a
    prompt may have been parted at a comma."""
    header = _header(records)
    if header is None:
        return iter(())
    # No row passes through Python code where some hundreds of them are seen to be plain at once.
    return chain.from_iterable(_stretches(records, _Layout(header), columns, encoding))


def _stretches(
    records: Records, layout: _Layout, columns: tuple[str, ...], encoding: str | None
) -> Iterator[Iterable[SheetLine]]:
    width = None if layout.extra else len(columns)
    while stretch := list(islice(records, _TOGETHER)):
        row_nos, rows = zip(*stretch, strict=True)
        if width is not None and _are_plain(rows, width):
            yield zip(row_nos, rows, repeat(None))
        else:
            yield _one_by_one(stretch, layout, columns, encoding)


def _are_plain(rows: Sequence[list[str]], width: int) -> bool:
    texts = list(map("".join, rows))
    return (
        set(map(len, rows)) == {width}
        and all(texts)
        and not any(map(str.isspace, texts))
        and _is_readable("".join(texts))
    )


def _one_by_one(
    records: Iterable[tuple[int, list[str]]],
    layout: _Layout,
    columns: tuple[str, ...],
    encoding: str | None,
) -> Iterator[SheetLine]:
    width = len(columns) + layout.extra
    guarded = layout.guard_at is not None
    for row_no, cells in records:
        text = "".join(cells)
        if not text or text.isspace():
            continue
        problem = _surplus(row_no, cells, width) if len(cells) > width else None
        # A call for each of a million rows can be spared: most texts are plain.
        if problem is None and not ((text.isascii() and _NUL not in text) or _is_readable(text)):
            problem = unreadable(row_no, text, encoding)
        if problem is not None:
            cells = [legible(cell) for cell in cells]
        if guarded or len(cells) != width:
            cells = layout.restored(cells, columns)[: len(columns)]
            cells += [""] * (len(columns) - len(cells))
        yield row_no, cells, problem


class _Layout:
    """Where the guard column of an exported sheet stands, if there is one."""

    def __init__(self, header: list[str]) -> None:
        places = [at for at, name in enumerate(header) if name == guard.GUARD_COLUMN]
        self.guard_at = places[-1] if len(header) > 1 and places else None
        self.extra = 0 if self.guard_at is None else 1

    def own(self, cells: list[str]) -> list[str]:
        """The cells without the guard's."""
        if self.guard_at is None:
            return cells
        return cells[: self.guard_at] + cells[self.guard_at + 1 :]

    def restored(self, cells: list[str], columns: tuple[str, ...]) -> list[str]:
        """The cells as they were before the export made them inert."""
        if self.guard_at is None or self.guard_at >= len(cells):
            return cells
        guarded = guard.load_guarded(cells[self.guard_at])
        own = self.own(cells)
        if guarded:
            own = [
                guard.unguard(cell) if name in guarded else cell
                for cell, name in zip(own, columns, strict=False)
            ]
        return own


def _header(records: Records) -> list[str] | None:
    """The first row that is not blank, freed of what no name may hold."""
    for _, cells in records:
        if not is_blank(cells):
            return [legible(cell) for cell in cells]
    return None


def is_blank(cells: list[str]) -> bool:
    """Whether nothing can be seen in them."""
    text = "".join(cells)
    return not text or text.isspace()


def _surplus(row_no: int, cells: list[str], width: int) -> Message | None:
    surplus = cells[width:]
    if not any(surplus):
        return None
    extra = legible(" | ".join(surplus))[:_SHOWN_SURPLUS]
    return message(
        "ingest.too_many_cells", row=row_no, cells=len(cells), columns=width, extra=extra
    )


def _is_readable(text: str) -> bool:
    if _NUL in text:
        return False
    if not text.isascii():
        try:
            text.encode()  # a tenth of what looking for it takes
        except UnicodeEncodeError:
            return False
    return True


def legible(text: str) -> str:
    """The text, with a sign of doubt for whatever can't be stored or sent."""
    return _UNREADABLE.sub("\ufffd", text)


def unreadable(row_no: int, text: str, encoding: str | None) -> Message | None:
    """What is wrong with a row's text as a whole, or None."""
    found = _UNREADABLE.search(text)
    if found is None:
        return None
    if found.group() == _NUL:
        return message("ingest.nul", row=row_no)
    return message("ingest.bad_bytes", row=row_no, encoding=encoding or "")
