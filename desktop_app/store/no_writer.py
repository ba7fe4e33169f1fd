"""A store that is opened for reading only refuses every change with the same sentence."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future as ThreadFuture
from typing import TypeVar

from desktop_app.domain.errors import LocalTrouble
from desktop_app.store.writer import Txn, Writer

Item = TypeVar("Item")
T = TypeVar("T")


class NoWriter(Writer):
    """Stands in where the store was opened for reading only."""

    def __init__(self, said: LocalTrouble) -> None:
        self._said = said
        self.checked = ThreadFuture()
        self.checked.set_result(None)

    def start(self) -> None:
        """Nothing to start."""

    def stop(self) -> None:
        """Nothing to stop."""

    async def close(self) -> None:
        """Nothing to close."""

    async def do(self, op: Callable[[Txn], T]) -> T:  # noqa: ARG002 - the same signature
        """Refuse."""
        raise self._said

    async def do_provisionally(self, op: Callable[[Txn], T]) -> T:  # noqa: ARG002 - the same signature
        """Refuse."""
        raise self._said

    def do_with_others(
        self,
        op: Callable[[Txn, Sequence[Item]], list[T]],  # noqa: ARG002 - the same signature
        item: Item,  # noqa: ARG002 - the same signature
    ) -> asyncio.Future[T]:
        """Refuse."""
        raise self._said
