"""Where in a file the table stands that we wrote: an operator puts a title above it, or a worksheet
of their own before it, and hands it back all the same."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from desktop_app.domain.ports import SheetInfo, SheetOptions
from desktop_app.domain.text import OperatorError
from desktop_app.services.import_batch import ImportBatch
from desktop_app.services.returned_columns import TASK_ID, ReturnedColumns, our_columns


@dataclass(frozen=True, slots=True)
class OwnTable:
    """``info`` is to be forgotten by whoever got it."""

    info: SheetInfo
    columns: ReturnedColumns


async def own_table(imports: ImportBatch, path: Path) -> OwnTable | None:
    """The first table of ours in the file, opened; None where there is none. Raises OperatorError
    where the file can't be read."""
    info = await imports.open(path)
    found = await _own(imports, info, SheetOptions())
    for name in info.worksheets if found is None else ():
        if name != info.worksheet and found is None:
            chosen = SheetOptions(worksheet=name)
            with suppress(OperatorError):  # an empty worksheet
                found = await _own(imports, await imports.open(path, chosen), chosen)
    return found


async def _own(imports: ImportBatch, info: SheetInfo, options: SheetOptions) -> OwnTable | None:
    """Of one worksheet, which is forgotten unless it is the one."""
    kept = False
    try:
        columns = our_columns(info.columns)
        if columns is not None:
            kept = True
            return OwnTable(info, columns)
        for row_no, names in await imports.headers(info):
            # Names in one piece: the title above them hid what parts the cells.
            if our_columns(names) is None and not (len(names) == 1 and TASK_ID in names[0]):
                continue
            below = SheetOptions(worksheet=options.worksheet, header_row=row_no)
            found = await imports.open(info.path, below)
            columns = our_columns(found.columns)
            if columns is not None:
                return OwnTable(found, columns)
            await imports.forget(found)
        return None
    finally:
        if not kept:
            await imports.forget(info)
