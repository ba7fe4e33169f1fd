"""A password store in memory, with the troubles that real ones have."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable

import pytest

from desktop_app.settings.secrets import KeyringSecrets


class FakeEntries:
    """Entries in a dict. ``trouble`` is raised by every call; ``gate`` holds every call up until
    it is set; ``longest`` refuses longer ones, as the Windows store does."""

    def __init__(self) -> None:
        self.stored: dict[str, str] = {}
        self.trouble: Exception | None = None
        self.longest: int | None = None
        self.gate = threading.Event()
        self.gate.set()
        self.threads: set[str] = set()

    def read(self, user: str) -> str | None:
        self._meet_trouble()
        return self.stored.get(user)

    def write(self, user: str, secret: str) -> None:
        self._meet_trouble()
        if self.longest is not None and len(secret) > self.longest:
            raise OSError(1783, "The stub received bad data")
        self.stored[user] = secret

    def delete(self, user: str) -> None:
        self._meet_trouble()
        self.stored.pop(user, None)

    def _meet_trouble(self) -> None:
        self.threads.add(threading.current_thread().name)
        self.gate.wait()
        if self.trouble is not None:
            raise self.trouble


@pytest.fixture
def entries() -> FakeEntries:
    return FakeEntries()


@pytest.fixture
def environ() -> dict[str, str]:
    return {}


Make = Callable[..., KeyringSecrets]


@pytest.fixture
async def make(entries: FakeEntries, environ: dict[str, str]) -> AsyncIterator[Make]:
    """Build secrets on the fake store; all are closed afterwards."""
    made: list[KeyringSecrets] = []

    def build(**options: object) -> KeyringSecrets:
        given = {"environ": environ, "entries": entries, **options}
        made.append(KeyringSecrets(**given))  # type: ignore[arg-type]
        return made[-1]

    yield build
    entries.gate.set()
    for secrets in made:
        secrets.close()
