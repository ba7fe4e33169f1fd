"""The detail pane tells everything that is known, as plain text, and offers what can be done."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from desktop_app.domain.references import REFERENCE, Reference, stored
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import Translator, message
from desktop_app.domain.views import Piece
from desktop_app.ui.attempts import attempt_facts
from desktop_app.ui.detail import DetailPane
from desktop_app.ui.dialogs import edit_prompt, settle
from desktop_app.ui.facts import list_facts
from tests.ui.conftest import RESOURCES, Run, Stage, until
from tests.ui.fakes import make_attempt, make_detail, make_row

Build = Callable[..., Stage]
S = TaskState
LEFT = Qt.MouseButton.LeftButton


async def _pane(built: Stage, detail: Any) -> DetailPane:
    row = detail.row
    built.fakes.queries.table[row.pk] = row
    built.fakes.queries.details[row.pk] = detail
    window = await built.show()
    window.detail.show_task(row.pk)
    await until(lambda: window.detail.detail is not None)
    return window.detail


def test_the_pictures_that_are_shown_to_the_provider(
    stage: Build, run: Run, tmp_path: Path
) -> None:
    files = [tmp_path / name for name in ("0.png", "<b>1.png")]
    Image.new("RGB", (90, 90), (200, 30, 30)).save(files[0])
    shown = [Reference(str(file), "0" * 64) for file in files]
    shown.append(Reference(url="https://a.example/<b>x.png"))

    async def go() -> None:
        row = make_row(1, S.PENDING)
        params = {"size": "auto", REFERENCE: stored(shown)}
        built = stage(rows=[row])
        pane = await _pane(built, make_detail(row, params=params))
        assert len(pane.shown.buttons) == 3
        first, gone, address = pane.shown.buttons

        def red() -> bool:
            image = first.icon().pixmap(44, 44).toImage()
            return image.pixelColor(image.width() // 2, image.height() // 2).red() == 200

        await until(red)
        assert gone.isEnabled()
        assert not address.isEnabled()
        assert (address.toolTip(), gone.toolTip()) == (shown[2].url, shown[1].path)
        assert first.accessibleName() == "Reference picture: 0.png"
        first.click()
        assert built.opened == [f"open {files[0]}"]
        facts = list_facts(Translator(), pane.detail)
        assert [value for name, value, _ in facts if name == "Reference pictures"] == [
            "0.png\n<b>1.png\nhttps://a.example/<b>x.png"
        ]
        assert not any(name == REFERENCE for name, _, _ in facts)
        built.fakes.queries.details[row.pk] = make_detail(row)
        pane.show_task(row.pk)
        await until(lambda: not pane.shown.isVisible())

    run(go())


def test_attempts_with_time_status_outcome_and_body_as_plain_text(stage: Build, run: Run) -> None:
    body = '<b>{"error": "x"}</b>'
    attempts = (
        make_attempt(1, "throttled", http_status=429, latency_s=0.2,
                     wait_reason=message("text.plain", text="told to wait 3 s")),
        make_attempt(2, "unknown", http_status=None, body=body, billed="maybe",
                     said=message("text.plain", text="Dropped")),
    )  # fmt: skip

    async def go() -> None:
        row = make_row(1, S.UNCERTAIN)
        pane = await _pane(stage(rows=[row]), make_detail(row, attempts))
        shown = pane.attempts
        assert [shown.list.topLevelItem(0).text(c) for c in (1, 2, 3)] == [
            "429",
            "too fast",
            "0.2 s",
        ]
        assert shown.body.toPlainText() == body
        assert "It may have been billed." in shown.facts.text()
        shown.list.setFocus()
        QTest.keyClick(shown.list, Qt.Key.Key_Up)
        assert "Waited: told to wait 3 s" in shown.facts.text()
        assert "Request id: req_1" in shown.facts.text()
        assert not shown.body.isVisible()

    run(go())


def test_an_update_keeps_the_attempt_that_was_chosen(stage: Build, run: Run) -> None:
    async def go() -> None:
        row = make_row(1, S.RUNNING)
        built = stage(rows=[row])
        three = tuple(make_attempt(no, "transient") for no in (1, 2, 3))
        pane = await _pane(built, make_detail(row, three))
        pane.attempts.list.setCurrentItem(pane.attempts.list.topLevelItem(0))
        built.fakes.queries.details[1] = make_detail(row, (*three, make_attempt(4, "open")))
        built.fakes.change(1, attempt_no=4)
        built.window.bridge.flush()  # type: ignore[union-attr]
        await until(lambda: pane.attempts.list.topLevelItemCount() == 4)
        assert pane.attempts.facts.text().startswith("Attempt 1,")

    run(go())


def test_the_picture_is_shown_and_a_lost_file_is_told(
    stage: Build, run: Run, tmp_path: Path
) -> None:
    Image.new("RGB", (300, 200), (10, 200, 30)).save(tmp_path / "a.png")

    async def go() -> None:
        row = make_row(1, S.SUCCESS, output=str(tmp_path / "a.png"))
        built = stage(rows=[row, make_row(2, S.SUCCESS, output=str(tmp_path / "gone.png"))])
        pane = await _pane(built, make_detail(row))
        picture = pane.result.picture
        await until(lambda: picture._pixmap is not None)
        middle = picture.grab().toImage().pixelColor(picture.rect().center())
        assert (middle.red(), middle.green(), middle.blue()) == (10, 200, 30)
        QTest.mouseDClick(picture, LEFT)
        QTest.mouseClick(pane.acts.reveal, LEFT)
        assert built.opened == [f"open {row.output}", f"reveal {row.output}"]
        pane.show_task(2)
        await until(lambda: "not there any more" in picture._word)

    run(go())


def test_a_text_answer_is_shown_as_text(stage: Build, run: Run) -> None:
    async def go() -> None:
        row = make_row(1, S.SUCCESS, output="/x/1.txt", flags=("length",))
        pane = await _pane(stage(rows=[row]), make_detail(row, text="<i>Answer</i>"))
        assert pane.result.answer.isVisible()
        assert pane.result.answer.toPlainText() == "<i>Answer</i>"
        assert pane.why.text() == "Cut off at the length limit"

    run(go())


def test_prompts_and_cells_are_never_read_as_markup(stage: Build, run: Run) -> None:
    async def go() -> None:
        row = make_row(1, prompt="<b>x</b>")
        cells = (("prompt", "<b>x</b>"), ("name", "<img src=x>"))
        pane = await _pane(stage(rows=[row]), make_detail(row, cells=cells))
        assert pane.prompt.textFormat() is Qt.TextFormat.PlainText
        labels = [value for _, value in pane.facts._labels]
        assert any(label.text() == "<img src=x>" for label in labels)
        assert all(label.textFormat() is Qt.TextFormat.PlainText for label in labels)

    run(go())


def test_what_each_state_offers(stage: Build, run: Run) -> None:
    async def go() -> None:
        rows = [make_row(state + 1, state) for state in S]
        built = stage(rows=rows)
        window = await built.show()
        pane = window.detail
        offers = {}
        for state in S:
            pane.show_task(state + 1)
            await until(lambda s=state: pane.detail is not None and pane.detail.row.state is s)
            acts = (pane.acts.requeue, pane.acts.edit, pane.acts.settle)
            offers[state] = tuple(button.isVisible() for button in acts)
        again = (True, True, False)
        assert offers == {
            S.PENDING: (False, False, False),
            S.RUNNING: (False, False, False),
            S.RETRYING: (False, False, False),
            S.SUCCESS: (False, False, False),
            S.FAILED: again,
            S.DEAD: again,
            S.CANCELLED: again,
            S.UNCERTAIN: (False, True, True),
        }

    run(go())


def test_requeue_edit_and_decide(stage: Build, run: Run, monkeypatch: Any) -> None:
    opened: list[Any] = []

    class Dialog:
        def __init__(self, context: Any, pk: int, parent: Any) -> None:
            opened.append(pk)

        def open(self) -> None:
            opened.append("open")

    monkeypatch.setattr(edit_prompt, "EditPromptDialog", Dialog)
    monkeypatch.setattr(settle, "SettleDialog", Dialog)

    async def go() -> None:
        row = make_row(1, S.FAILED)
        built = stage(rows=[row, make_row(2, S.UNCERTAIN)])
        window = await built.show()
        pane = window.detail
        pane.show_task(1)
        await until(lambda: pane.acts.requeue.isVisible())
        QTest.mouseClick(pane.acts.edit, LEFT)
        QTest.mouseClick(pane.acts.requeue, LEFT)
        await until(lambda: built.fakes.dead_letters.calls)
        assert built.fakes.dead_letters.calls[0][1].pks == (1,)
        await until(lambda: not pane.acts.requeue.isVisible(), "the pane follows")
        pane.show_task(2)
        await until(lambda: pane.acts.settle.isVisible())
        QTest.mouseClick(pane.acts.settle, LEFT)
        assert opened == [1, "open", 2, "open"]

    run(go())


def test_a_fact_is_told_once() -> None:
    row = make_row(1)
    cells = (("prompt", row.prompt), ("size", "1024x1024"), ("customer", "Marlow"), ("sku", "A"))
    facts = list_facts(Translator(), make_detail(row, cells=cells, lane="Marlow"))
    assert [name for name, _, _ in facts] == ["Cost", "size", "customer", "sku"]


def test_a_parameter_is_told_under_the_sheets_own_word() -> None:
    row = make_row(1)
    cells = (("prompt", row.prompt), ("尺寸", "1024x1024"))
    detail = make_detail(row, cells=cells, params={"size": "1024x1024", "quality": "low"})
    facts = list_facts(Translator(), detail)
    assert [name for name, _, _ in facts] == ["Cost", "quality", "尺寸"]


def test_what_never_was_a_request_is_edited_not_requeued(stage: Build, run: Run) -> None:
    async def go() -> None:
        note = message("store.no_request")
        built = stage(rows=[make_row(1, S.FAILED, note=note)])
        window = await built.show()
        window.detail.show_task(1)
        await until(lambda: window.detail.detail is not None)
        assert not window.detail.acts.requeue.isVisible()
        assert window.detail.acts.edit.isVisible()
        window.progress.view.selectAll()
        menu = window.progress.menu.build()
        assert menu is not None
        assert not menu.actions()[0].isEnabled()
        menu.deleteLater()

    run(go())


def test_the_pager_turns_over_the_results_of_a_row(stage: Build, run: Run, tmp_path: Path) -> None:
    colours = ((200, 30, 30), (10, 200, 30), (20, 40, 200))
    paths = [str(tmp_path / f"a{place}.png") for place in range(3)]
    for path, colour in zip(paths, colours, strict=True):
        Image.new("RGB", (300, 200), colour).save(path)

    async def go() -> None:
        row = make_row(1, S.SUCCESS, output=paths[0], more=tuple(paths[1:]))
        built = stage(rows=[row, make_row(2, S.SUCCESS, output=paths[1])])
        more = tuple(Piece(path, None) for path in paths[1:])
        pane = await _pane(built, make_detail(row, more=more))
        picture = pane.result.picture

        def seen() -> tuple[int, int, int]:
            colour = picture.grab().toImage().pixelColor(picture.rect().center())
            return colour.red(), colour.green(), colour.blue()

        await until(lambda: pane.pager.isVisible() and seen() == colours[0])
        assert pane.pager.where.text() == "1 of 3"
        QTest.mouseClick(pane.pager.on, LEFT)
        await until(lambda: seen() == colours[1])
        QTest.mouseClick(pane.acts.open, LEFT)
        assert built.opened == [f"open {paths[1]}"]
        pane.show_task(1)
        built.context.signals.open_result.emit(1, 2)
        await until(lambda: seen() == colours[2])
        assert not pane.pager.on.isEnabled()
        pane.show_task(2)
        await until(lambda: not pane.pager.isVisible() and seen() == colours[1])

    run(go())


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_an_attempt_tells_once_that_it_may_have_been_billed(language: str) -> None:
    tr = Translator(language, RESOURCES / "locale")
    said = message("providers.broken_answer", host="shop")
    billed = tr("It may have been billed.")
    for why in (said, None):
        attempt = make_attempt(1, "unknown", billed="maybe", said=why)
        assert "\n".join(attempt_facts(tr, attempt)).count(billed) == 1
