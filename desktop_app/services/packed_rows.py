"""A plan's rows, packed for the store: a long sheet in a process of its own, so that one core reads
while another one writes; threads would only take turns."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import multiprocessing
import signal
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection as Pipe
from traceback import format_exc
from typing import Protocol

from desktop_app.domain.ports import Capabilities, Drafter, Packed, Sheets
from desktop_app.domain.task import DraftValues
from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.services.addresses import values_alive
from desktop_app.services.duplicates import first_values
from desktop_app.services.import_plan import ImportPlan
from desktop_app.services.plan_rows import taken
from desktop_app.services.read_ahead import ahead

CHUNK = 2048
"""Rows that are handed on at a time."""

APART = 20_000
"""From so many rows on, a process of its own is worth its start."""


def is_long(plan: ImportPlan) -> bool:
    """Whether the plan has many rows to read."""
    most = [plan.limit, None if plan.only_rows is None else len(plan.only_rows), plan.info.rows]
    return min((count for count in most if count is not None), default=0) >= APART


class Chunks(Protocol):
    """What is read of a sheet, in parts; it can be sent to another process as it is."""

    @property
    def is_long(self) -> bool:
        """Whether there are many rows to come."""
        ...

    def __iter__(self) -> Iterator[Packed]: ...


@dataclass(frozen=True, slots=True)
class PackedRows:
    """Can be sent to another process as it is."""

    sheets: Sheets
    drafter: Drafter
    pack: Callable[[Iterable[DraftValues], int], Iterator[Packed]]
    plan: ImportPlan
    caps: Capabilities
    chunk: int

    def __iter__(self) -> Iterator[Packed]:
        """Blocks. Raises OperatorError."""
        plan = self.plan
        values = self.drafter.values(
            plan.info, plan.mapping, self.caps, taken(plan, self.sheets.lines(plan.info))
        )
        values = values_alive(values, plan.dead)
        yield from self.pack(first_values(values) if plan.skip_duplicates else values, self.chunk)

    @property
    def is_long(self) -> bool:
        """Whether there are many rows to come."""
        return is_long(self.plan)


@contextlib.asynccontextmanager
async def reader_for(
    plan: ImportPlan, *needed: object, ready: Reader | None = None
) -> AsyncIterator[Reader | None]:
    """A process that imports meanwhile what ``needed`` is made of, for ``read_packed`` to use
    later; None where the plan has few rows. ``ready`` is one that has done so already, if it still
    lives. Leaving it ends both."""
    async with contextlib.AsyncExitStack() as ending:
        if ready is not None:
            await ending.enter_async_context(_ended(ready))
        if not is_long(plan):
            yield None
        elif ready is not None and ready.is_alive():
            yield ready
        else:
            yield await ending.enter_async_context(_started(Reader(*needed)))


@contextlib.asynccontextmanager
async def read_packed(
    rows: Chunks, reader: Reader | None = None
) -> AsyncIterator[AsyncIterator[Packed]]:
    """The chunks, one read ahead; those of many rows by ``reader``, or else by a process of their
    own. Leaving it ends the reading, however far it came. Raises OperatorError."""
    if not rows.is_long:
        async with contextlib.aclosing(ahead(iter(rows))) as chunks:
            yield chunks
    elif reader is None:
        async with _started(Reader()) as own, read_packed(rows, own) as chunks:
            yield chunks
    else:
        async with contextlib.aclosing(ahead(reader.read(rows))) as chunks:
            try:
                yield chunks
            finally:
                # First, since nobody waits for a sheet that is no longer wanted.
                reader.kill()


@contextlib.asynccontextmanager
async def _started(reader: Reader) -> AsyncIterator[Reader]:
    await asyncio.to_thread(reader.start)
    async with _ended(reader):
        yield reader


@contextlib.asynccontextmanager
async def _ended(reader: Reader) -> AsyncIterator[None]:
    try:
        yield
    finally:
        reader.kill()
        await asyncio.shield(asyncio.to_thread(reader.close))


class Reader:
    """The process, seen from here. Started by ``spawn`` everywhere: a copy of a process with
    threads can't be trusted. It gets ``needed`` at once, since importing what that is made of takes
    as long as a hundred thousand rows."""

    def __init__(self, *needed: object) -> None:
        context = multiprocessing.get_context("spawn")
        self._here, self._there = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(self._there, *needed), name="sheet-reader", daemon=True
        )

    def start(self) -> None:
        """Blocks. Raises OSError where no process can be had."""
        try:
            self._process.start()
        except BaseException:
            self._here.close()
            raise
        finally:
            self._there.close()  # the process has its own: its end is seen by that

    def is_alive(self) -> bool:
        """Whether it has not ended by itself."""
        return self._process.is_alive()

    def kill(self) -> None:
        """End it now; it holds nothing but the sheet."""
        self._process.kill()

    def close(self) -> None:
        """Wait for its end. Blocks."""
        self._process.join()
        self._process.close()
        self._here.close()

    def read(self, rows: Chunks) -> Iterator[Packed]:
        """Its chunks. Blocks. Raises OperatorError."""
        try:
            self._here.send(rows)
            while (said := self._here.recv()) is not None:
                if isinstance(said, Message):
                    raise OperatorError(said)
                if isinstance(said, str):
                    raise RuntimeError(said)
                count, bad, parts = said
                yield Packed(count, bad, tuple(self._here.recv_bytes() for _ in range(parts)))
        except (EOFError, OSError) as error:
            raise OperatorError(message("services.reading_ended")) from error


def _serve(pipe: Pipe, *_needed: object) -> None:
    """The process. It ends with the sheet, so that what it drops is not looked for."""
    gc.disable()
    # The terminal's Ctrl-C is meant for the program, which then ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(BrokenPipeError, EOFError):  # the program is gone
        try:
            rows: Chunks = pipe.recv()
            for packed in rows:
                pipe.send((packed.rows, packed.bad, len(packed.parts)))
                for part in packed.parts:
                    pipe.send_bytes(part)
            pipe.send(None)
        except OperatorError as error:
            pipe.send(error.message)
        except (BrokenPipeError, EOFError):
            raise
        except Exception:
            pipe.send(format_exc())
