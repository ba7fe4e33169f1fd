"""What is used of an account where the operator stated nothing: little, so that the first run of a
new key draws no refusals."""

from __future__ import annotations

from dataclasses import dataclass

from desktop_app.domain.connection import Connection
from desktop_app.domain.ports import Capabilities


@dataclass(frozen=True, slots=True)
class Defaults:
    """Calls in flight where the operator stated nothing."""

    picture: int = 4
    text: int = 8
    local: int = 1

    def concurrency(self, connection: Connection, capabilities: Capabilities) -> int:
        """The default for one connection."""
        if connection.is_loopback:
            return self.local
        return self.picture if capabilities.makes == "picture" else self.text
