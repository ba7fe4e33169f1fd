"""How a person is told who looks elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class DesktopNotices(Protocol):
    """The desktop's own notifications, where a service for them answers."""

    def on_click(self, told: Callable[[str, str], None]) -> None:
        """Call ``told(tag, token)`` for a click; ``token`` lets a window come to the front, and
        is empty where the desktop gives none."""
        ...

    async def show(self, tag: str, title: str, body: str, action: str) -> bool:
        """Show, in place of the former one of that tag; ``action`` names what a click does.
        False: nobody shows notifications here."""
        ...

    async def withdraw(self) -> None:
        """Take back what is still shown."""
        ...

    async def close(self) -> None: ...
