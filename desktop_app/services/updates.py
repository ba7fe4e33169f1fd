"""Whether there is a newer release: looked up only when somebody asks, shown, and never fetched."""

from __future__ import annotations

from desktop_app.domain.ports.updates import Release, ReleaseFeed


class Updates:
    """``current`` is the version that runs."""

    def __init__(self, feed: ReleaseFeed, current: str) -> None:
        self._feed = feed
        self.current = current

    async def newer(self) -> Release | None:
        """The newest release, or None where this one is as new. Raises OperatorError."""
        found = await self._feed.newest()
        if found is None or _numbers(found.version) <= _numbers(self.current):
            return None
        return found


def _numbers(version: str) -> tuple[int, ...]:
    """``1.10`` is newer than ``1.9``, and ``1.0`` is no newer than ``1``."""
    parts = [int(part) for part in version.split(".")]
    while parts and parts[-1] == 0:
        parts.pop()
    return tuple(parts)
