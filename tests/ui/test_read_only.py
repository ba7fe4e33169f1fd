"""What is selected stays selected, whatever line ends and blanks the words have."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication

from desktop_app.ui.read_only import ReadOnlyText

ODD = "un\r\ndeux\u00a0: trois\u2029"


def selecting(view: ReadOnlyText) -> None:
    cursor = view.textCursor()
    cursor.setPosition(0)
    cursor.setPosition(2, QTextCursor.MoveMode.KeepAnchor)
    view.setTextCursor(cursor)


@pytest.mark.usefixtures("qapp")
def test_the_same_words_again_disturb_nobody() -> None:
    view = ReadOnlyText()
    view.show_text(ODD)
    selecting(view)
    view.show_text(ODD)
    view.go_on(ODD)
    assert view.textCursor().selectedText() == "un"
    view.show_text("x")
    assert view.toPlainText() == "x"


@pytest.mark.usefixtures("qapp")
def test_more_words_are_added_behind_those_that_are_selected() -> None:
    view = ReadOnlyText()
    view.go_on(ODD)
    selecting(view)
    view.go_on(ODD + "quatre")
    assert view.textCursor().selectedText() == "un"
    assert view.toPlainText().endswith("quatre")
    view.go_on("cinq")
    assert view.toPlainText() == "cinq"


@pytest.mark.usefixtures("qapp")
def test_a_line_end_that_came_in_two_is_one() -> None:
    view = ReadOnlyText()
    view.go_on("un\r")
    view.go_on("un\r\ndeux")
    assert view.toPlainText() == "un\ndeux"


@pytest.mark.usefixtures("qapp")
def test_who_reads_at_the_end_follows_and_who_scrolled_up_does_not() -> None:
    view = ReadOnlyText()
    view.resize(200, 60)
    view.show()
    QApplication.processEvents()
    bar = view.verticalScrollBar()
    text = "\n".join(map(str, range(50)))
    view.go_on(text)
    bar.setValue(bar.maximum())
    view.go_on(text + "\nx\ny")
    assert bar.value() == bar.maximum()
    bar.setValue(3)
    view.go_on(text + "\nx\ny\nz")
    assert bar.value() == 3
