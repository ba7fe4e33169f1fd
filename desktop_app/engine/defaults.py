"""What is used of an account where the operator stated nothing: little at first, so that a
mistyped model or a small account costs few calls; then as many as the account takes."""

from __future__ import annotations

from dataclasses import dataclass

from desktop_app.domain.connection import Connection
from desktop_app.domain.ports import Capabilities


@dataclass(frozen=True, slots=True)
class Defaults:
    """Calls in flight where the operator stated nothing: to begin with, and at most."""

    picture: int = 4
    text: int = 8
    local: int = 1
    most: int = 64

    def concurrency(self, connection: Connection, capabilities: Capabilities) -> int:
        """The default for one connection."""
        if connection.is_loopback:
            return self.local
        return self.picture if capabilities.makes == "picture" else self.text

    def most_of(self, connection: Connection) -> int | None:
        """Up to how many more are tried while none is refused; None: the default stays."""
        return None if connection.is_own_server else self.most
