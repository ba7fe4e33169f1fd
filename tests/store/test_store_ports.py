"""Whoever looks at rows waits for no more of the store than that takes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.store.store_kit import Kit
from tests.store.test_imports import begin

PROGRAM = """
import asyncio, sys
from pathlib import Path
from desktop_app.domain.views import TaskFilter
from desktop_app.store.store import open_store

async def go():
    store = await open_store(Path(sys.argv[1]), boot_id="boot")
    await store.discard_unsealed()
    assert not await store.is_commanded()
    assert await store.pages.batches() == []
    assert not await store.pages.ids(TaskFilter())
    print(*(name for name in sys.modules if name.startswith("desktop_app.store")))
    await store.close()

asyncio.run(go())
"""
LATER = ("actions", "commands", "connections", "engine_store", "imports", "landed", "returned")


def test_reading_pages_imports_nothing_that_writes(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "s.db")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    imported = done.stdout.split()
    assert "desktop_app.store.pages" in imported
    assert not {f"desktop_app.store.{name}" for name in LATER} & set(imported)
    tasks = {name for name in imported if name.startswith("desktop_app.store.tasks.")}
    assert tasks <= {"desktop_app.store.tasks.budget"}  # what is reserved, in the summaries


async def test_every_port_is_one_and_the_same_each_time(kit: Kit) -> None:
    for port in (*LATER, "pages"):
        name = port.removesuffix("_store")
        assert getattr(kit.store, name) is getattr(kit.store, name)


async def test_half_an_import_is_discarded_and_a_sealed_one_is_not(kit: Kit) -> None:
    await kit.batch(1)
    await begin(kit)
    assert await kit.store.discard_unsealed() == 1
    assert await kit.store.discard_unsealed() == 0
    assert len(await kit.store.pages.batches()) == 1


async def test_a_command_is_known_of_until_it_is_taken(kit: Kit) -> None:
    assert not await kit.store.is_commanded()
    await kit.store.commands.post("pause", {})
    assert await kit.store.is_commanded()
    await kit.store.commands.take()
    assert not await kit.store.is_commanded()
