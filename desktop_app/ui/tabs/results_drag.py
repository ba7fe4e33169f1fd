"""Results go from the gallery to other programs as the files they are, and only as copies."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, QRect, Qt, QUrl
from PySide6.QtGui import QDrag, QPainter, QPixmap
from PySide6.QtWidgets import QStyleOptionViewItem

from desktop_app.domain.reach import reachable
from desktop_app.domain.text import Translator
from desktop_app.ui.answer import Answer
from desktop_app.ui.context import UiContext
from desktop_app.ui.tabs.results_gallery import Gallery
from desktop_app.ui.tabs.results_model import ResultsModel

MOST = 1_000
"""More are not held by one hand: the folder is opened for that."""

LOOKED_AT = 100
"""Of so many it is made sure that they are there: the hand waits, and a network drive is slow. What
is gone of the others is said by the program that they are dropped on."""

_SHADE = 0.75


def drag_results(
    context: UiContext, view: Gallery, model: ResultsModel, places: Sequence[int]
) -> None:
    """Drag the files of these lines until the hand lets go; blocks in Qt's own way, in which timers
    and other events go on. Says why where there is nothing to drag."""
    if len(places) > MOST:

        def many(tr: Translator) -> str:
            return tr("At most {n} results can be dragged at once. Open the folder for more.", n=n)

        n = f"{MOST:,}"
        context.signals.answered.emit(Answer(many, severity="warning"))
        return
    data = files_of(context, model, places)
    if data is None:
        return
    drag = QDrag(view)
    drag.setMimeData(data)
    drag.setPixmap(_picture(view))
    drag.setHotSpot(QPoint(16, 16))
    drag.exec(Qt.DropAction.CopyAction, Qt.DropAction.CopyAction)


def files_of(context: UiContext, model: ResultsModel, places: Sequence[int]) -> QMimeData | None:
    """What is dragged; None, and said, where files are gone. None also while rows are on the way:
    the next try finds them."""
    outputs = model.outputs(places)
    if not outputs:
        return None
    gone = next(
        (each for each in outputs[:LOOKED_AT] if not reachable(Path(each), 0).exists()), None
    )
    if gone is not None:

        def missing(tr: Translator) -> str:
            return tr("{path} is gone or can't be read.", path=gone)

        context.signals.answered.emit(Answer(missing, severity="error"))
        return None
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(output) for output in outputs])
    return data


def _picture(view: Gallery) -> QPixmap:
    """The tile under the hand, half to be seen through."""
    index = view.currentIndex()
    option = QStyleOptionViewItem()
    view.initViewItemOption(option)
    option.rect = QRect(QPoint(0, 0), view.visualRect(index).size())
    ratio = view.devicePixelRatioF()
    picture = QPixmap(option.rect.size() * ratio)
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    with QPainter(picture) as painter:
        painter.setOpacity(_SHADE)
        view.itemDelegate().paint(painter, option, index)
    return picture
