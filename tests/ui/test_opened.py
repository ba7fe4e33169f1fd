"""What the dock is given is asked about, also what it is given before there is a window."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication

from desktop_app.ui.opened import Application


@pytest.fixture
def application(qapp: QApplication) -> Iterator[Application]:
    assert isinstance(qapp, Application)
    yield qapp
    qapp.hand_over(lambda _files: None)
    qapp.hand_over(None)


def give(application: Application, file: str) -> None:
    QApplication.sendEvent(application, QFileOpenEvent(file))


def test_a_file_is_handed_on(application: Application) -> None:
    asked: list[list[str]] = []
    application.hand_over(asked.append)
    give(application, "/x/春季.csv")
    give(application, "/x/b.csv")
    assert asked == [["/x/春季.csv"], ["/x/b.csv"]]


def test_files_wait_for_somebody_who_takes_them(application: Application) -> None:
    asked: list[list[str]] = []
    for file in ("/x/a.csv", "/x/b.csv"):
        give(application, file)
    application.hand_over(asked.append)
    assert asked == [["/x/a.csv", "/x/b.csv"]]
    application.hand_over(None)
    give(application, "/x/c.csv")
    assert len(asked) == 1
    application.hand_over(asked.append)
    assert asked[1:] == [["/x/c.csv"]]
