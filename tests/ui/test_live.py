"""An answer is shown while it comes, marked as unfinished, and gives way to the result."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image

from desktop_app.domain.ports import Preview, UnfinishedPicture
from desktop_app.domain.task import TaskState
from desktop_app.ui.detail import DetailPane
from desktop_app.ui.picture import PictureView
from tests.ui.conftest import Run, Stage, until
from tests.ui.fakes import make_detail, make_row

Build = Callable[..., Stage]
S = TaskState
RESOURCES = Path(__file__).resolve().parents[2] / "resources"


def png(red: int) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (60, 40), (red, 10, 20)).save(stream, "PNG")
    return stream.getvalue()


def red_of(view: PictureView) -> int:
    """How red the picture is that is shown; 0 for none."""
    pixmap = view._pixmap
    return 0 if pixmap is None else pixmap.toImage().pixelColor(5, 5).red()


async def watching(built: Stage, detail: Any) -> DetailPane:
    row = detail.row
    built.fakes.queries.table[row.pk] = row
    built.fakes.queries.details[row.pk] = detail
    window = await built.show()
    window.detail.show_task(row.pk)
    await until(lambda: window.detail.detail is not None)
    return window.detail


async def ended(built: Stage, detail: Any) -> None:
    built.fakes.queries.details[detail.row.pk] = detail
    built.fakes.change(detail.row.pk, state=detail.row.state)
    built.window.bridge.flush()  # type: ignore[union-attr]


def test_words_are_shown_as_they_come_and_replaced_by_the_result(stage: Build, run: Run) -> None:
    async def go() -> None:
        row = make_row(1, S.RUNNING)
        built = stage(rows=[row])
        pane = await watching(built, make_detail(row))
        assert not pane.live.is_shown
        previews = built.fakes.runs.previews
        previews[1] = Preview(thinking="hm")
        await until(lambda: pane.result.answer.toPlainText() == "hm")
        assert pane.live.text() == "The model is thinking. Its answer comes next."
        previews[1] = Preview("<b>half an", "hm")
        await until(lambda: pane.result.answer.toPlainText() == "<b>half an")
        assert pane.live.text() == "So far: the answer is still coming."
        assert pane.live.isVisible()
        previews[1] = Preview("<b>half an answer", "hm")
        await until(lambda: pane.result.answer.toPlainText() == "<b>half an answer")
        pane.retranslate()  # shown anew while it still runs: the words stay
        assert pane.result.currentWidget() is pane.result.answer
        previews[1] = Preview("<b>half an answer!", "hm")
        await until(lambda: pane.result.answer.toPlainText().endswith("!"))
        del previews[1]
        done = make_row(1, S.SUCCESS, output="/x/1.txt")
        await ended(built, make_detail(done, text="<b>half an answer!!", thinking="hm"))
        await until(lambda: pane.result.answer.toPlainText().endswith("!!"))
        assert not pane.live.is_shown
        assert not pane.live._timer.isActive()

    run(go())


def test_what_is_selected_stays_selected_while_more_comes(stage: Build, run: Run) -> None:
    async def go() -> None:
        row = make_row(1, S.RUNNING)
        built = stage(rows=[row])
        built.fakes.runs.previews[1] = Preview("one two")
        pane = await watching(built, make_detail(row))
        answer = pane.result.answer
        await until(lambda: answer.toPlainText() == "one two")
        cursor = answer.textCursor()
        cursor.setPosition(0)
        cursor.setPosition(3, cursor.MoveMode.KeepAnchor)
        answer.setTextCursor(cursor)
        built.fakes.runs.previews[1] = Preview("one two three")
        await until(lambda: answer.toPlainText() == "one two three")
        assert answer.textCursor().selectedText() == "one"

    run(go())


def test_a_new_try_does_not_show_the_words_of_the_last_one(stage: Build, run: Run) -> None:
    async def go() -> None:
        row = make_row(1, S.RUNNING, attempt_no=1)
        built = stage(rows=[row])
        built.fakes.runs.previews[1] = Preview("first try")
        pane = await watching(built, make_detail(row))
        await until(lambda: pane.live.is_shown)
        del built.fakes.runs.previews[1]
        again = make_row(1, S.RUNNING, attempt_no=2)
        built.fakes.queries.details[1] = make_detail(again)
        built.fakes.change(1, attempt_no=2)
        built.window.bridge.flush()  # type: ignore[union-attr]
        await until(lambda: not pane.live.is_shown)
        assert pane.result.currentWidget() is pane.result.picture

    run(go())


def test_only_the_row_that_is_looked_at_is_asked_for(stage: Build, run: Run) -> None:
    async def go() -> None:
        row, other = make_row(1, S.RUNNING), make_row(2, S.PENDING)
        built = stage(rows=[row, other])
        asked: list[int] = []
        built.fakes.runs.preview = lambda pk: asked.append(pk)  # type: ignore[method-assign]
        built.fakes.queries.details[2] = make_detail(other)
        pane = await watching(built, make_detail(row))
        await until(lambda: len(asked) > 2)
        assert set(asked) == {1}
        pane.show_task(2)
        await until(lambda: pane.detail is not None and pane.detail.row.pk == 2)
        assert not pane.live._timer.isActive()
        pane.show_task(1)
        await until(lambda: pane.live._timer.isActive())
        asked.clear()
        pane.hide()
        pane.live._look()
        assert asked == []

    run(go())


def test_an_unfinished_picture_is_shown_and_a_broken_one_is_left_out(
    stage: Build, run: Run
) -> None:
    async def go() -> None:
        row = make_row(1, S.RUNNING)
        built = stage(rows=[row])
        pane = await watching(built, make_detail(row))
        previews = built.fakes.runs.previews

        def middle() -> int:
            image = pane.result.picture.grab().toImage()
            return image.pixelColor(image.rect().center()).red()

        def broken() -> bytes:
            raise ValueError("not base64")

        previews[1] = Preview(picture=UnfinishedPicture(0, broken))
        await until(lambda: pane.live._picture_no == 0 and not pane.live._is_reading)
        previews[1] = Preview(picture=UnfinishedPicture(1, lambda: b"<svg/>"))
        await until(lambda: pane.live._picture_no == 1 and not pane.live._is_reading)
        assert not pane.live.is_shown
        previews[1] = Preview(picture=UnfinishedPicture(2, lambda: png(200)))
        await until(lambda: pane.live.is_shown and middle() == 200)
        assert pane.live.text() == "So far: the picture is still being made."
        previews[1] = Preview(picture=UnfinishedPicture(3, lambda: png(90)))
        await until(lambda: middle() == 90)

    run(go())


def test_how_far_it_is_is_said_beside_the_state_or_the_picture(stage: Build, run: Run) -> None:
    async def go() -> None:
        row = make_row(1, S.RUNNING)
        built = stage(rows=[row])
        pane = await watching(built, make_detail(row))
        previews = built.fakes.runs.previews
        previews[1] = Preview(progress="<b>KSampler: 3/20")
        await until(lambda: pane.live.text() == "<b>KSampler: 3/20")
        assert pane.live.isVisible()
        assert pane.result.currentWidget() is pane.result.picture
        assert "Running" in pane.result.picture._word
        previews[1] = Preview(
            progress="KSampler: 4/20", picture=UnfinishedPicture(1, lambda: png(200))
        )
        await until(lambda: pane.live.is_shown)
        assert pane.live.text() == "So far: the picture is still being made.  KSampler: 4/20"

    run(go())


def test_thinking_is_shown_to_who_opens_it(stage: Build, run: Run) -> None:
    async def go() -> None:
        row = make_row(1, S.SUCCESS, output="/x/1.txt")
        built = stage(rows=[row, make_row(2, S.SUCCESS, output="/x/2.txt")])
        built.fakes.queries.details[2] = make_detail(make_row(2, S.SUCCESS), text="b")
        pane = await watching(built, make_detail(row, text="42", thinking="<i>because"))
        assert pane.thinking.isVisible()
        assert not pane.thinking.words.isVisible()
        pane.thinking.button.click()
        assert pane.thinking.words.isVisible()
        assert pane.thinking.words.toPlainText() == "<i>because"
        pane.show_task(2)
        await until(lambda: not pane.thinking.isVisible())

    run(go())


def test_the_marks_are_said_in_chinese(stage: Build, run: Run) -> None:
    async def go() -> None:
        row = make_row(1, S.RUNNING)
        built = stage(rows=[row], language="zh_CN", locale_dir=RESOURCES / "locale")
        built.fakes.runs.previews[1] = Preview("半句")
        pane = await watching(built, make_detail(row))
        await until(lambda: pane.live.is_shown)
        assert pane.live.text() == "目前为止：回答仍在生成。"

    run(go())


def test_an_unfinished_picture_stays_until_the_finished_one_is_read(
    stage: Build, run: Run, tmp_path: Path
) -> None:
    async def go() -> None:
        built = stage(rows=[make_row(1, S.RUNNING), make_row(2, S.RUNNING)])
        pane = await watching(built, make_detail(make_row(1, S.RUNNING)))
        picture, words = pane.result.picture, []
        show_word = picture.show_word
        picture.show_word = lambda *said: (words.append(said[2]), show_word(*said))  # type: ignore[method-assign]
        for pk, output in ((1, tmp_path / "1.png"), (2, tmp_path / "gone.png")):
            row = make_row(pk, S.RUNNING)
            built.fakes.queries.details[pk] = make_detail(row)
            pane.show_task(pk)
            built.fakes.runs.previews[pk] = Preview(picture=UnfinishedPicture(1, lambda: png(1)))
            await until(lambda: pane.live.is_shown)
            words.clear()
            (tmp_path / "1.png").write_bytes(png(200))
            del built.fakes.runs.previews[pk]
            await ended(built, make_detail(make_row(pk, S.SUCCESS, output=str(output))))
            if pk == 1:
                await until(lambda: red_of(picture) > 150)
                assert picture.accessibleName().startswith("Picture of row")
                assert words == []
        await until(lambda: "The file is not there any more" in words)
        assert not picture.has_picture
        assert "Loading" not in words

    run(go())
