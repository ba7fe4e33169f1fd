"""One house a folder, guests beside it, and commands that reach whoever is at home."""

from __future__ import annotations

import asyncio
import logging
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from desktop_app.domain.batch import RunState, SheetMapping
from desktop_app.domain.connection import Connection
from desktop_app.domain.events import BatchChanged, TasksChanged
from desktop_app.domain.ports import Command
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.domain.views import Banner, BannerAction, TaskFilter
from desktop_app.services.import_batch import ImportPlan
from desktop_app.store import looking
from desktop_app.wiring import (
    FolderInUse,
    House,
    HouseOptions,
    StoreDamaged,
    key_variable,
    open_guest,
    open_house,
    translator,
    watched,
)

WIRED = Connection("shop", "openai-images", "http://127.0.0.1:9/v1", "m", proxy="none")


@pytest.fixture
def options(tmp_path: Path) -> HouseOptions:
    return HouseOptions(data_dir=tmp_path / "data", language="en")


async def import_rows(house: House, folder: Path, rows: int = 3) -> int:
    sheet = folder / "s.csv"
    sheet.write_text("prompt\n" + "".join(f"p{n}\n" for n in range(rows)), encoding="utf-8")
    services = house.services
    saved = await services.connections.by_name("shop") or await services.connections.save(WIRED)
    info = await services.imports.open(sheet)
    mapping = SheetMapping(prompt_column="prompt")
    out = str(folder / "out")
    return await services.imports.run(ImportPlan(info, mapping, saved.id, out_dir=out))


async def test_s17_a_second_house_on_the_folder_is_refused(options: HouseOptions) -> None:
    async with open_house(options) as house:
        assert house.alone
        with pytest.raises(FolderInUse):
            async with open_house(options):
                pytest.fail("two houses on one folder")
    async with open_house(options) as house:
        assert house.alone


async def test_a_house_for_connections_is_in_nobodys_way(options: HouseOptions) -> None:
    async with open_house(options, shared=True) as beside:
        async with open_house(options) as house:
            await house.start_engine()
            saved = await beside.services.connections.save(WIRED)
            assert await house.services.connections.by_name("shop") == saved
            await beside.tell_others(saved.id)
            (command,) = await house.commands.take()
            assert (command.verb, dict(command.args)) == ("connection", {"id": saved.id})
        with pytest.raises(FolderInUse):
            await beside.start_engine()


async def test_nothing_is_left_running_or_open(options: HouseOptions) -> None:
    threads, handlers = threading.active_count(), list(logging.getLogger().handlers)
    async with open_house(options) as house:
        await house.start_engine()
        await house.start_engine()
    assert logging.getLogger().handlers == handlers
    names = [t.name for t in threading.enumerate() if not t.name.startswith("asyncio")]
    assert len(names) <= threads, names


async def test_a_change_of_many_rows_says_that_any_of_them_changed(
    options: HouseOptions, tmp_path: Path
) -> None:
    async with open_house(options) as house:
        batch_id = await import_rows(house, tmp_path)
        await house.obey.do(Command(0, "cancel", {"batch": batch_id}))
        heard: list[object] = []
        house.services.bus.subscribe(heard.append)
        await house.services.dead_letters.requeue(
            TaskFilter(batch_id, frozenset({TaskState.CANCELLED}))
        )
        assert heard[:2] == [TasksChanged(batch_id), BatchChanged(batch_id)]


async def test_a_guest_reads_beside_the_house_and_tells_it(
    options: HouseOptions, tmp_path: Path
) -> None:
    async with open_house(options) as house:
        await house.start_engine()
        batch_id = await import_rows(house, tmp_path)
        async with open_guest(options) as guest:
            assert guest.is_worked_on()
            assert (await guest.queries.ledger(batch_id)).pending == 3
            # The engine's own upkeep obeys, within its second.
            result = await guest.tell("cancel", {"batch": batch_id}, 30)
            assert result == {"ok": True, "count": 3}
            assert (await guest.queries.ledger(batch_id)).cancelled == 3
            result = await guest.tell("pause", {"batch": 99}, 30)
            assert result is not None
            assert Message.load(result["error"]).code == "services.no_batch"
    async with open_guest(options) as guest:
        assert not guest.is_worked_on()
        assert await guest.tell("pause", {"batch": batch_id}, 0) is None


async def test_commands_for_a_house_that_is_gone_do_not_surprise_the_next(
    options: HouseOptions, tmp_path: Path
) -> None:
    async with open_house(options) as house:
        batch_id = await import_rows(house, tmp_path)
        command = await house.commands.post("cancel", {"batch": batch_id})
    async with open_house(options) as house:
        await house.start_engine()
        await house.obey.pump()
        result = await house.commands.result(command)
        assert result is not None
        assert Message.load(result["error"]).code == "services.not_obeyed"
        assert (await house.services.queries.ledger(batch_id)).pending == 3


async def test_nobody_is_at_home_in_an_empty_folder(options: HouseOptions) -> None:
    with pytest.raises(OperatorError) as caught:
        async with open_guest(options):
            pytest.fail("there is nothing to read")
    assert caught.value.message.code == "store.nothing_here"


async def test_a_house_that_closes_leaves_its_batches_paused(
    options: HouseOptions, tmp_path: Path
) -> None:
    async with open_house(options) as house:
        await house.start_engine()
        batch_id = await import_rows(house, tmp_path)
        await house.services.runs.start(batch_id)
    async with open_guest(options) as guest:
        summary = await guest.queries.batch(batch_id)
        assert summary is not None
        assert summary.batch.run_state is RunState.PAUSED
        assert summary.ledger.unfinished == 3
        assert summary.ledger.running == 0
        await asyncio.sleep(0)
        again = await guest.queries.batch(batch_id)
        assert again is not None
        assert again.elapsed_s == summary.elapsed_s


async def test_half_an_import_of_a_dead_process_is_gone(
    options: HouseOptions, tmp_path: Path
) -> None:
    async with open_house(options) as house:
        batch_id = await import_rows(house, tmp_path)
        batch = await house.store.batch(batch_id)
        assert batch is not None
        imports = house.services.imports._store
        half = await imports.begin(batch)
        copies = house.paths.sheets / "left.csv"
        copies.write_text("x", encoding="utf-8")
    async with open_house(options) as house:
        assert [s.batch.id for s in await house.services.queries.batches()] == [batch_id]
        assert await house.store.batch(half) is None
        assert list(house.paths.sheets.iterdir()) == []


async def test_a_verb_acts_in_the_house_as_it_does_from_outside(
    options: HouseOptions, tmp_path: Path
) -> None:
    async with open_house(options) as house:
        batch_id = await import_rows(house, tmp_path, rows=2)
        result = await house.obey.do(Command(0, "cancel", {"batch": batch_id}))
        assert result == {"ok": True, "count": 2}
        wanted = {"batch": batch_id, "states": ["cancelled"]}
        assert (await house.obey.do(Command(0, "requeue", wanted)))["count"] == 2
        which = TaskFilter(batch_id=batch_id, states=frozenset({TaskState.PENDING}))
        assert await house.services.queries.count(which) == 2


async def test_a_folder_that_cannot_be_used_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(OperatorError) as caught:
        async with open_house(HouseOptions(data_dir=tmp_path / "file")):
            pytest.fail("a file is no folder")
    assert caught.value.message.code == "settings.folder_unusable"


async def test_the_language_is_asked_for_chosen_or_the_systems(options: HouseOptions) -> None:
    async with open_house(options) as house:
        house.services.preferences.set("language", "zh_CN")
    assert translator(options).language == "en"
    assert translator(HouseOptions(data_dir=options.data_dir)).language == "zh_CN"
    assert translator(HouseOptions(data_dir=Path("/no/such"), language=None)).language == "en"


def test_the_variable_that_may_hold_a_key_is_named_plainly() -> None:
    assert key_variable("my shop-2") == "BATCHWRIGHT_KEY_MY_SHOP_2"
    assert key_variable("my shop-2", ["my shop 2"]) == "BATCHWRIGHT_KEY__6D792073686F702D32"


@pytest.mark.parametrize("window", [False, True])
async def test_a_key_in_the_environment_serves_verbs_alone(
    options: HouseOptions, monkeypatch: pytest.MonkeyPatch, window: bool
) -> None:
    monkeypatch.setenv("BATCHWRIGHT_KEY_SHOP", "sk-from-the-environment")
    async with open_house(replace(options, window=window)) as house:
        saved = await house.services.connections.save(WIRED)
        assert await house.services.connections.has_key(saved) is not window


async def test_a_window_opens_before_a_large_store_is_known_to_be_whole(
    options: HouseOptions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading goes on meanwhile; nothing is resumed before, and what was resumed stays so."""
    async with open_house(options) as house:
        batch_id = await import_rows(house, tmp_path)
    whole = threading.Event()
    monkeypatch.setattr(looking, "LARGE_BYTES", 0)
    monkeypatch.setattr(looking, "look_through", lambda _conn: whole.wait(30))
    async with open_house(replace(options, window=True)) as house:
        assert not house.store_is_checked()
        assert await house.services.queries.count(TaskFilter(batch_id=batch_id)) == 3
        resumed = asyncio.ensure_future(house.engine.resume(batch_id))
        starting = asyncio.ensure_future(house.start_engine())
        await asyncio.wait({resumed, starting}, timeout=0.05)
        assert not resumed.done()
        assert not starting.done()
        whole.set()
        await asyncio.gather(starting, resumed)
        summary = await house.services.queries.batch(batch_id)
        assert summary is not None
        assert summary.batch.run_state is RunState.RUNNING


async def test_a_window_closed_during_the_look_writes_nothing_and_ends(
    options: HouseOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_house(options):
        pass
    monkeypatch.setattr(looking, "LARGE_BYTES", 0)
    whole = threading.Event()
    monkeypatch.setattr(looking, "look_through", lambda _conn: whole.wait(30))
    async with open_house(replace(options, window=True)) as house:
        starting = asyncio.ensure_future(house.start_engine())
        await asyncio.sleep(0)
        starting.cancel()
        await asyncio.wait({starting})
        asyncio.get_running_loop().call_later(0.05, whole.set)  # as an interrupt would


async def test_a_verb_waits_for_the_look(
    options: HouseOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_house(options):
        pass
    monkeypatch.setattr(looking, "LARGE_BYTES", 0)
    async with open_house(options) as house:
        assert house.store_is_checked()


async def test_damage_found_behind_the_window_is_told_as_at_start(
    options: HouseOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_house(options):
        pass

    def damaged(_conn: object) -> None:
        raise OperatorError(message("store.damaged", reason="page 7"))

    monkeypatch.setattr(looking, "LARGE_BYTES", 0)
    monkeypatch.setattr(looking, "look_through", damaged)
    with pytest.raises(StoreDamaged, match="damaged"):
        async with open_house(replace(options, window=True)) as house:
            await house.start_engine()


async def test_a_window_offers_the_report_of_a_crash_and_a_verb_leaves_it(
    options: HouseOptions,
) -> None:
    assert options.data_dir is not None
    stacks = options.data_dir / "logs" / "crash.log"
    stacks.parent.mkdir(parents=True)
    stacks.write_text("Fatal Python error", encoding="utf-8")
    async with open_house(options) as house:
        assert await _told(house) == []
    async with open_house(replace(options, window=True)) as house:
        (banner,) = await _told(house)
        assert banner.actions == (BannerAction.SHOW_REPORT,)
        assert banner.said.code == "services.crashed"
        assert banner.severity == "warning"
        assert banner.file is not None
        assert Path(banner.file).parent == stacks.parent
        assert "Fatal Python error" in _text(banner.file)
    async with open_house(replace(options, window=True)) as house:
        assert await _told(house) == []


@pytest.mark.expect_log("broke")
async def test_a_fault_that_the_program_outlived_is_offered_once_calmly(
    options: HouseOptions,
) -> None:
    windowed = replace(options, window=True)
    async with open_house(windowed) as house:
        logging.getLogger("desktop_app.x").error("a slot broke", exc_info=ValueError("红"))
        assert await _told(house) == []
    async with open_house(windowed) as house:
        (banner,) = await _told(house)
        assert banner.said.code == "services.faulted"
        assert banner.severity == "info"
        assert banner.file is not None
        assert "desktop_app.x: a slot broke\nValueError\n" in _text(banner.file)
    async with open_house(windowed) as house:
        assert await _told(house) == []


@pytest.mark.expect_log("the program failed")
async def test_a_fault_that_ended_the_program_is_offered_as_a_crash(options: HouseOptions) -> None:
    windowed = replace(options, window=True)
    with pytest.raises(ZeroDivisionError):
        async with open_house(windowed):
            raise ZeroDivisionError
    async with open_house(windowed) as house:
        (banner,) = await _told(house)
        assert banner.said.code == "services.crashed"


@pytest.mark.expect_log("broke")
async def test_what_fails_without_a_house_is_offered_by_the_next_one(
    options: HouseOptions,
) -> None:
    with watched(options):
        logging.getLogger("desktop_app.x").error("it broke", exc_info=ValueError("红"))
    async with open_house(replace(options, window=True)) as house:
        (banner,) = await _told(house)
        assert banner.said.code == "services.faulted"


def _text(file: str) -> str:
    return Path(file).read_text("utf-8")


async def _told(house: House) -> list[Banner]:
    banners = (await house.services.runs.status(None)).banners
    return [banner for banner in banners if banner.key == "notice:crashed"]
