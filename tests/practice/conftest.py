"""Fixtures of the practice room."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.practice.practice_kit import Starter


@pytest.fixture
async def start() -> AsyncIterator[Starter]:
    """``await start(qps=3, ...)`` runs a server that is quick and without limits by default."""
    starter = Starter()
    yield starter
    await starter.end()
