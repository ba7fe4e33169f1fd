"""A damaged list is put together from all that can be read; what may be paid for is not sent."""

from __future__ import annotations

import hashlib
import random
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from desktop_app.domain.attempt import Billed, Outcome
from desktop_app.domain.batch import RunState
from desktop_app.domain.money import Price, PriceUnit
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import OperatorError, Translator
from desktop_app.domain.views import TaskFilter
from desktop_app.exports.verified import read_noted
from desktop_app.store import backups, migrate
from desktop_app.store.damage import StoreDamaged
from desktop_app.store.losses import LostRows
from desktop_app.store.restore import restore
from tests.store.restore_kit import NOON, History, everything, page, pages_of, root
from tests.store.store_kit import CENT, Kit, connection, draft

S = TaskState
NOT_KEPT = {"command"}
PAUSED = ("run_state", "pause_reason", "run_since")


@pytest.fixture
async def history(kit: Kit, tmp_path: Path) -> History:
    made = History(kit, tmp_path / "out")
    await made.make()
    return made


def told(found: dict[str, list[tuple[Any, ...]]]) -> dict[str, list[tuple[Any, ...]]]:
    """All but what a restore changes on purpose: unfinished batches come back paused."""
    return {name: rows for name, rows in found.items() if name not in {"command", "batch"}}


def code_of(kit: Kit, batch_id: int) -> str:
    (reason,) = kit.sql("SELECT pause_reason FROM batch WHERE id = ?", batch_id)[0]
    return str(reason)


INDEXES = ("task_row", "task_state", "task_ready", "attempt_task", "result_task", "purse_day")


@pytest.mark.parametrize("name", [*INDEXES, "account_pause", "tally", "command"])
async def test_damage_outside_the_rows_loses_nothing_and_says_so(
    history: History, opened: Any, name: str
) -> None:
    before = await history.close()
    page(history.kit.path, root(history.kit.path, name))
    with pytest.raises(StoreDamaged) as caught:
        await opened()
    assert caught.value.backup is not None
    assert caught.value.backup.made_at == NOON
    assert caught.value.message.code == "store.damaged_backup"
    done = restore(history.kit.path, read_noted)
    assert (done.is_whole, done.uncertain, done.requests) == (True, 0, 0)
    assert (done.lost_attempts, done.lost_rows) == (0, ())
    assert told(everything(history.kit.path)) == told(before)
    assert "store.restored_whole" in code_of(history.kit, history.one)


@pytest.mark.parametrize("number", ["first", "schema", "task", "payload"])
async def test_a_lost_way_to_the_rows_loses_no_row(history: History, number: str) -> None:
    before = await history.close()
    path = history.kit.path
    kinds = {
        "first": [1],
        "schema": pages_of(path, "sqlite_schema"),
        "task": pages_of(path, "task", "internal"),
        "payload": pages_of(path, "payload", "internal"),
    }
    for one in kinds[number]:
        page(path, one, random.Random(number).randbytes(4096))
    done = restore(path, read_noted)
    assert (done.is_whole, done.lost_rows) == (True, ())
    assert told(everything(path)) == told(before)


async def test_the_wal_is_read_even_where_the_first_page_is_gone(history: History) -> None:
    path = history.kit.path
    history.kit.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    failed = TaskFilter(batch_id=history.one, states=frozenset({S.FAILED}))
    assert await history.kit.store.actions.requeue(failed, NOON) == 2
    before = everything(path)
    # As after a kill: what was committed last is in the WAL alone.
    other = path.with_name("killed") / path.name
    other.parent.mkdir()
    for file in [*path.parent.glob("store.db*"), *path.parent.glob("store.backup*")]:
        shutil.copy(file, other.parent)
    page(other, 1)
    assert not backups.is_whole(other)
    done = restore(other, read_noted)
    assert done.is_whole
    assert told(everything(other)) == told(before)
    assert (done.damaged or other).with_name("store.damaged-1.db-wal").exists()


async def test_what_was_decided_and_paid_since_the_copy_stays(
    history: History, opened: Any
) -> None:
    """The rows of one leaf are gone: of the rest everything stands, and those are what their
    attempts and their files prove."""
    kit = history.kit
    before = {row[0]: row for row in (await history.close())["task"]}
    first, *_ = pages_of(kit.path, "task")
    page(kit.path, first)
    kept = {pk for (pk,) in kit.sql("SELECT task_pk FROM payload NOT INDEXED")}
    assert kept == set(before)
    done = restore(kit.path, read_noted)
    # The leaf reaches into the batch that came later.
    gone = LostRows("w2", 1, str(history.out / "w2"))
    assert (done.is_whole, done.lost_attempts, done.lost_rows) == (False, 1, (gone,))
    after = {row[0]: row for row in everything(kit.path)["task"]}
    states = {pk: (S(before[pk][3]), S(row[3])) for pk, row in after.items()}
    assert set(states.values()) <= {
        (S.SUCCESS, S.SUCCESS),
        (S.FAILED, S.FAILED),
        (S.RUNNING, S.RUNNING),
        (S.CANCELLED, S.CANCELLED),
        (S.CANCELLED, S.UNCERTAIN),
    }
    held = [pk for pk, (was, is_) in states.items() if was is not is_]
    assert done.uncertain == len(held)
    kit.store = await opened()
    assert await kit.claim(history.one) == []
    ledger = await kit.ledger(history.one)
    assert (ledger.imported, ledger.success, ledger.failed, ledger.running) == (40, 25, 2, 3)
    assert ledger.cancelled + ledger.uncertain == 10
    assert ledger.attempts == 30
    (two,) = [s for s in await kit.store.pages.batches() if s.batch.id == history.two]
    assert (two.batch.name, two.ledger.success) == ("w2", 4)


async def test_without_the_tasks_their_attempts_and_files_tell(history: History) -> None:
    kit = history.kit
    await history.close()
    for one in pages_of(kit.path, "task"):
        page(kit.path, one)
    victims = sorted(history.out.glob("*.png"))[-2:]
    victims[0].unlink()
    victims[1].write_bytes(b"another picture")
    done = restore(kit.path, read_noted)
    counts = dict(
        kit.sql("SELECT state, count(*) FROM task WHERE batch_id = ? GROUP BY 1", history.one)
    )
    # 25 were done, of which two have lost their file; 10 cancelled ones are held, none waits.
    assert counts == {S.SUCCESS: 23, S.FAILED: 2, S.RUNNING: 3, S.UNCERTAIN: 12}
    assert done.uncertain == 12
    codes = dict(kit.sql("SELECT error_code, count(*) FROM task WHERE state = 6 GROUP BY 1"))
    assert codes == {"store.file_gone": 2, "store.held": 10}
    assert done.lost_rows == (LostRows("w2", 5, str(history.out / "w2")),)
    assert done.lost_attempts is None or done.lost_attempts >= 5


async def test_a_lost_batch_is_made_anew_from_its_rows(history: History, opened: Any) -> None:
    """Nothing that was paid for in it is forgotten, and what is on its way waits for a person."""
    kit = history.kit
    shop = await kit.store.connections.by_name("Fake")
    assert shop is not None
    await kit.store.connections.save(connection("Other"))
    rows = [draft(n, prompt=f"a red shoe {n}") for n in range(2, 8)]
    three = await kit.batch(rows, name="w3", out_dir=str(history.out / "w3"))
    first, second, _ = await kit.claim(three, 3)
    maybe = {"outcome": Outcome.UNKNOWN, "billed": Billed.MAYBE}
    await kit.end(first, S.RETRYING, **maybe)
    await kit.end(second, S.RETRYING, outcome=Outcome.NOT_SENT, billed=Billed.NO)
    before = await history.close()
    page(kit.path, root(kit.path, "batch"))
    done = restore(kit.path, read_noted)
    assert (done.is_whole, done.lost_rows, done.lost_attempts) == (False, (), 0)
    assert done.rebuilt == ("#2 prompt 2", "#3 a red shoe 2")
    assert done.uncertain == 2
    assert kit.sql(
        "SELECT state, n FROM tally WHERE n > 0 AND batch_id = ? ORDER BY 1", history.two
    ) == [(S.SUCCESS, 5)]
    assert kit.sql("SELECT row_no, state FROM task WHERE batch_id = ? ORDER BY 1", three) == [
        (2, S.UNCERTAIN), (3, S.RETRYING), (4, S.UNCERTAIN), (5, S.PENDING), (6, S.PENDING),
        (7, S.PENDING),
    ]  # fmt: skip
    after = everything(kit.path)
    for same in ("payload", "result"):
        assert after[same] == before[same]
    assert len(after["attempt"]) == len(before["attempt"])
    kit.store = await opened()
    summaries = {found.batch.id: found for found in await kit.store.pages.batches()}
    two, found = summaries[history.two].batch, summaries[three].batch
    assert two.out_dir == str(history.out / "w2")  # by its results
    assert (found.out_dir, found.name) == (str(kit.path.parent / "restored-3"), "#3 a red shoe 2")
    assert (found.run_state, found.mapping.prompt_column) == (RunState.PAUSED, "2")
    assert found.pause_reason is not None
    assert found.pause_reason.code == "store.restored_batch"
    assert (found.max_calls, found.budget) == (None, None)  # nothing else keeps them
    told = Translator().say(found.pause_reason)
    assert "caps were lost" in told
    assert "Its sheet would be taken for a new one" in told
    assert summaries[three].ledger.attempts == 2
    orphans = await kit.store.engine.orphans()
    assert {orphan.claim.batch_id for orphan in orphans} == {history.one}


async def test_a_lost_batch_keeps_the_connection_that_its_sums_name(history: History) -> None:
    kit = history.kit
    shop = await kit.store.connections.by_name("Fake")
    assert shop is not None
    price = Price(CENT, PriceUnit.CALL, "USD")
    await kit.store.connections.save(replace(shop, price=price))
    three = await kit.batch(2, name="w3")
    await kit.claim(three, 1)
    await kit.store.connections.save(connection("Other"))
    await history.close()
    page(kit.path, root(kit.path, "batch"))
    restore(kit.path, read_noted)
    found = kit.sql("SELECT id, connection_id FROM batch WHERE id > 1 ORDER BY 1")
    # Of the one that has no price the newest is as good a guess as any.
    assert found == [(history.two, shop.id + 1), (three, shop.id)]


async def test_a_lost_batch_of_which_nothing_was_sent_is_named_by_its_number(
    history: History,
) -> None:
    kit = history.kit
    three = await kit.batch(6, name="w3")
    await history.close()
    page(kit.path, root(kit.path, "batch"))
    done = restore(kit.path, read_noted)
    assert done.lost_rows == (LostRows(f"#{three}", 6, None),)
    assert done.rebuilt == ("#2 prompt 2",)
    assert (done.lost_attempts, done.uncertain) == (0, 0)
    assert kit.sql("SELECT state, n FROM tally WHERE n > 0 AND batch_id = 1 ORDER BY 1") == [
        (S.RUNNING, 3), (S.SUCCESS, 25), (S.FAILED, 2), (S.CANCELLED, 10),
    ]  # fmt: skip


async def test_rows_whose_results_are_lost_stay_done_by_their_files(history: History) -> None:
    kit = history.kit
    before = await history.close()
    files = sorted(history.out.rglob("*.png"))
    for n, file in enumerate(files):
        Image.new("RGB", (8, 6 + n)).save(file)
    known = {row[0] for row in before["result"]}
    page(kit.path, root(kit.path, "result"))
    half, gone = files[-2], files[-1]
    half.write_bytes(half.read_bytes()[:40])
    gone.unlink()
    done = restore(kit.path, read_noted)
    assert (done.is_whole, done.uncertain) == (False, 2)
    after = everything(kit.path)
    assert after["attempt"] == before["attempt"]
    held = dict(kit.sql("SELECT error_code, count(*) FROM task WHERE state = 6 GROUP BY 1"))
    assert held == {"store.result_lost_file": 1, "store.result_lost": 1}
    made = kit.sql(
        "SELECT r.id, r.attempt_id, b.out_dir, r.path, r.size, r.mime, r.width, r.height, r.sha256 "
        "FROM result r JOIN task t ON t.result_id = r.id AND t.attempt_id = r.attempt_id "
        "AND t.state = 3 JOIN batch b ON b.id = t.batch_id WHERE r.id > 10"
    )
    assert len(made) == 20 - 2
    assert {row[0] for row in made} < known
    for _, attempt, out_dir, name, size, mime, width, height, sha256 in made:
        file = Path(out_dir) / name
        data = file.read_bytes()
        (stem,) = kit.sql("SELECT stem FROM attempt WHERE id = ?", attempt)[0]
        assert name == f"{stem}.png"
        assert (size, sha256) == (len(data), hashlib.sha256(data).hexdigest())
        assert (mime, width, height) == ("image/png", 8, 6 + files.index(file))


async def test_results_that_are_lost_are_held_with_the_file_of_their_name(
    history: History,
) -> None:
    """No file of theirs is a picture."""
    kit = history.kit
    await history.close()
    page(kit.path, root(kit.path, "result"))
    done = restore(kit.path, read_noted)
    assert done.uncertain == 20
    codes = dict(kit.sql("SELECT error_code, count(*) FROM task WHERE state = 6 GROUP BY 1"))
    assert codes == {"store.result_lost_file": 20}
    (note,) = kit.sql("SELECT note FROM task WHERE state = 6 AND batch_id = ?", history.two)[0]
    assert ".png" in note


async def test_a_row_whose_prompt_is_lost_is_not_sent_without_one(
    history: History, opened: Any
) -> None:
    kit = history.kit
    later = await kit.batch(30, name="w3")
    await history.close()
    lost = pages_of(kit.path, "payload")[-1]
    page(kit.path, lost)
    done = restore(kit.path, read_noted)
    assert done.requests > 0
    kit.store = await opened()
    waiting = kit.sql("SELECT count(*) FROM task WHERE state = 0")[0][0]
    await kit.store.engine.set_run_state(later, RunState.RUNNING)
    claims = await kit.claim(later)
    assert len(claims) == waiting
    assert all(claim.request.prompt for claim in claims)
    lost_ones = TaskFilter(batch_id=later, states=frozenset({S.FAILED}))
    assert await kit.store.actions.requeue(lost_ones, NOON) == 0
    broken = kit.sql("SELECT count(*) FROM task WHERE error_code = 'store.request_lost'")[0][0]
    assert broken == 30 - waiting > 0


@pytest.mark.parametrize("filling", [b"\xff", b"\0", b"random"])
async def test_no_damage_makes_a_sent_row_wait(history: History, filling: bytes) -> None:
    """Every page in turn, then many at once: a restore always works, the sums are right, and no
    row that was sent, cancelled or finished is PENDING or RETRYING afterwards."""
    kit = history.kit
    before = await history.close()
    whole = kit.path.read_bytes()
    draw = random.Random(filling)
    count = len(whole) // 4096
    copies = backups.rolling(kit.path)
    plans = [[one] for one in range(1, count + 1)]
    plans += [draw.sample(range(1, count + 1), draw.randint(2, count)) for _ in range(30)]
    for number, plan in enumerate(plans):
        place = kit.path.parent / f"round-{number}"
        place.mkdir()
        for copy in copies:
            shutil.copy(copy.path, place)
        path = place / kit.path.name
        path.write_bytes(whole if number % 5 else whole[: draw.randint(1, len(whole))])
        for one in plan:
            if (one - 1) * 4096 < path.stat().st_size:
                page(path, one, draw.randbytes(4096) if filling == b"random" else filling)
        if backups.is_whole(path):
            continue
        done = restore(path, read_noted)
        after = everything(path)
        assert backups.is_whole(path)
        assert not [row for row in after["task"] if row[3] in (S.PENDING, S.RETRYING)]
        mine = {row[0]: row for row in after["task"]}
        assert {pk for pk, row in mine.items() if row[1] == 1} == set(range(1, 41))
        with closing(sqlite3.connect(path)) as conn:
            assert conn.execute("PRAGMA foreign_key_check").fetchall() == []
        if done.is_whole:
            assert told(after) == told(before)


async def test_a_file_that_tells_nothing_holds_all_that_waited(kit: Kit, opened: Any) -> None:
    batch_id = await kit.batch(3)
    one = await kit.claim_one(batch_id)
    backups.make(kit.path, NOON)
    await kit.end(one, S.SUCCESS)
    await kit.store.close()
    kit.path.write_bytes(b"\xff" * 20_000)
    done = restore(kit.path, read_noted)
    assert (done.lost_attempts, done.lost_rows, done.uncertain) == (None, None, 2)
    kit.store = await opened()
    (batch,) = [s.batch for s in await kit.store.pages.batches()]
    assert batch.pause_reason is not None
    assert batch.pause_reason.code == "store.restored_blind"
    await kit.store.engine.set_run_state(batch_id, RunState.RUNNING)
    assert await kit.claim(batch_id) == []
    # Row 2 was on its way when the copy was made: nobody may say that it never left.
    (orphan,) = await kit.store.engine.orphans()
    assert (orphan.claim.row_no, orphan.begun) == (2, True)


async def test_a_held_row_names_the_file_that_may_be_its_own(kit: Kit, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    await kit.batch(2, out_dir=str(out))
    backups.make(kit.path, NOON)
    await kit.store.close()
    (out / "0003_SKU3.png").write_bytes(b"a picture")
    kit.path.unlink()
    assert restore(kit.path, read_noted).damaged is None
    codes = kit.sql("SELECT error_code FROM task ORDER BY row_no")
    assert codes == [("store.held",), ("store.held_file",)]


async def test_the_wal_goes_with_the_file_and_numbers_go_on(kit: Kit) -> None:
    await kit.batch(1)
    backups.make(kit.path, NOON)
    await kit.store.close()
    for n in (1, 2):
        kit.path.write_bytes(b"\xff" * 9_000)
        kit.path.with_name("store.db-wal").write_bytes(b"x")
        damaged = restore(kit.path, read_noted).damaged
        assert damaged is not None
        assert damaged.name == f"store.damaged-{n}.db"
        assert kit.path.with_name(f"store.damaged-{n}.db-wal").read_bytes() == b"x"
        assert not kit.path.with_name("store.db-wal").exists()


async def test_a_whole_list_is_not_replaced(kit: Kit) -> None:
    await kit.batch(1)
    backups.make(kit.path, NOON)
    await kit.store.close()
    with pytest.raises(OperatorError) as caught:
        restore(kit.path, read_noted)
    assert caught.value.message.code == "store.not_damaged"


@pytest.mark.parametrize("how", ["missing", "empty", "no tables"])
@pytest.mark.parametrize("read_only", [False, True])
async def test_a_lost_file_is_no_new_list_while_a_copy_lies_beside_it(
    history: History, opened: Any, how: str, read_only: bool
) -> None:
    kit = history.kit
    await history.close()
    kit.path.unlink()
    if how == "empty":
        kit.path.touch()
    elif how == "no tables":
        with closing(sqlite3.connect(kit.path)) as conn:
            conn.execute("PRAGMA journal_mode = wal")
    for check in (True, False):
        with pytest.raises(StoreDamaged) as caught:
            await opened(read_only=read_only, check=check)
        assert caught.value.message.code == "store.lost_backup"
        assert caught.value.backup is not None
    done = restore(kit.path, read_noted)
    assert done.uncertain == 30  # 10 were done when the copy was made, and nobody knows the rest
    kit.store = await opened()
    assert (await kit.ledger(history.one)).uncertain == 30


async def test_a_restore_that_was_killed_is_done_anew_from_the_file_it_set_aside(
    history: History, opened: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    kit = history.kit
    before = await history.close()
    page(kit.path, root(kit.path, "task_row"))

    class Killed(BaseException):
        pass

    rename = Path.replace

    def die(self: Path, target: Path) -> Path:
        if self.name.endswith(".restored"):
            raise Killed
        return rename(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", die)
        with pytest.raises(Killed):
            restore(kit.path, read_noted)
    assert not kit.path.exists()
    with pytest.raises(StoreDamaged):
        await opened()
    done = restore(kit.path, read_noted)
    assert done.is_whole
    assert done.damaged is not None
    assert done.damaged.name == "store.damaged-1.db"
    assert told(everything(kit.path)) == told(before)
    assert len(list(kit.path.parent.glob("store.damaged-*.db"))) == 1
    assert not list(kit.path.parent.glob("*.restored"))


async def test_without_a_copy_what_can_be_read_is_kept(history: History) -> None:
    kit = history.kit
    before = await history.close()
    for copy in backups.rolling(kit.path):
        copy.path.unlink()
    page(kit.path, root(kit.path, "task_row"))
    done = restore(kit.path, read_noted)
    assert (done.backup, done.is_whole) == (None, True)
    assert told(everything(kit.path)) == told(before)


async def test_without_a_copy_only_an_explicit_word_starts_empty(kit: Kit, opened: Any) -> None:
    await kit.batch(1)
    await kit.store.close()
    kit.path.write_bytes(b"\xff" * 9_000)
    for read_only in (False, True):
        with pytest.raises(StoreDamaged) as caught:
            await opened(read_only=read_only)
        assert caught.value.message.code == "store.damaged_alone"
    with pytest.raises(OperatorError) as refused:
        restore(kit.path, read_noted)
    assert refused.value.message.code == "store.no_backup"
    done = restore(kit.path, read_noted, fresh=True)
    assert done.backup is None
    assert done.damaged is not None
    assert done.damaged.exists()
    kit.store = await opened()
    assert await kit.store.pages.batches() == []


async def test_an_older_file_is_put_together_in_its_own_version(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    latest = max(migrate.shipped())
    shipped = migrate.shipped()
    await kit.batch(2)
    await kit.store.close()
    older = kit.path.with_name("older") / "store.db"
    older.parent.mkdir()
    with closing(sqlite3.connect(older, isolation_level=None)) as conn:
        migrate.migrate(conn, older, {n: sql for n, sql in shipped.items() if n < 3})
        conn.execute(
            "INSERT INTO connection (name, adapter, base_url, model, retries, spec) "
            "VALUES ('c', 'a', 'u', 'm', 3, '{}')"
        )
    page(older, root(older, "task_row"))
    done = restore(older, read_noted)
    with closing(sqlite3.connect(done.damaged or older)) as conn:
        assert conn.execute("PRAGMA user_version").fetchone() == (2,)
    with closing(sqlite3.connect(older)) as conn:
        assert conn.execute("PRAGMA user_version").fetchone() == (latest,)
        assert conn.execute("SELECT name FROM connection").fetchall() == [("c",)]
