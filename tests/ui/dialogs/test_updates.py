"""Help asks for a newer release when the operator does, and opens its page when they say so."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import shiboken6

from desktop_app.domain.ports.updates import Release
from desktop_app.domain.text import OperatorError, message
from desktop_app.ui.dialogs.updates import UpdatesDialog
from tests.ui.conftest import Run, Stage, until
from tests.ui.fakes import make_row

Build = Callable[..., Stage]
NEW = Release("1.3.0", "Mended: a thing.", "https://example.org/releases/v1.3.0")


def test_the_menu_asks_once_and_a_start_never(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=[make_row(1)])
        window = await built.show()
        assert built.fakes.releases.asked == 0
        window.actions_["updates"].trigger()
        (dialog,) = window.findChildren(UpdatesDialog)
        await until(lambda: dialog.heading.text() == "There is no newer version")
        assert built.fakes.releases.asked == 1
        assert dialog.lead.text() == "This is version 1.2.3."
        assert dialog.page.isHidden()
        dialog.reject()

    run(go())


def test_a_newer_one_is_shown_with_its_notes_and_its_page_opened(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=[make_row(1)])
        window = await built.show()
        built.fakes.releases.told = NEW
        visited: list[str] = []
        dialog = UpdatesDialog(built.context, window, visited.append)
        dialog.open()
        await until(dialog.page.isVisible)
        assert dialog.heading.text() == "Version 1.3.0 is there"
        assert dialog.notes.toPlainText() == "Mended: a thing."
        assert dialog.focusWidget() is dialog.page
        assert visited == []
        dialog.page.click()
        assert visited == [NEW.page]

    run(go())


def test_a_feed_that_can_not_be_asked_is_said(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=[make_row(1)])
        window = await built.show()
        built.fakes.releases.trouble = OperatorError(message("providers.releases_unreachable"))
        dialog = UpdatesDialog(built.context, window)
        dialog.open()
        await until(lambda: "not known" in dialog.heading.text())
        await until(dialog.notice.isVisible)
        assert dialog.page.isHidden()
        dialog.reject()

    run(go())


def test_notes_are_words_whatever_they_hold_and_however_long(stage: Build, run: Run) -> None:
    notes = "<img src='https://example.org/x.png'><b>bold</b>\n" + "## 新功能\n" * 600

    async def go() -> None:
        built = stage(rows=[make_row(1)])
        window = await built.show()
        built.fakes.releases.told = Release("1.3.0", notes, NEW.page)
        dialog = UpdatesDialog(built.context, window, lambda _page: None)
        dialog.open()
        await until(dialog.page.isVisible)
        assert dialog.notes.toPlainText() == notes
        assert dialog.notes.document().characterCount() == len(notes) + 1  # nothing is markup
        assert dialog.notes.isReadOnly()
        assert dialog.height() <= dialog.screen().availableGeometry().height() - 40
        dialog.reject()

    run(go())


def test_an_answer_that_comes_too_late_disturbs_nobody(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=[make_row(1)])
        window = await built.show()
        asked = asyncio.Event()

        async def never() -> Release | None:
            asked.set()
            await asyncio.Event().wait()
            return NEW

        built.fakes.releases.newest = never  # type: ignore[method-assign]
        dialog = UpdatesDialog(built.context, window)
        dialog.open()
        await asked.wait()
        assert dialog.heading.text() == "Asking for releases…"
        dialog.shut.click()
        await until(lambda: not shiboken6.isValid(dialog))

    run(go())
