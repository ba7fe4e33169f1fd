"""After the language was switched nothing in the window still speaks the one before."""

from __future__ import annotations

import time
from collections.abc import Callable
from decimal import Decimal

import pytest
from PySide6.QtCore import QAbstractListModel, QEvent, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMenu,
    QTabWidget,
    QTreeWidget,
    QWidget,
)

from desktop_app.domain.money import Money
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import Message, message
from desktop_app.domain.views import Banner, BannerAction, EngineStatus
from desktop_app.ui import words
from desktop_app.ui.answer import Answer
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.requeued import requeued
from tests.ui.conftest import RESOURCES, Run, Stage, until
from tests.ui.fakes import make_attempt, make_batch, make_detail, make_row

Build = Callable[..., Stage]
S = TaskState
NOW = 1_764_500_000.0


def texts(window: QWidget) -> list[str]:
    """Every word on screen, in tool tips and for screen readers, each with where it stands."""
    found: list[str] = []

    def note(where: object, *said: str) -> None:
        name = type(where).__name__
        found.extend(f"{name}: {text}" for text in said if text)

    note(window, window.windowTitle())
    for action in window.findChildren(QAction):
        note(action, action.text(), action.iconText(), action.toolTip())
    for widget in window.findChildren(QWidget):
        note(widget, widget.toolTip(), widget.accessibleName(), widget.accessibleDescription())
        if isinstance(widget, QLabel | QAbstractButton):
            note(widget, widget.text())
        elif isinstance(widget, QLineEdit):
            note(widget, widget.placeholderText())
        elif isinstance(widget, QMenu):
            note(widget, widget.title())
        elif isinstance(widget, QTabWidget):
            note(widget, *(widget.tabText(at) for at in range(widget.count())))
        elif isinstance(widget, QHeaderView):
            note(widget, *_header(widget))
        elif isinstance(widget, QAbstractItemView):
            note(widget, *_cells(widget))
    return sorted(found)


def _header(header: QHeaderView) -> list[str]:
    model = header.model()
    if model is None or header.orientation() is not Qt.Orientation.Horizontal:
        return []
    return [str(model.headerData(at, header.orientation()) or "") for at in range(header.count())]


def _cells(view: QAbstractItemView) -> list[str]:
    model = view.model()
    if model is None:
        return []
    roles = [Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole]
    if not isinstance(view, QTreeWidget):
        roles.append(Qt.ItemDataRole.AccessibleTextRole)
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount()
    return [
        str(model.index(row, column).data(role) or "")
        for row in range(min(model.rowCount(), 40))
        for column in range(columns)
        for role in roles
    ]


async def full_window(stage: Build, language: str) -> tuple[Stage, MainWindow]:
    """A window with something in every corner, that speaks ``language`` from the start."""
    rows = [
        make_row(1, S.SUCCESS, output="/nowhere/1.png", cost="0.04 USD"),
        make_row(2, S.RUNNING, started_at=NOW - 12),
        make_row(3, S.RETRYING, due_at=NOW + 4, retries_spent=2, note=_busy()),
        make_row(4, S.FAILED, error_class="refused", note=_refused()),
        make_row(5, S.UNCERTAIN, error_class="unknown", note=_refused()),
        make_row(6, S.DEAD, batch_id=2, error_class="transient", note=_busy()),
        make_row(7, S.SUCCESS, output="/nowhere/7.txt", flags=("length",)),
        make_row(8),
    ]
    built = stage(rows=rows, language=language, locale_dir=RESOURCES / "locale")
    fakes = built.fakes
    fakes.queries.batch_list.append(make_batch(2, "FAQ"))
    fakes.queries.reserved, fakes.queries.maybe_double = (Money(Decimal("0.5"), "USD"),), 1
    detail = make_detail(
        rows[0], (make_attempt(), make_attempt(2, "unknown", billed="maybe", latency_s=300.0))
    )
    fakes.queries.details[1] = detail
    fakes.runs.now = EngineStatus(
        active=True,
        in_flight=2,
        rate=1.4,
        allowed_rate=2.4,
        slowed_until=NOW + 60,
        slowed_rate=1.4,
        slowed_number=4,
        eta_s=240.0,
        banners=(
            Banner(
                "restarted",
                "warning",
                _refused(),
                (BannerAction.RESUME, BannerAction.REVIEW, BannerAction.STAY_PAUSED),
            ),
        ),
    )
    window = await built.show()
    built.context.signals.batch_selected.emit(None)
    await until(lambda: window.progress.model.rowCount() == len(rows))
    await until(lambda: window.progress.model.row_at(0) is not None)
    built.context.signals.open_task.emit(1)
    await until(lambda: window.detail.detail is not None)
    await until(lambda: not window.detail.result.picture.has_picture)
    for tab, there in (
        (window.needs_you, lambda: len(window.needs_you.cards()) == 3),
        (window.results, lambda: window.results.model.row(0) is not None),
    ):
        window.tabs.setCurrentWidget(tab)
        await until(there)
    card = window.needs_you.cards()[0]
    card.show_rows.setChecked(True)
    await until(lambda: card.body.rows.row(0) is not None)
    built.context.signals.answered.emit(
        Answer(lambda tr: tr.plural("{n} row was requeued.", "{n} rows were requeued.", 3))
    )
    await built.context.spawn.settle()  # type: ignore[attr-defined]
    return built, window


def _busy() -> Message:
    return message("providers.server_error", host="api.openai.com", status=500)


def _refused() -> Message:
    return message("providers.refused")


@pytest.mark.parametrize(("first", "then"), [("en", "zh_CN"), ("zh_CN", "en")])
def test_a_switched_window_says_what_a_fresh_one_says(
    stage: Build, run: Run, monkeypatch: pytest.MonkeyPatch, first: str, then: str
) -> None:
    monkeypatch.setattr(words, "now", lambda: NOW)
    monkeypatch.setattr(time, "time", lambda: NOW)

    async def go() -> None:
        _, fresh = await full_window(stage, then)
        expected = texts(fresh)
        built, window = await full_window(stage, first)
        before = texts(window)
        built.context.set_language(then)
        await built.context.spawn.settle()  # type: ignore[attr-defined]
        QApplication.sendPostedEvents()  # Qt's own words change by an event of its own
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        after = texts(window)
        assert "\n".join(text for text in after if text not in expected) == ""
        assert "\n".join(text for text in expected if text not in after) == ""
        assert len(set(before) & set(after)) < len(set(before)) / 2

    run(go())


def test_an_answer_of_each_kind_follows_the_language(stage: Build, run: Run) -> None:
    """The lines that tell what a click did are sentences to be, not sentences of one language."""

    async def go() -> None:
        rows = [make_row(pk, S.FAILED) for pk in range(1, 4)]
        built = stage(rows=rows, language="en", locale_dir=RESOURCES / "locale")
        window = await built.show()
        view = window.progress.view
        view.selectAll()
        menu = window.progress.menu.build()
        assert menu is not None
        menu.actions()[0].trigger()
        await until(lambda: window.banner.text.text() == "3 rows were requeued.")
        for act, english in (
            (lambda: window.flows._rows_cancelled(3), "3 rows are cancelled."),
            (lambda: window.flows.connection_action(1, "try_again"), "The connection works"),
            (
                lambda: built.context.signals.answered.emit(requeued(2, (1,))),
                "They are sent once you press Resume.",
            ),
        ):
            built.context.set_language("en")
            act()
            await until(lambda said=english: said in window.banner.text.text())  # type: ignore[misc]
            built.context.set_language("zh_CN")
            assert window.banner.text.text().isascii() is False
            assert "row" not in window.banner.text.text()

    run(go())
