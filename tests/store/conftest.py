"""A real store in a temporary folder, on a clock that stands still."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from desktop_app.store.store import Store, open_store
from tests.store.store_kit import Kit, StillClock


@pytest.fixture
def clock() -> StillClock:
    return StillClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
async def kit(path: Path, clock: StillClock) -> AsyncIterator[Kit]:
    changes: list[tuple[int, tuple[int, ...]]] = []
    store = await open_store(
        path,
        boot_id="boot-1",
        clock=clock,
        on_change=lambda batch_id, pks: changes.append((batch_id, pks)),
    )
    made = Kit(store, clock, path, changes)
    yield made
    await made.store.close()


@pytest.fixture
async def opened(path: Path, clock: StillClock) -> AsyncIterator[Callable[..., Awaitable[Store]]]:
    """Opens further stores on the same file and closes them at the end."""
    stores: list[Store] = []

    async def make(**options: object) -> Store:
        store = await open_store(path, clock=clock, **options)  # type: ignore[arg-type]
        stores.append(store)
        return store

    yield make
    for store in stores:
        await store.close()
