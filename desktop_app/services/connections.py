"""Connections and their keys: a secret goes to the keyring and nowhere else."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_app.domain.bus import Bus
from desktop_app.domain.connection import Connection, callback_entry
from desktop_app.domain.events import ConnectionsChanged
from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.domain.views import AccountState, ConnectionView
from desktop_app.services.connection_check import check, check_price
from desktop_app.services.practice_lines import LINES, PICTURES, PracticeLine, PracticeServer

if TYPE_CHECKING:
    from desktop_app.domain.ports import (
        Adapters,
        ConnectionStore,
        EngineControl,
        Param,
        Preset,
        ProviderFiles,
        Secrets,
        TestReport,
    )

LONG_KEY = 16


def hint_of(secret: str | None) -> str | None:
    """What tells one key from another without giving it away; empty for a short one."""
    if not secret:
        return None
    return f"…{secret[-4:]}" if len(secret) >= LONG_KEY else ""


class Connections:
    """Kept in the store without their secrets. ``start_practice`` is idempotent."""

    def __init__(
        self,
        *,
        store: ConnectionStore,
        secrets: Secrets,
        adapters: Adapters,
        engine: EngineControl,
        bus: Bus,
        start_practice: Callable[[], Awaitable[PracticeServer]],
        provider_files: ProviderFiles,
    ) -> None:
        self._store = store
        self._secrets = secrets
        self._adapters = adapters
        self._engine = engine
        self._bus = bus
        self._start_practice = start_practice
        self._provider_files = provider_files
        self._practice_lock = asyncio.Lock()
        self._hints: dict[int, str | None] = {}

    async def views(self) -> list[ConnectionView]:
        """For the sidebar, by name."""
        states = self._engine.account_states()
        shown = []
        for connection in sorted(await self._store.all(), key=lambda c: c.name.casefold()):
            word, said = states.get(connection.id, (AccountState.OK.value, None))
            if word == AccountState.OK and self._is_keyless(connection):
                word, said = AccountState.NO_KEY, message("engine.no_key", name=connection.name)
            shown.append(
                ConnectionView(
                    id=connection.id,
                    name=connection.name,
                    adapter=connection.adapter,
                    model=connection.model,
                    base_url=connection.base_url,
                    state=AccountState(word),
                    said=said,
                    key_hint=self._hints.get(connection.id),
                    in_use=await self._store.in_use(connection.id),
                )
            )
        return shown

    async def look_for_keys(self) -> None:
        """Find out once which keys are missing, so that ``views`` need not wake the password
        store each time. One that is locked is asked again when a call needs it."""
        for connection in await self._store.all():
            if connection.id in self._hints or connection.preset in LINES:
                continue
            try:
                secret = await self._secrets.get(connection.name)
            except OperatorError:
                return
            self._hints[connection.id] = hint_of(secret)
            self._bus.publish(ConnectionsChanged())

    async def get(self, connection_id: int) -> Connection | None:
        """The stored connection."""
        return await self._store.get(connection_id)

    async def by_name(self, name: str) -> Connection | None:
        """The stored connection of that name."""
        return await self._store.by_name(name)

    async def names(self) -> list[str]:
        """Of all stored connections."""
        return [connection.name for connection in await self._store.all()]

    async def save(self, connection: Connection, secret: str | None = None) -> Connection:
        """Add or change; a secret given is stored in the keyring. Raises OperatorError."""
        check(connection, self._adapters.names())
        connection = await asyncio.to_thread(self._adapters.prepared, connection)
        self.check_price(connection)
        taken = await self._store.by_name(connection.name)
        if taken is not None and taken.id != connection.id:
            raise OperatorError(message("services.name_taken", name=connection.name))
        before = await self._store.get(connection.id) if connection.id else None
        saved = await self._store.save(connection)
        if before is not None and before.name != saved.name:
            # The keyring files keys by name: a renamed connection takes its key along.
            await self._take_along(before.name, saved.name, is_wanted=secret is None)
            await self._take_along(callback_entry(before.name), callback_entry(saved.name))
        if secret:
            await self._secrets.set(saved.name, secret)
            self._hints[saved.id] = hint_of(secret)
        elif before is None:
            self._hints[saved.id] = None
        await self._engine.connection_changed(saved.id)
        self._bus.publish(ConnectionsChanged())
        return saved

    def check_price(self, connection: Connection) -> None:
        """Raise OperatorError for a price in a unit that can't be counted there."""
        check_price(connection, self._adapters.capabilities(connection.adapter, connection))

    async def _take_along(self, before: str, now: str, *, is_wanted: bool = True) -> None:
        """What is kept under a name goes under another; what can be kept there only until the
        program closes stays where it lasts, too."""
        old = await self._secrets.get(before)
        if not old:
            return
        is_stored = not is_wanted or await self._secrets.set(now, old)
        if is_stored:
            await self._secrets.delete(before)

    async def set_key(self, connection_id: int, secret: str) -> Message | None:
        """Store the key; the message, if any, says it is kept only until the program closes."""
        connection = await self._store.get(connection_id)
        if connection is None:
            raise OperatorError(message("services.no_connection"))
        if not secret.strip():
            raise OperatorError(message("services.empty_key"))
        kept = await self._secrets.set(connection.name, secret.strip())
        self._hints[connection_id] = hint_of(secret.strip())
        await self._engine.connection_changed(connection_id)
        self._bus.publish(ConnectionsChanged())
        return None if kept else message("services.key_until_close")

    async def has_key(self, connection: Connection) -> bool:
        """Whether a key is at hand. Raises OperatorError where that can't be told now."""
        return await self._secrets.get(connection.name) is not None

    async def remove(self, connection_id: int) -> None:
        """Raises OperatorError while a batch uses it."""
        connection = await self._store.get(connection_id)
        if connection is None:
            raise OperatorError(message("services.no_connection"))
        if await self._store.in_use(connection_id):
            raise OperatorError(message("services.connection_in_use", name=connection.name))
        await self._store.remove(connection_id)
        await self._secrets.delete(connection.name)
        await self._secrets.delete(callback_entry(connection.name))
        self._hints.pop(connection_id, None)
        self._bus.publish(ConnectionsChanged())

    async def test(self, connection: Connection, secret: str | None = None) -> TestReport:
        """The cheapest call; with ``secret`` None the stored key is used."""
        check(connection, self._adapters.names())
        connection = await asyncio.to_thread(self._adapters.prepared, connection)
        key = secret or await self._secrets.get(connection.name)
        adapter = self._adapters.open(connection, key)
        try:
            return await adapter.test()
        finally:
            await adapter.close()

    async def practice(self, line: PracticeLine = PICTURES) -> Connection:
        """A connection of the practice server; starts the server if it isn't running."""
        async with self._practice_lock:
            server = await self._start_practice()
            found = await self._store.by_name(line.name)
            wanted = line.connection(server, found.id if found else 0)
            if found == wanted:
                return found
            await self._secrets.set(line.name, server.key)
            saved = await self._store.save(wanted)
            await self._engine.connection_changed(saved.id)
            self._bus.publish(ConnectionsChanged())
            return saved

    async def ready(self, connection_id: int) -> None:
        """Before a run: the practice server's connection needs its server up, others nothing."""
        connection = await self._store.get(connection_id)
        if connection is None:
            raise OperatorError(message("services.no_connection"))
        line = LINES.get(connection.preset or "")
        if line is not None:
            await self.practice(line)

    async def add_provider_file(self, path: Path) -> tuple[str | None, Sequence[Message]]:
        """Take in a file that describes a provider: the id of its preset, or None and everything
        that is wrong with the file. Raises OperatorError."""
        files = self._provider_files
        wrong = await asyncio.to_thread(files.check, path)
        if wrong:
            return None, wrong
        return await asyncio.to_thread(files.take_in, path), ()

    def presets(self) -> tuple[Preset, ...]:
        """Known providers for the dialog."""
        return self._adapters.presets()

    def params(self, adapter: str, connection: Connection | None = None) -> tuple[Param, ...]:
        """The parameters an adapter understands, for mapping and dialog; with ``connection`` only
        those that it does, with its model."""
        caps = self._adapters.capabilities(adapter, connection)
        known = (caps if connection is None else caps.of(connection.model)).params
        return tuple(param for param in known if not param.hidden)

    def makes(self, adapter: str) -> str:
        """``picture`` or ``text``."""
        return self._adapters.capabilities(adapter).makes

    async def key_store_trouble(self) -> Message | None:
        """Why keys can't be stored on this computer, or None."""
        return await self._secrets.available()

    def _is_keyless(self, connection: Connection) -> bool:
        return self._hints.get(connection.id, "") is None and any(
            preset.id == connection.preset and preset.needs_key for preset in self.presets()
        )
