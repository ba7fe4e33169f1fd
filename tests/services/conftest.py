"""Services on a real store in a temporary folder, on a clock that stands still."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from desktop_app.store.store import open_store
from tests.services.services_kit import Kit, StillClock


@pytest.fixture
async def kit(tmp_path: Path) -> AsyncIterator[Kit]:
    clock = StillClock()
    (tmp_path / "copies").mkdir()
    store = await open_store(tmp_path / "store.db", clock=clock, boot_id="boot")
    yield Kit(store, tmp_path, clock)
    await store.close()
