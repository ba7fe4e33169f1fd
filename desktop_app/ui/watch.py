"""One place asks the services how things stand, so that panes never ask twice for the same."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from PySide6.QtCore import QObject, QTimer, Signal

from desktop_app.domain.events import (
    BatchChanged,
    BatchFinished,
    ConnectionsChanged,
    EngineChanged,
    Event,
    TasksChanged,
)
from desktop_app.domain.ledger import Ledger
from desktop_app.domain.money import Money, sums
from desktop_app.domain.views import AccountState, BatchSummary, ConnectionView, EngineStatus
from desktop_app.ui.context import UiContext
from desktop_app.ui.tasks import Latest

BATCHES_EVERY_S = 0.4
STATUS_EVERY_S = 0.25


@dataclass(frozen=True, slots=True)
class Standing:
    """The selected batch, or all batches together (``summary`` None). ``has_rivals``: rows of other
    batches wait as well."""

    batch_id: int | None = None
    summary: BatchSummary | None = None
    ledger: Ledger = field(default_factory=Ledger)
    spent: tuple[Money, ...] = ()
    unpriced_calls: int = 0
    reserved: tuple[Money, ...] = ()
    maybe_double: int = 0
    has_rivals: bool = False
    status: EngineStatus = field(default_factory=EngineStatus)


class Watch(QObject):
    """Follows the events; while something runs it also asks once a second, for rate and ETA.

    ``batches`` list[BatchSummary], ``connections`` list[ConnectionView], ``standing`` Standing.
    ``told`` fires once, when each of them has been told as it is.
    """

    batches = Signal(list)
    connections = Signal(list)
    standing = Signal(object)
    told = Signal()

    def __init__(self, context: UiContext, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._batch_id: int | None = None
        self._stopped = False
        self._untold = {"connections", "status"}
        self.known: list[BatchSummary] = []
        self.links: list[ConnectionView] = []
        self.now = Standing()
        self._ask_batches = Latest(context.spawn, self._load_batches, BATCHES_EVERY_S)
        self._ask_status = Latest(context.spawn, self._load_status, STATUS_EVERY_S)
        self._ask_connections = Latest(context.spawn, self._load_connections, BATCHES_EVERY_S)
        self._pulse = QTimer(self, interval=1000)
        self._pulse.timeout.connect(self._ask_status)
        context.signals.events.connect(self._on_events)

    def begin(self) -> None:
        """Ask for everything once."""
        self._ask_connections()
        self._ask_batches()

    def look_for_keys(self) -> None:
        """Ask the password store, which takes longer than the first rows may wait for it."""
        self._context.spawn(self._context.services.connections.look_for_keys())

    def stop(self) -> None:
        """Ask no more."""
        self._pulse.stop()
        self._stopped = True

    def select(self, batch_id: int | None) -> None:
        """Follow this batch, or all."""
        self._batch_id = batch_id
        # Rates and banners hold for the whole engine: they stay until the answer, or they flicker.
        self._combine(replace(self.now.status, eta_s=None))
        self._ask_status()

    def summary(self, batch_id: int | None) -> BatchSummary | None:
        """The last known summary of a batch."""
        return next((s for s in self.known if s.batch.id == batch_id), None)

    def _on_events(self, events: list[Event]) -> None:
        if self._stopped:
            return
        if any(isinstance(e, TasksChanged | BatchChanged | BatchFinished) for e in events):
            self._ask_batches()
        if any(isinstance(e, EngineChanged) for e in events):
            self._ask_status()
        if any(isinstance(e, ConnectionsChanged) for e in events):
            self._ask_connections()

    async def _load_batches(self) -> None:
        self.known = await self._context.services.queries.batches()
        self.batches.emit(self.known)
        await self._load_status()

    async def _load_connections(self) -> None:
        self.links = await self._context.services.connections.views()
        self.connections.emit(self.links)
        self._tell("connections")

    async def _load_status(self) -> None:
        asked = self._batch_id
        if asked is not None and self.summary(asked) is None:
            return
        status = await self._context.services.runs.status(asked)
        if asked != self._batch_id:
            return
        self._combine(status)
        self._tell("status")
        # These two come or end by themselves, and nobody says when.
        passing = any(v.state in (AccountState.SLOWED, AccountState.WAITING) for v in self.links)
        if passing or status.is_slowed:
            self._ask_connections()
        busy = status.active or status.in_flight > 0 or status.is_slowed or passing
        if busy and not self._pulse.isActive():
            self._pulse.start()
        elif not busy:
            self._pulse.stop()

    def _tell(self, what: str) -> None:
        if what in self._untold:
            self._untold.discard(what)
            if not self._untold:
                self.told.emit()

    def _combine(self, status: EngineStatus) -> None:
        summary = self.summary(self._batch_id)
        shown = [summary] if summary is not None else []
        if self._batch_id is None:
            shown = self.known
        ledger = Ledger()
        for each in shown:
            ledger = ledger.plus(each.ledger)
        self.now = Standing(
            batch_id=self._batch_id,
            summary=summary,
            ledger=ledger,
            spent=sums(money for each in shown for money in each.spent),
            unpriced_calls=sum(each.unpriced_calls for each in shown),
            reserved=sums(money for each in shown for money in each.reserved),
            maybe_double=sum(each.maybe_double for each in shown),
            has_rivals=any(each.ledger.unfinished for each in self.known if each not in shown),
            status=status,
        )
        self.standing.emit(self.now)
