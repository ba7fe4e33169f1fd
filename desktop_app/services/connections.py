"""Connections and their keys: made, tested, changed; the secret goes to the keyring and nowhere else."""

from __future__ import annotations

from desktop_app.domain.connection import Connection
from desktop_app.domain.ports import Param, Preset, TestReport
from desktop_app.domain.text import Message
from desktop_app.domain.views import ConnectionView


class Connections:
    """SIGNATURES; bodies follow."""

    async def views(self) -> list[ConnectionView]:
        """For the sidebar, by name."""
        raise NotImplementedError

    async def get(self, connection_id: int) -> Connection | None:
        """The stored connection."""
        raise NotImplementedError

    async def by_name(self, name: str) -> Connection | None:
        """The stored connection of that name."""
        raise NotImplementedError

    async def save(self, connection: Connection, secret: str | None = None) -> Connection:
        """Add or change; a secret given is stored in the keyring. Raises OperatorError."""
        raise NotImplementedError

    async def set_key(self, connection_id: int, secret: str) -> Message | None:
        """Store the key; the message, if any, says it is kept only until the program closes."""
        raise NotImplementedError

    async def remove(self, connection_id: int) -> None:
        """Raises OperatorError while an unfinished batch uses it."""
        raise NotImplementedError

    async def test(self, connection: Connection, secret: str | None = None) -> TestReport:
        """The cheapest call; with ``secret`` None the stored key is used."""
        raise NotImplementedError

    async def practice(self) -> Connection:
        """The practice server's connection; starts the server if it isn't running."""
        raise NotImplementedError

    def presets(self) -> tuple[Preset, ...]:
        """Known providers for the dialog."""
        raise NotImplementedError

    def params(self, adapter: str) -> tuple[Param, ...]:
        """The parameters an adapter understands, for mapping and dialog."""
        raise NotImplementedError

    def makes(self, adapter: str) -> str:
        """``picture`` or ``text``."""
        raise NotImplementedError

    async def key_store_trouble(self) -> Message | None:
        """Why keys can't be stored on this computer, or None."""
        raise NotImplementedError
