"""A report of an earlier run can be read, copied, found and put away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QApplication

from desktop_app.domain.text import message
from desktop_app.domain.views import Banner, BannerAction, EngineStatus
from desktop_app.ui.dialogs.report import ReportDialog
from desktop_app.ui.main_window import MainWindow
from tests.ui.conftest import Run, Stage, until
from tests.ui.fakes import make_row

Build = Callable[..., Stage]
TEXT = "\nBatchwright 1.2.3\n\n[1] 12:00:00 desktop_app.x\n<b>ValueError</b>\n"


async def offered(built: Stage, file: Path) -> tuple[MainWindow, Banner]:
    said = message("services.crashed", at="2026-11-30 12:00")
    show = (BannerAction.SHOW_REPORT,)
    banner = Banner("notice:crashed", "warning", said, show, file=str(file))
    built.fakes.runs.now = EngineStatus(banners=(banner,))
    window = await built.show()
    await until(lambda: window.banner.text.text().startswith("Batchwright went down at"))
    return window, banner


def opened(window: MainWindow) -> ReportDialog:
    window.banner.buttons[0].click()
    return window.findChildren(ReportDialog)[-1]


def test_it_is_shown_copied_found_and_put_away(stage: Build, run: Run, tmp_path: Path) -> None:
    file = tmp_path / "report.log"
    file.write_text(TEXT, encoding="utf-8")

    async def go() -> None:
        built = stage(rows=[make_row(1)])
        window, banner = await offered(built, file)
        assert window.banner.buttons[0].text() == "Show the report"
        dialog = opened(window)
        assert not dialog.copy.isEnabled()
        await until(dialog.copy.isEnabled)
        assert dialog.report.toPlainText() == TEXT.strip()  # as it is, no markup
        dialog.copy.click()
        assert QApplication.clipboard().text() == TEXT.strip()
        assert dialog.notice.text == "The report is in the clipboard."
        dialog.folder.click()
        assert built.opened == [f"reveal {file}"]
        dialog.reject()
        assert window.banner.lines.all() == [banner]  # closed, but not put away
        opened(window).done_with.click()
        assert window.banner.lines.all() == []
        assert file.exists()

    run(go())


def test_the_line_alone_puts_it_away_as_well(stage: Build, run: Run, tmp_path: Path) -> None:
    async def go() -> None:
        window, _ = await offered(stage(rows=[make_row(1)]), tmp_path / "report.log")
        assert window.banner.dismiss.isVisible()
        window.banner.dismiss.click()
        assert window.banner.lines.all() == []

    run(go())


def test_a_second_crash_of_the_same_minute_is_offered_too(
    stage: Build, run: Run, tmp_path: Path
) -> None:
    async def go() -> None:
        window, banner = await offered(stage(rows=[make_row(1)]), tmp_path / "report 1.log")
        window.banner.dismiss.click()
        second = replace(banner, file=str(tmp_path / "report 2.log"))
        window.banner.set_banners([banner])
        assert window.banner.lines.all() == []
        window.banner.set_banners([second])
        assert window.banner.lines.all() == [second]

    run(go())


def test_a_report_that_is_gone_is_said(stage: Build, run: Run, tmp_path: Path) -> None:
    async def go() -> None:
        window, _ = await offered(stage(rows=[make_row(1)]), tmp_path / "gone.log")
        dialog = opened(window)
        await until(dialog.notice.isVisible)
        assert dialog.notice.text == "The report gone.log can't be read: No such file or directory"
        assert not dialog.copy.isEnabled()
        dialog.reject()

    run(go())
