"""Where file dialogs begin, and what they say."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QStandardPaths, Qt
from PySide6.QtWidgets import QFileDialog, QTreeView, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.domain.text import Translator
from desktop_app.ui.dialogs.folders import chooser, existing, remember, start_in
from desktop_app.ui.start import make_context
from tests.ui.conftest import RESOURCES
from tests.ui.dialogs.dialog_fakes import Desk


async def test_the_folder_used_last_else_the_documents_else_home(
    desk: Desk, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = tmp_path / "Documents"
    monkeypatch.setattr(QStandardPaths, "writableLocation", lambda _which: str(documents))
    assert start_in(desk.context, "k") == str(Path.home())
    documents.mkdir()
    assert start_in(desk.context, "k") == str(documents)
    remember(desk.context, "k", str(tmp_path / "sheet.csv"))
    assert start_in(desk.context, "k") == str(tmp_path)
    remember(desk.context, "k", str(tmp_path / "gone" / "sheet.csv"))
    assert start_in(desk.context, "k") == str(documents)


def test_the_nearest_folder_that_is_there(tmp_path: Path) -> None:
    assert existing(tmp_path / "a" / "b") == str(tmp_path)


def test_qts_own_file_dialog_says_in_chinese_what_qt_leaves_in_english(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = chooser(Translator("zh_CN", RESOURCES / "locale"), parent, "t")
    labels = QFileDialog.DialogLabel
    assert [dialog.labelText(which) for which in (labels.LookIn, labels.FileType)] == [
        "查找范围：",
        "文件类型：",
    ]


def test_qts_own_file_dialog_speaks_as_operators_do(desk: Desk, qtbot: QtBot) -> None:
    context = make_context(desk.context.services, "zh_CN", RESOURCES / "locale", RESOURCES)
    parent = QWidget()
    qtbot.addWidget(parent)
    try:
        dialog = chooser(context.tr, parent, "t")
        dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
        view = dialog.findChild(QTreeView)
        heads = [
            view.model().headerData(at, Qt.Orientation.Horizontal)
            for at in range(view.model().columnCount())
        ]
        assert heads == ["名称", "大小", "类型", "修改日期"]
        assert dialog.labelText(QFileDialog.DialogLabel.FileName) == "文件名(&N)："
        assert dialog.labelText(QFileDialog.DialogLabel.Reject) == "取消"
    finally:
        context.set_language("en")
    plain = QFileDialog()
    qtbot.addWidget(plain)
    assert plain.labelText(QFileDialog.DialogLabel.FileName) == "File &name:"
