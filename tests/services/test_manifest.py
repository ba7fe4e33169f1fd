"""The list of results beside them: every result once, whatever comes between."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from desktop_app.domain.clock import SystemClock
from desktop_app.domain.events import TasksChanged
from desktop_app.domain.ports import Param
from desktop_app.domain.task import TaskState
from desktop_app.exports.manifest import ManifestFiles
from desktop_app.services import manifest as module
from desktop_app.services.manifest import Manifest
from tests.services import services_kit
from tests.services.services_kit import Kit

S = TaskState


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOOK_S", 0.0)
    monkeypatch.setattr(module, "AGAIN_S", 0.0)
    monkeypatch.setattr(module, "_CHUNK", 2)


def manifest(kit: Kit) -> Manifest:
    return Manifest(
        store=kit.store.landed,
        lists=ManifestFiles(),
        pages=kit.store.pages,
        bus=kit.bus,
        clock=SystemClock(),
    )


async def made(kit: Kit, count: int) -> tuple[int, list[Any]]:
    batch_id = await kit.batch(count)
    folder = await out_dir(kit, batch_id)
    await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
    return batch_id, await kit.claim(batch_id)


async def out_dir(kit: Kit, batch_id: int) -> Path:
    summary = await kit.queries.batch(batch_id)
    assert summary is not None
    return Path(summary.batch.out_dir)


def lines(folder: Path) -> list[dict[str, Any]]:
    file = folder / "manifest.jsonl"
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


async def until(true: Callable[[], bool]) -> None:
    for _ in range(20_000):
        if true():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it did not happen")


async def ends(kit: Kit, batch_id: int, claims: list[Any], to: TaskState = S.SUCCESS) -> None:
    for claim in claims:
        await kit.end(claim, to)
    kit.bus.publish(TasksChanged(batch_id))


async def test_results_are_listed_as_they_land(kit: Kit) -> None:
    batch_id, claims = await made(kit, 4)
    folder = await out_dir(kit, batch_id)
    lists = manifest(kit)
    lists.begin()
    await until(lambda: lists._looked)
    await ends(kit, batch_id, claims[:1])
    await until(lambda: len(lines(folder)) == 1)
    await ends(kit, batch_id, claims[1:2], S.DEAD)
    await ends(kit, batch_id, claims[2:])
    await lists.stop()
    found = lines(folder)
    assert [line["row"] for line in found] == [2, 4, 5]
    first = found[0]
    assert first["task_id"] == claims[0].task_id
    assert (first["prompt"], first["key"], first["model"]) == ("prompt 0", "K1", "m")
    assert (first["file"], first["attempts"], first["params"]) == (
        f"{claims[0].file_stem}.png",
        1,
        {},
    )
    assert {"sha256", "cost", "ended_at"} <= set(first)


async def test_a_row_that_named_its_model_is_listed_with_it(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    knows_model = replace(services_kit.PICTURES, params=(Param("model", "text"),))
    monkeypatch.setattr(services_kit, "PICTURES", knows_model)
    plan = await kit.plan(kit.sheet(["a", "b"]), await kit.connect())
    plan = replace(plan, mapping=replace(plan.mapping, params={"model": "other"}))
    batch_id = await kit.imports.run(plan)
    folder = await out_dir(kit, batch_id)
    await asyncio.to_thread(folder.mkdir, parents=True)
    lists = manifest(kit)
    lists.begin()
    await until(lambda: lists._looked)
    await ends(kit, batch_id, await kit.claim(batch_id))
    await lists.stop()
    assert [line["model"] for line in lines(folder)] == ["other", "other"]


async def test_what_a_crash_kept_from_the_list_is_added_at_the_next_start(kit: Kit) -> None:
    batch_id, claims = await made(kit, 7)
    folder = await out_dir(kit, batch_id)
    lists = manifest(kit)
    lists.begin()
    await until(lambda: lists._looked)
    await ends(kit, batch_id, claims[:2])
    await until(lambda: len(lines(folder)) == 2)
    assert lists._task is not None
    lists._task.cancel()  # killed: nobody stops it
    lists._deaf()
    await ends(kit, batch_id, claims[2:5])
    file = folder / "manifest.jsonl"
    file.write_bytes(file.read_bytes()[:-20])
    again = manifest(kit)
    again.begin()
    await ends(kit, batch_id, claims[5:])
    await until(lambda: again._looked)
    await again.stop()
    assert [line["row"] for line in lines(folder)] == [2, 3, 4, 5, 6, 7, 8]


async def test_a_folder_that_is_gone_for_a_while_gets_all_when_it_is_back(kit: Kit) -> None:
    batch_id, claims = await made(kit, 4)
    folder = await out_dir(kit, batch_id)
    lists = manifest(kit)
    lists.begin()
    await until(lambda: lists._looked)
    folder.rename(folder.with_name("away"))
    await ends(kit, batch_id, claims[:2])
    await until(lambda: batch_id in lists._behind)
    folder.with_name("away").rename(folder)
    await ends(kit, batch_id, claims[2:])
    await lists.stop()
    assert [line["row"] for line in lines(folder)] == [2, 3, 4, 5]


async def test_a_list_that_a_person_took_away_from_a_finished_batch_is_not_made_again(
    kit: Kit,
) -> None:
    batch_id, claims = await made(kit, 2)
    folder = await out_dir(kit, batch_id)
    await ends(kit, batch_id, claims)
    lists = manifest(kit)
    lists.begin()
    await until(lambda: lists._looked)
    await lists.stop()
    assert lines(folder) == []


async def test_a_list_of_another_store_is_gone_on_with_and_nothing_is_listed_twice(
    kit: Kit,
) -> None:
    batch_id, claims = await made(kit, 3)
    folder = await out_dir(kit, batch_id)
    await ends(kit, batch_id, claims[:2])
    theirs = {"result": 900, "n": 1, "of": 1, "task_id": "x", "batch": batch_id, "file": "x.png"}
    own = {**theirs, "task_id": claims[0].task_id, "file": f"{claims[0].file_stem}.png"}
    text = "".join(json.dumps(line) + "\n" for line in (own, theirs))
    (folder / "manifest.jsonl").write_text(text, "utf-8")
    lists = manifest(kit)
    lists.begin()
    await until(lambda: lists._looked)
    await lists.stop()
    assert [line["task_id"] for line in lines(folder)] == [
        claims[0].task_id,
        "x",
        claims[1].task_id,
    ]


async def test_a_result_under_a_number_that_was_given_before_is_listed(kit: Kit) -> None:
    batch_id, claims = await made(kit, 2)
    folder = await out_dir(kit, batch_id)
    lists = manifest(kit)
    lists.begin()
    await until(lambda: lists._looked)
    await ends(kit, batch_id, claims[:1])
    await until(lambda: lists._at == 1)
    with closing(sqlite3.connect(kit.folder / "store.db")) as conn, conn:
        conn.execute("DELETE FROM result")
    kit.bus.publish(TasksChanged(batch_id))
    await until(lambda: lists._at == 0)
    await ends(kit, batch_id, claims[1:])
    await lists.stop()
    assert [(line["result"], line["row"]) for line in lines(folder)] == [(1, 2), (1, 3)]
