"""Where this program may be called: settings name it long before anybody listens, so it is known
apart from what calls are."""

from __future__ import annotations

from dataclasses import dataclass

USUAL_HOST = "127.0.0.1"
USUAL_PORT = 8377
"""Where nobody else listens as a rule; the same each time, for a tunnel leads to one port."""


@dataclass(frozen=True, slots=True)
class ListeningPlace:
    """``url``: where the world reaches it, through a tunnel or a reverse proxy; empty: as it is."""

    host: str = USUAL_HOST
    port: int = 0
    url: str = ""
