"""Which line the banner shows: the gravest first, but an answer to what was just done before it."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, QTimer, Signal

from desktop_app.domain.batch import RunState
from desktop_app.domain.text import Message, Translator, message
from desktop_app.domain.views import Banner, BannerAction, BatchSummary
from desktop_app.ui.answer import Answer
from desktop_app.ui.context import UiContext

RANK = {"error": 0, "warning": 1, "info": 2}
DISMISSED = "banners.dismissed"
REMEMBERED = 200  # closed lines
HOLD_MS = 8000  # an answer stays on top this long, whatever else there is to say
PASSES_MS = 20_000  # one that only tells goes by itself: rows requeued then are done by now
OWN = "window:"  # keys of the window's own lines, which the operator may close


class Lines(QObject):
    """The engine's lines and the window's own. ``changed`` fires when another may be due."""

    changed = Signal()

    def __init__(self, context: UiContext, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._engine: tuple[Banner, ...] = ()
        self._own: dict[str, Banner] = {}
        self._answers: dict[str, Answer] = {}
        self._dismissed = list(context.services.preferences.get(DISMISSED, []))
        self._held = ""
        self._at = 0
        self.hold = QTimer(self, interval=HOLD_MS, singleShot=True)
        self.hold.timeout.connect(self._let_go)
        self.passing = QTimer(self, interval=PASSES_MS, singleShot=True)
        self.passing.timeout.connect(self._pass)
        context.signals.answered.connect(self.show_answer)
        context.signals.trouble.connect(lambda said: self.show_own("trouble", "error", said))
        context.signals.notice.connect(lambda said: self.show_own("notice", "info", said))

    def set_engine(self, banners: Iterable[Banner]) -> None:
        """What the engine has to say now; replaces what it said before."""
        self._engine = tuple(banners)
        self.changed.emit()

    def show_own(self, key: str, severity: str, said: Message) -> None:
        """A line of the window's own; it stays until closed or replaced."""
        self._put(Banner(OWN + key, severity, said))

    def show_answer(self, answer: Answer) -> None:
        """The outcome of what was just done, in the language of now whenever that changes. One
        that offers nothing to do stays for a while."""
        actions = (BannerAction.OPEN_FOLDER,) if answer.file is not None else ()
        if answer.resume:
            actions = (*actions, BannerAction.RESUME)
        banner = Banner(OWN + "answer", answer.severity, message("text.plain", text=""), actions)
        self._put(banner, answer)

    def _put(self, banner: Banner, answer: Answer | None = None) -> None:
        self._forget(banner.key)
        self._own[banner.key] = banner
        if answer is not None:
            self._answers[banner.key] = answer
            self.passing.start()
        self._held = banner.key
        self.hold.start()
        self.changed.emit()

    def _forget(self, key: str) -> None:
        self._own.pop(key, None)
        self._answers.pop(key, None)

    def _let_go(self) -> None:
        """The answer had its time: the gravest line is shown again."""
        self._held = ""
        self._at = 0
        self.changed.emit()

    def _pass(self) -> None:
        for key, answer in list(self._answers.items()):
            if answer.severity == "info" and not self._own[key].actions:
                self._forget(key)
                self.changed.emit()

    def all(self) -> list[Banner]:
        """All lines, the most severe first; the window's own news before the engine's."""
        engine = (banner for banner in self._engine if _mark(banner) not in self._dismissed)
        both = [*reversed(self._own.values()), *engine]
        return sorted(both, key=lambda banner: RANK.get(banner.severity, 2))

    def due(self) -> tuple[Banner | None, int, int]:
        """(the line to show now, its place, how many there are)."""
        lines = self.all()
        held = (at for at, banner in enumerate(lines) if banner.key == self._held)
        self._at = next(held, min(self._at, max(0, len(lines) - 1)))
        return (lines[self._at] if lines else None, self._at, len(lines))

    def sentence(self, tr: Translator, banner: Banner) -> str:
        """What a line says."""
        answer = self._answers.get(banner.key)
        return answer.text(tr) if answer is not None else tr.say(banner.said)

    def answer(self, banner: Banner) -> Answer | None:
        """The answer behind a line, where it is one."""
        return self._answers.get(banner.key)

    def set_batches(self, summaries: Iterable[BatchSummary]) -> None:
        """What an answer offers to resume may have been resumed elsewhere: then it is out of
        date."""
        runs = {s.batch.id for s in summaries if s.batch.run_state is RunState.RUNNING}
        for key, answer in list(self._answers.items()):
            if answer.resume and runs.issuperset(answer.resume):
                self._forget(key)
                self.changed.emit()

    def show_next(self) -> None:
        """The operator leafs through."""
        self._held = ""
        self._at = (self._at + 1) % max(1, len(self.all()))
        self.changed.emit()

    def close(self, banner: Banner) -> None:
        """The operator has read it; the engine's very line is not shown again."""
        if banner.key.startswith(OWN):
            self._forget(banner.key)
        else:
            self._dismissed = [*self._dismissed[-REMEMBERED:], _mark(banner)]
            self._context.services.preferences.set(DISMISSED, self._dismissed)
        self.changed.emit()


def may_close(banner: Banner) -> bool:
    """Our own lines, and lines that only tell: of something finished, or with nothing to do."""
    if banner.key.startswith(OWN):
        return True
    if not banner.actions:
        return banner.severity == "info"
    only_tell = {BannerAction.OPEN_FOLDER, BannerAction.NEEDS_YOU, BannerAction.SHOW_REPORT}
    return only_tell.issuperset(banner.actions)


def _mark(banner: Banner) -> str:
    """What tells this very line from a later one with the same key."""
    file = "" if banner.file is None else f" {banner.file}"  # two crashes of one minute are two
    return f"{banner.key} {banner.said.dump()}{file}"
