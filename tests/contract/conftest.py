"""Fixtures of the conformance suite."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from desktop_app.domain.connection import Connection
from desktop_app.domain.ports import Adapter
from desktop_app.providers import registry
from desktop_app.providers.http.transport import HttpLimits
from desktop_app.providers.job_file.shelf import JobFiles
from desktop_app.providers.registry import AdapterRegistry
from desktop_app.settings.paths import resources_dir
from tests.contract.cases import CASES, KEY, Case, FakeClock
from tests.contract.server import ScriptedServer
from tests.contract.to_the_end import ToTheEnd

Open = Callable[..., Adapter]


def shipped_files() -> JobFiles:
    """The provider files that come with the program."""
    return JobFiles(resources_dir() / "providers")


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> Any:
    """Every adapter in turn."""
    return request.param


@pytest.fixture(scope="session", autouse=True)
def _metadata_read_once() -> Iterator[None]:
    """A program makes one registry; reading all packages' metadata for each test is slow."""
    once = functools.cache(registry.entry_points)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "entry_points", once)
        yield


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def server(request: pytest.FixtureRequest) -> AsyncIterator[ScriptedServer]:
    made = ScriptedServer()
    if "case" in request.fixturenames:
        request.getfixturevalue("case").serve(made)
    await made.start()
    yield made
    await made.close()


@pytest.fixture
async def other() -> AsyncIterator[ScriptedServer]:
    """A second host, which must never see the key."""
    made = ScriptedServer()
    await made.start()
    yield made
    await made.close()


@pytest.fixture
async def open_adapter(clock: FakeClock) -> AsyncIterator[Open]:
    """``open_adapter(connection, key=KEY, **limits)``; closed afterwards. One of jobs follows each
    to its end."""
    opened: list[Adapter] = []

    def make(connection: Connection, key: str | None = KEY, **limits: Any) -> Adapter:
        adapter = AdapterRegistry(clock, HttpLimits(**limits), shipped_files()).open(
            connection, key
        )
        opened.append(adapter)
        return ToTheEnd(adapter) if adapter.capabilities.jobs else adapter

    yield make
    for adapter in opened:
        await adapter.close()


@pytest.fixture
async def adapter(case: Case, server: ScriptedServer, open_adapter: Open) -> Adapter:
    """The adapter under test, connected to ``server``."""
    return open_adapter(case.connection(server.url))
