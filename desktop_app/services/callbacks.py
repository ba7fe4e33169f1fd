"""Whether providers may call this computer when a job has ended: an operator's choice, off until
they make it, and never a reason for a run to fail."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from desktop_app.domain.connection import Connection, callback_entry
from desktop_app.domain.listening import ListeningPlace
from desktop_app.domain.text import Message, OperatorError, message

if TYPE_CHECKING:
    from desktop_app.domain.ports import (
        Adapters,
        Capabilities,
        ConnectionStore,
        EngineControl,
        Secrets,
    )
    from desktop_app.domain.ports.callbacks import CallbackListener
    from desktop_app.services.notices import Notices
    from desktop_app.services.preferences import Preferences

ON = "callbacks"
HOST = "callbacks_address"
PORT = "callbacks_port"
URL = "callbacks_url"

_NOTICE = "callbacks"


class Callbacks:
    """``place``: where to listen in this process, whatever the settings say; None: as they say."""

    def __init__(
        self,
        *,
        listener: CallbackListener,
        preferences: Preferences,
        notices: Notices,
        connections: ConnectionStore,
        adapters: Adapters,
        secrets: Secrets,
        engine: EngineControl,
        place: ListeningPlace | None,
    ) -> None:
        self._listener = listener
        self._preferences = preferences
        self._notices = notices
        self._connections = connections
        self._adapters = adapters
        self._secrets = secrets
        self._engine = engine
        self._given = place
        self._place: ListeningPlace | None = None
        self._began = False
        self._lock = asyncio.Lock()

    @property
    def place(self) -> ListeningPlace | None:
        """Where to listen; None: nowhere."""
        if self._given is not None:
            return self._given
        chosen = self._preferences
        if not chosen.get(ON):
            return None
        return ListeningPlace(str(chosen.get(HOST)), int(chosen.get(PORT)), str(chosen.get(URL)))

    async def begin(self) -> None:
        """Before the engine sends anything. What goes wrong is shown, and jobs are polled."""
        self._began = True
        await self.apply()

    async def apply(self) -> Message | None:
        """Do as is chosen now, in a process that runs tasks; why it can't be done, or None."""
        async with self._lock:
            if not self._began:
                return None
            wanted = self.place
            if wanted is not None and wanted == self._place:
                return None
            self._place = None
            try:
                # Also where it was never opened, or could not be: what is off is off.
                await self._listener.close()
                if wanted is not None:
                    await self._listener.open(wanted)
            except OperatorError as error:
                self._notices.show(_NOTICE, "warning", error.message)
                return error.message
            self._place = wanted
            self._notices.drop(_NOTICE)
            return None

    async def stop(self) -> None:
        """Listen no more."""
        async with self._lock:
            self._began = False
            self._place = None
            await self._listener.close()

    def can_call(self, adapter: str, preset: str | None) -> bool:
        """Whether such a provider calls at all."""
        return self._capabilities(adapter, preset).calls_back

    def wants_secret(self, adapter: str, preset: str | None) -> bool:
        """Whether a person has to enter with what it signs its calls."""
        caps = self._capabilities(adapter, preset)
        return caps.calls_back and caps.callback_secret_entered

    def _capabilities(self, adapter: str, preset: str | None) -> Capabilities:
        return self._adapters.capabilities(adapter, Connection("", adapter, "", "", preset=preset))

    async def set_secret(self, connection_id: int, secret: str) -> Message | None:
        """Keep with what the provider signs its calls; the message, if any, says it is kept only
        until the program closes. Raises OperatorError."""
        connection = await self._connections.get(connection_id)
        if connection is None:
            raise OperatorError(message("services.no_connection"))
        if not secret.strip():
            raise OperatorError(message("services.empty_key"))
        kept = await self._secrets.set(callback_entry(connection.name), secret.strip())
        await self._engine.connection_changed(connection_id)
        return None if kept else message("services.key_until_close")
