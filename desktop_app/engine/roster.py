"""The batches that run now, each with the open connection that its rows go through."""

from __future__ import annotations

from desktop_app.domain.batch import Batch, RunState
from desktop_app.domain.ports import EngineStore
from desktop_app.domain.text import OperatorError
from desktop_app.engine.accounts import Accounts
from desktop_app.engine.breaker import Standing
from desktop_app.engine.dry import Dry
from desktop_app.engine.endings import Endings
from desktop_app.engine.lines import Account, Line


class Roster:
    """``held``: batches of which nothing may be sent, whatever was read of them. ``dry``: those
    that have nothing to claim. ``stale``: what is here is to be read again."""

    def __init__(self, store: EngineStore, accounts: Accounts, endings: Endings) -> None:
        self._store = store
        self._accounts = accounts
        self._endings = endings
        self._lines: dict[int, Line] = {}
        self._watched: set[int] = set()
        self.dry = Dry()
        self.stale = True
        self.held: set[int] = set()
        self.batches: dict[int, Batch] = {}

    def line(self, batch_id: int) -> Line:
        """The connection of a batch that runs."""
        return self._lines[batch_id]

    def watch(self, batch_id: int) -> None:
        """A person set this batch going: its end is announced even if it has come already."""
        self._watched.add(batch_id)

    def is_running(self, batch_id: int) -> bool:
        """Whether rows of this batch may be sent."""
        return batch_id in self.batches and batch_id not in self.held

    def accounts(self) -> list[Account]:
        """The accounts of running batches, each once."""
        return list({line.account.key: line.account for line in self._lines.values()}.values())

    def open_accounts(self) -> list[Account]:
        """Those of every open connection, whether a batch runs through it or not."""
        return list(self._accounts.accounts)

    def ready(self, account: Account) -> list[Batch]:
        """The batches of an account that may have rows to send."""
        return [
            batch
            for batch in self.batches.values()
            if self._lines[batch.id].account is account
            and batch.id not in self.held
            and batch.id not in self.dry
            and self._lines[batch.id].stopped is None
        ]

    def has_work(self) -> bool:
        """Whether a running batch goes on without a person."""
        for batch_id in self.batches:
            line = self._lines.get(batch_id)
            if batch_id in self.held or self._endings.is_finished(batch_id) or line is None:
                continue
            standing = line.account.breaker.standing
            if standing not in (Standing.PAUSED, Standing.NO_KEY) and line.stopped is None:
                return True
        return False

    async def look(self) -> None:
        """Read again what runs, where something of it has changed."""
        if self.stale or any(line.retired for line in self._lines.values()):
            await self._load()

    async def _load(self) -> None:
        self.stale = False
        batches = {batch.id: batch for batch in await self._store.running_batches()}
        await self._see_off(self._watched - set(batches))
        self._watched |= set(batches)
        lines: dict[int, Line] = {}
        for batch in list(batches.values()):
            try:
                lines[batch.id] = await self._accounts.line(batch.connection_id)
            except OperatorError as error:
                await self._endings.pause(batch.id, error.message)
                del batches[batch.id]
        self.batches, self._lines = batches, lines
        self.dry.keep(set(batches))
        ranks = {batch.id: int(batch.priority) for batch in batches.values()}
        for account in self.accounts():
            account.limiter.allowances.rank(ranks)

    async def _see_off(self, batch_ids: set[int]) -> None:
        """Batches that no longer run: one that has come to its end is announced."""
        for batch_id in sorted(batch_ids):
            batch = await self._store.batch(batch_id)
            ended = batch is not None and batch.run_state is RunState.RUNNING
            if batch is None or not ended or await self._endings.announce(batch):
                self._watched.discard(batch_id)
