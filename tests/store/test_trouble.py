from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from desktop_app.domain.errors import LocalTrouble, behind
from desktop_app.domain.text import message
from desktop_app.store.store import Store
from desktop_app.store.trouble import cause_of


def test_an_error_told_as_it_is_is_not_its_own_cause() -> None:
    error, trouble = sqlite3.OperationalError(), LocalTrouble(message("store.busy"))
    assert cause_of(error, error) is None
    assert cause_of(trouble, error) is error


async def test_a_fault_on_opening_has_an_end_for_who_looks_for_its_cause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = RuntimeError("no thread")

    def refuse(_: object) -> None:
        raise fault

    monkeypatch.setattr("desktop_app.store.store.Writer.start", refuse)
    with pytest.raises(RuntimeError) as caught:
        await Store.open(tmp_path / "store.sqlite3", boot_id="boot")
    assert caught.value is fault
    assert list(behind(fault)) == [fault]
    assert fault.__cause__ is None
