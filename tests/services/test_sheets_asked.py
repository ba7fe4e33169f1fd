"""Sheets that a second start was given, and cells that were pasted."""

from __future__ import annotations

import pytest

from desktop_app.domain.text import OperatorError
from tests.services.services_kit import Kit
from tests.services.test_obey_commands import answered


async def test_only_a_window_takes_sheets_from_a_second_start(kit: Kit) -> None:
    assert await answered(kit, "import", paths=["/x/春季.csv"]) == {"ok": False}
    taken: list[tuple[list[str], str]] = []

    def ask(sheets: list[str], leave: str) -> bool:
        taken.append((sheets, leave))
        return True

    kit.obey._ask_about = ask
    two = ["/x/春季.csv", "/x/b.csv"]
    assert await answered(kit, "import", paths=two, leave="token-1") == {"ok": True}
    # Of a version that knew of no leave.
    assert await answered(kit, "import", paths=[]) == {"ok": True}
    assert taken == [(two, "token-1"), ([], "")]


async def test_pasted_cells_are_a_sheet_until_nobody_reads_it(kit: Kit) -> None:
    path = await kit.imports.pasted("id\tprompt\r\n1\t红\r\n", "", "Pasted 2026/11: one")
    assert path.suffix == ".csv"
    first = await kit.imports.open(path)
    again = await kit.imports.open(path)
    assert await kit.imports.head(first) == [(2, ("1", "红"))]
    await kit.imports.forget(first)
    assert path.exists()
    await kit.imports.forget(again)
    assert list(path.parent.iterdir()) == []


async def test_nothing_pasted_leaves_nothing(kit: Kit) -> None:
    with pytest.raises(OperatorError):
        await kit.imports.pasted("", "", "Pasted")
