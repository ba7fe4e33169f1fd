"""How a file is read, and what of that makes its cells other cells."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from desktop_app.domain.ports import WHOLE_LINES, SheetOptions
from desktop_app.ingest.csv_sheet import TextSheet
from desktop_app.ingest.excel_sheet import Workbook
from desktop_app.ingest.json_lines import JsonLines
from desktop_app.ingest.plain_text import LineSheet
from desktop_app.ingest.table import Records

Kind = TextSheet | LineSheet | JsonLines | Workbook


@dataclass(frozen=True, slots=True)
class Reading:
    """How a file is read; what its kind knows nothing of is None."""

    encoding: str | None = None
    delimiter: str | None = None
    quoting: bool | None = None
    worksheet: str | None = None
    header: bool | None = None
    with_hidden: bool = False
    header_row: int | None = None


def records_of(sheet: Kind) -> Records:
    """All rows, of JSON none."""
    return iter(()) if isinstance(sheet, JsonLines) else sheet.records()


def reading_of(sheet: Kind, options: SheetOptions, above: int = 0) -> Reading:
    """What was chosen and found out; ``above``: rows that stand above the first one."""
    headed = options.header is not False
    first = options.header_row if above else None  # else it is the first by itself
    match sheet:
        case JsonLines():
            return Reading(sheet.encoding)
        case LineSheet():
            if options.header is None and options.header_row is None:
                headed = sheet.is_headed()
            return Reading(sheet.encoding, WHOLE_LINES, header=headed, header_row=first)
        case TextSheet():
            return Reading(
                sheet.encoding, sheet.delimiter, sheet.quoting, header=headed, header_row=first
            )
        case Workbook():
            return Reading(
                worksheet=sheet.worksheet,
                header=headed,
                with_hidden=bool(options.hidden),
                header_row=first,
            )


def plain(reading: Reading | None) -> list[object]:
    """What makes a difference to the cells: a mark at the beginning, or another name of the same
    encoding, doesn't."""
    if reading is None:
        return []
    codec = codecs.lookup(reading.encoding).name if reading.encoding else None
    return [
        codec.removesuffix("-sig") if codec else None,
        reading.delimiter,
        reading.quoting,
        reading.worksheet,
        reading.header,
        reading.with_hidden,
        *([] if reading.header_row is None else [reading.header_row]),
    ]
