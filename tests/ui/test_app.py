"""What keeps the window from opening is said in a box and not in a traceback."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from desktop_app import app
from desktop_app.domain.errors import LocalTrouble
from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.wiring import FolderInUse


@pytest.mark.parametrize(
    ("trouble", "code", "exit_code"),
    [
        (LocalTrouble(message("store.disk_full")), "store.disk_full", 1),
        (OperatorError(message("store.damaged_backup")), "store.damaged_backup", 1),
        (FolderInUse(), "services.folder_in_use", 5),
    ],
)
def test_a_start_that_fails_is_said(
    qapp: QApplication,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    trouble: Exception,
    code: str,
    exit_code: int,
) -> None:
    said: list[str] = []

    def fail(work: Coroutine[Any, Any, Any]) -> Any:
        if work.__name__ != "_main":
            return asyncio.run(work)  # a look for who works on the folder
        work.close()
        raise trouble

    def refuse(_options: object, words: Message, code: int) -> int:
        said.append(words.code)
        return code

    monkeypatch.setattr(app.qasync, "run", fail)
    monkeypatch.setattr(app, "refuse", refuse)
    args = argparse.Namespace(data_dir=str(tmp_path), language=None, demo=False)
    assert app.run_window(args) == exit_code
    assert said == [code]
