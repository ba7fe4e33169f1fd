"""Group commit: one fsync for many, and no operation's trouble is another's."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from desktop_app.domain.errors import LocalTrouble
from desktop_app.store.connect import LOG_PAGES, PROVISIONAL_LOG_PAGES, open_writer, raw
from desktop_app.store.loop_turn import LoopTurn
from desktop_app.store.sql_thread import Job, StoreClosed
from desktop_app.store.writer import Txn, Writer

Change = tuple[int, tuple[int, ...]]


class Rig:
    """A writer on a file with one table, its statements traced, its changes kept."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.changes: list[Change] = []
        self.statements: list[str] = []
        self.gate = threading.Event()
        self.writer = Writer(self._connect, lambda batch, pks: self.changes.append((batch, pks)))

    def _connect(self) -> Any:
        database = open_writer(self.path)
        conn = raw(database)
        conn.execute("CREATE TABLE IF NOT EXISTS parent (id INTEGER PRIMARY KEY)")
        conn.execute(
            "CREATE TABLE IF NOT EXISTS n (i INTEGER PRIMARY KEY, "
            "parent INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)"
        )
        conn.set_trace_callback(self.statements.append)
        return database

    def hold(self) -> asyncio.Task[None]:
        """Keep the thread busy until the gate opens, so that what follows is one group."""
        loop = asyncio.get_running_loop()
        self.held = asyncio.Event()

        def wait(_txn: Txn) -> None:
            loop.call_soon_threadsafe(self.held.set)
            assert self.gate.wait(10)

        return asyncio.ensure_future(self.writer.do(wait))

    def stored(self) -> list[int]:
        with contextlib.closing(sqlite3.connect(self.path)) as conn:
            return [i for (i,) in conn.execute("SELECT i FROM n ORDER BY i")]


def put(number: int, batch: int | None = None) -> Callable[[Txn], int]:
    def op(txn: Txn) -> int:
        txn.execute("INSERT INTO n (i) VALUES (?)", (number,))
        if batch is not None:
            txn.touch(batch, (number,))
        return number

    return op


@pytest.fixture
def rig(path: Path) -> Iterator[Rig]:
    made = Rig(path)
    made.writer.start()
    yield made
    made.gate.set()
    made.writer.stop()


async def group(rig: Rig, *ops: Callable[[Txn], Any]) -> list[Any]:
    """Run these in one group; outcomes in order, exceptions among them."""
    held = rig.hold()
    await rig.held.wait()
    waiting = [asyncio.ensure_future(rig.writer.do(op)) for op in ops]
    await asyncio.sleep(0)
    rig.gate.set()
    await held
    return await asyncio.gather(*waiting, return_exceptions=True)


async def test_all_that_wait_share_one_commit(rig: Rig) -> None:
    assert await group(rig, *(put(i) for i in range(50))) == list(range(50))
    assert rig.statements.count("COMMIT") == 2  # the first is of the one that held the gate
    assert rig.stored() == list(range(50))


async def test_one_failure_is_its_own_and_leaves_nothing_of_itself(rig: Rig) -> None:
    def half(txn: Txn) -> None:
        put(10, batch=7)(txn)
        raise KeyError("half way")

    one, bad, three = await group(rig, put(1, batch=7), half, put(3, batch=7))
    assert (one, three) == (1, 3)
    assert isinstance(bad, KeyError)
    assert rig.stored() == [1, 3]
    assert rig.changes == [(7, (1, 3))]


async def test_a_failed_commit_fails_all_and_publishes_nothing(rig: Rig) -> None:
    def orphan(txn: Txn) -> None:
        txn.execute("INSERT INTO n (i, parent) VALUES (2, 99)")  # found out only by COMMIT

    found = await group(rig, put(1, batch=7), orphan, put(3, batch=7))
    assert [type(error) for error in found] == [sqlite3.IntegrityError] * 3
    assert rig.stored() == []
    assert rig.changes == []
    assert await rig.writer.do(put(4)) == 4  # and the writer goes on
    assert rig.stored() == [4]


async def test_a_full_disk_is_told_as_this_machines_trouble(rig: Rig) -> None:
    def fill(txn: Txn) -> None:
        txn.execute("PRAGMA max_page_count = 8")
        txn.execute("CREATE TABLE big (b BLOB)")
        txn.execute("INSERT INTO big VALUES (zeroblob(1000000))")

    found = await group(rig, put(1, batch=7), fill)
    assert all(isinstance(error, LocalTrouble) for error in found)
    assert {error.message.code for error in found} == {"store.disk_full"}
    assert rig.stored() == []
    assert rig.changes == []


async def test_another_process_holding_the_file_is_told_as_trouble(rig: Rig) -> None:
    await rig.writer.do(lambda txn: None)
    with contextlib.closing(sqlite3.connect(rig.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        rig.gate.set()
        await asyncio.wrap_future(_impatient(rig))
        with pytest.raises(LocalTrouble) as caught:
            await rig.writer.do(put(1))
        other.execute("ROLLBACK")
    assert caught.value.message.code == "store.busy"
    assert await rig.writer.do(put(2)) == 2


def _impatient(rig: Rig) -> Any:
    """Set the busy time-out to nothing, outside any transaction, in the writer's thread."""
    from concurrent.futures import Future

    done: Future[None] = Future()
    serve = rig.writer._serve

    def once(connection: sqlite3.Connection, jobs: list[Any]) -> None:
        connection.execute("PRAGMA busy_timeout = 0")
        rig.writer._serve = serve  # type: ignore[method-assign]
        serve(connection, jobs)
        done.set_result(None)

    rig.writer._serve = once  # type: ignore[method-assign]
    asyncio.ensure_future(_swallow(rig))  # noqa: RUF006 - awaited through ``done``
    return done


async def _swallow(rig: Rig) -> None:
    with contextlib.suppress(LocalTrouble):
        await rig.writer.do(lambda txn: None)


async def test_a_cancelled_callers_operation_still_completes(rig: Rig) -> None:
    held = rig.hold()
    await rig.held.wait()
    caller = asyncio.ensure_future(rig.writer.do(put(1, batch=7)))
    await asyncio.sleep(0)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    rig.gate.set()
    await held
    await rig.writer.do(put(2))
    assert rig.stored() == [1, 2]
    assert rig.changes == [(7, (1,))]


@pytest.mark.expect_log("caller had gone")
async def test_a_deserted_failure_is_logged(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    held = rig.hold()
    await rig.held.wait()
    caller = asyncio.ensure_future(rig.writer.do(lambda txn: {}["gone"]))  # type: ignore[index]
    await asyncio.sleep(0)
    caller.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await caller
    rig.gate.set()
    await held
    await rig.writer.do(put(1))
    assert "caller had gone" in caplog.text


async def test_changes_are_published_after_the_commit_and_before_the_caller(rig: Rig) -> None:
    seen: list[tuple[Change, list[int]]] = []
    rig.writer._on_change = lambda batch, pks: seen.append(((batch, pks), rig.stored()))
    await rig.writer.do(put(5, batch=7))
    assert seen == [((7, (5,)), [5])]


@pytest.mark.expect_log("a listener failed")
async def test_a_listener_that_raises_keeps_nobody_waiting(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    def bad(_batch: int, _pks: tuple[int, ...]) -> None:
        raise ValueError("listener")

    rig.writer._on_change = bad
    assert await rig.writer.do(put(1, batch=7)) == 1
    assert "listener failed" in caplog.text


async def test_close_finishes_what_is_queued(path: Path) -> None:
    rig = Rig(path)
    rig.writer.start()
    held = rig.hold()
    await rig.held.wait()
    waiting = [asyncio.ensure_future(rig.writer.do(put(i))) for i in range(5)]
    await asyncio.sleep(0)
    closing = asyncio.ensure_future(rig.writer.close())
    await asyncio.sleep(0)
    with pytest.raises(StoreClosed):
        await rig.writer.do(put(9))
    rig.gate.set()
    await asyncio.gather(held, closing, *waiting)
    assert rig.stored() == [0, 1, 2, 3, 4]
    wal = path.with_name(path.name + "-wal")
    assert not wal.exists() or wal.stat().st_size == 0


def test_a_loop_that_closed_meanwhile_does_no_harm(path: Path) -> None:
    rig = Rig(path)
    rig.writer.start()

    async def leave() -> None:
        held = rig.hold()
        await rig.held.wait()
        task = asyncio.ensure_future(rig.writer.do(put(1)))
        await asyncio.sleep(0)
        held.cancel()
        task.cancel()
        await asyncio.gather(held, task, return_exceptions=True)

    asyncio.run(leave())
    rig.gate.set()
    rig.writer.stop()
    assert rig.stored() == [1]


def test_opening_trouble_reaches_whoever_opens(tmp_path: Path) -> None:
    writer = Writer(lambda: open_writer(tmp_path / "missing" / "x.db"), lambda b, p: None)
    with pytest.raises(Exception, match="unable to open"):
        writer.start()
    writer.stop()


async def test_the_files_promises_are_set(rig: Rig) -> None:
    def pragmas(txn: Txn) -> tuple[Any, ...]:
        names = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        return tuple(txn.one(f"PRAGMA {name}")[0] for name in names)

    assert await rig.writer.do(pragmas) == ("wal", 2, 1, 5000)


async def test_only_what_would_be_thrown_away_anyway_is_not_waited_for_on_the_disk(
    rig: Rig,
) -> None:
    def sync(txn: Txn) -> int:
        return int(txn.one("PRAGMA synchronous")[0])

    assert await rig.writer.do_provisionally(sync) == 1
    assert await rig.writer.do_provisionally(sync) == 1
    assert await rig.writer.do(sync) == 2
    # What shares a commit with something lasting lasts.
    held = rig.hold()
    await rig.held.wait()
    shared = asyncio.gather(rig.writer.do_provisionally(sync), rig.writer.do(sync))
    await asyncio.sleep(0)
    rig.gate.set()
    assert await shared == [2, 2]
    await held


async def test_during_an_import_the_log_may_grow_for_it_is_copied_beside_the_writer(
    rig: Rig,
) -> None:
    def pages(txn: Txn) -> int:
        return int(txn.one("PRAGMA wal_autocheckpoint")[0])

    assert await rig.writer.do(pages) == LOG_PAGES
    assert await rig.writer.do_provisionally(pages) == PROVISIONAL_LOG_PAGES
    assert await rig.writer.do(pages) == LOG_PAGES


class Faulty:
    """A connection whose statements fail as long as ``faults`` names their first word."""

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn
        self.faults: dict[str, int] = {}

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        code = self.faults.get(sql.split()[0])
        if code is not None:
            error = sqlite3.OperationalError(f"fault {code}")
            error.sqlite_errorcode = code
            raise error
        return self._conn.execute(sql, *values)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._conn, name)


@pytest.fixture
def faulty(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Rig, Faulty]]:
    made: list[Faulty] = []

    def wrapped(database: Any) -> Any:
        made.append(Faulty(raw(database)))
        return made[0]

    monkeypatch.setattr("desktop_app.store.sql_thread.raw", wrapped)
    rig = Rig(path)
    rig.writer.start()

    def connected(_txn: Txn) -> None:
        pass

    asyncio.run(rig.writer.do(connected))
    yield rig, made[0]
    made[0].faults.clear()
    rig.writer.stop()


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (sqlite3.SQLITE_BUSY, "store.busy"),
        (sqlite3.SQLITE_IOERR_WRITE, "store.cannot_write"),
        (sqlite3.SQLITE_IOERR_FSYNC, "store.cannot_write"),
        (sqlite3.SQLITE_FULL, "store.disk_full"),
        (sqlite3.SQLITE_CORRUPT, "store.damaged"),
    ],
)
@pytest.mark.parametrize("words", [("BEGIN",), ("SAVEPOINT",), ("RELEASE",), ("COMMIT",)])
async def test_a_fault_anywhere_is_told_and_does_not_end_the_writer(
    faulty: tuple[Rig, Faulty], code: int, said: str, words: tuple[str, ...]
) -> None:
    rig, conn = faulty
    conn.faults = dict.fromkeys(words, code)
    with pytest.raises(LocalTrouble) as caught:
        await asyncio.wait_for(rig.writer.do(put(1, batch=7)), 60)
    assert caught.value.message.code == said
    conn.faults = {}
    assert await asyncio.wait_for(rig.writer.do(put(2)), 60) == 2
    assert rig.stored() == [2]
    assert rig.changes == []


@pytest.mark.expect_log("could not be rolled back")
async def test_a_rollback_that_fails_too_is_made_up_for(faulty: tuple[Rig, Faulty]) -> None:
    rig, conn = faulty
    conn.faults = dict.fromkeys(("COMMIT", "ROLLBACK"), sqlite3.SQLITE_IOERR_FSYNC)
    for _ in range(2):
        with pytest.raises(LocalTrouble):
            await asyncio.wait_for(rig.writer.do(put(1)), 60)
    conn.faults = {}
    assert await asyncio.wait_for(rig.writer.do(put(2)), 60) == 2
    assert rig.stored() == [2]


@pytest.mark.expect_log("a group of the store's thread failed")
async def test_a_fault_in_the_thread_itself_is_told_to_whoever_waits(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise MemoryError("no room")

    with monkeypatch.context() as patched:
        patched.setattr(rig.writer, "_run", broken)
        patched.setattr(rig.writer, "_serve", broken)
        with pytest.raises(MemoryError):
            await asyncio.wait_for(rig.writer.do(put(1)), 60)
    assert await rig.writer.do(put(2)) == 2


@pytest.mark.parametrize("system", ["darwin", "linux"])
def test_a_power_cut_is_waited_out_where_the_system_needs_asking(
    path: Path, monkeypatch: pytest.MonkeyPatch, system: str
) -> None:
    monkeypatch.setattr("desktop_app.store.connect.sys.platform", system)
    database = open_writer(path)
    names = ("synchronous", "fullfsync", "checkpoint_fullfsync")
    found = [raw(database).execute(f"PRAGMA {name}").fetchone()[0] for name in names]
    database.close()
    assert found == ([2, 1, 1] if system == "darwin" else [2, 0, 0])


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte; only where this user may mount one."""
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "batchwright-test", str(place)]
    try:
        done = subprocess.run(mount, capture_output=True, check=False)
    except OSError:
        pytest.skip("there is no mount here")
    if done.returncode:
        pytest.skip(f"may not mount: {done.stderr.decode().strip()}")
    yield place
    subprocess.run(["umount", str(place)], check=True)


async def test_a_disk_that_is_really_full_holds_and_goes_on_when_freed(small_disk: Path) -> None:
    rig = Rig(small_disk / "store.db")
    rig.writer.start()
    await rig.writer.do(put(1))
    ballast = small_disk / "ballast"
    with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
        while file.write(b"x" * 4096):
            pass

    def big(txn: Txn) -> None:
        txn.executemany("INSERT INTO n (i) VALUES (?)", [(i,) for i in range(10, 100_000)])

    with pytest.raises(LocalTrouble) as caught:
        await rig.writer.do(big)
    assert caught.value.message.code in {"store.disk_full", "store.cannot_write"}
    ballast.unlink()
    assert await rig.writer.do(put(2)) == 2
    assert rig.stored() == [1, 2]
    rig.writer.stop()


def put_all(txn: Txn, numbers: Sequence[int]) -> list[tuple[int, int]]:
    """How many were handed over with each; a number twice among them fails."""
    txn.executemany("INSERT INTO n (i) VALUES (?)", [(number,) for number in numbers])
    txn.touch(7, numbers)
    return [(number, len(numbers)) for number in numbers]


async def together(rig: Rig, *numbers: int | Callable[[Txn], Any]) -> list[Any]:
    """``put_all`` of each number, other operations between them, queued at one moment."""

    async def ask(one: int | Callable[[Txn], Any]) -> Any:
        if isinstance(one, int):
            return await rig.writer.do_with_others(put_all, one)
        return await rig.writer.do(one)

    held = rig.hold()
    await rig.held.wait()
    waiting = [asyncio.ensure_future(ask(one)) for one in numbers]
    await asyncio.sleep(0)
    rig.gate.set()
    await held
    return await asyncio.gather(*waiting, return_exceptions=True)


async def test_what_waits_for_the_same_is_done_in_one_call(rig: Rig) -> None:
    assert await together(rig, 1, 2, 3) == [(1, 3), (2, 3), (3, 3)]
    assert rig.changes == [(7, (1, 2, 3))]


async def test_what_is_asked_for_in_one_turn_is_one_commit(rig: Rig) -> None:
    async def later(number: int, woken: asyncio.Event) -> int:
        await woken.wait()
        return await rig.writer.do(put(number))

    woken = asyncio.Event()
    waits = asyncio.ensure_future(later(4, woken))
    await asyncio.sleep(0)
    woken.set()  # so whoever is woken by what is asked for first is in time
    assert await asyncio.gather(*(rig.writer.do(put(n)) for n in (1, 2, 3)), waits) == [1, 2, 3, 4]
    assert rig.statements.count("COMMIT") == 1


async def test_what_was_asked_for_just_before_the_end_is_done(rig: Rig) -> None:
    waiting = asyncio.ensure_future(rig.writer.do(put(1)))
    await asyncio.sleep(0)
    await rig.writer.close()
    assert await waiting == 1
    assert rig.stored() == [1]


async def test_what_is_asked_for_after_the_end_is_refused(rig: Rig) -> None:
    await rig.writer.close()
    with pytest.raises(StoreClosed, match="the store is closed"):
        await rig.writer.do(put(1))


def test_whoever_asks_while_another_thread_closes_is_served_or_refused(path: Path) -> None:
    async def asks(writer: Writer, begun: threading.Event) -> list[Any]:
        begun.set()
        asked = []
        for number in range(200):
            asked.append(asyncio.ensure_future(writer.do(lambda _txn: None)))
            if not number % 5:
                await asyncio.sleep(0)
        return await asyncio.gather(*asked, return_exceptions=True)

    for _ in range(20):
        rig = Rig(path)
        rig.writer.start()
        begun = [threading.Event() for _ in range(3)]
        with ThreadPoolExecutor(3) as pool:
            asking = [pool.submit(asyncio.run, asks(rig.writer, one)) for one in begun]
            for one in begun:
                one.wait()
            rig.writer.stop()
            ends = [end for one in asking for end in one.result(60)]
        assert len(ends) == 600
        assert all(end is None or isinstance(end, StoreClosed) for end in ends)


@pytest.mark.expect_log("the store's thread ended with trouble")
async def test_whoever_waits_when_the_thread_ends_by_itself_is_told(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_jobs: list[Job]) -> None:
        monkeypatch.undo()
        raise ValueError("a fault of our own")

    monkeypatch.setattr(rig.writer, "_deliver", fails)
    lost = rig.hold()
    await rig.held.wait()
    waits = asyncio.ensure_future(rig.writer.do(put(1)))
    await asyncio.sleep(0.01)
    rig.gate.set()
    with pytest.raises(StoreClosed):
        await asyncio.wait_for(waits, 60)
    lost.cancel()
    assert rig.stored() == []


async def test_what_others_do_between_keeps_its_place(rig: Rig) -> None:
    def seen(txn: Txn) -> int:
        return int(txn.one("SELECT count(*) FROM n")[0])

    assert await together(rig, 1, 2, seen, 3) == [(1, 2), (2, 2), 2, (3, 1)]


async def test_one_of_many_that_fails_takes_no_other_with_it(rig: Rig) -> None:
    one, two, again, three = await together(rig, 1, 2, 1, 3)
    assert (one, two, three) == ((1, 1), (2, 1), (3, 1))
    assert isinstance(again, sqlite3.IntegrityError)
    assert rig.stored() == [1, 2, 3]
    assert rig.changes == [(7, (1, 2, 3))]


async def test_it_waits_for_the_loop_when_there_is_something_to_commit(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(LoopTurn, "wait", lambda _turn: said.append("waited"))
    monkeypatch.setattr(LoopTurn, "committed", lambda _turn, _took_s: said.append("committed"))
    await rig.writer.do(put(1))
    await rig.writer.do(put(2))
    assert said == ["waited", "committed"] * 2
