"""Whether there is a newer release: looked up only when somebody asks, shown, and never fetched."""

from __future__ import annotations

from desktop_app.domain.ports.updates import Release, ReleaseFeed
from desktop_app.domain.versions import Version, version_of

_OLDEST = Version((), 0)


class Updates:
    """``current`` is the version that runs."""

    def __init__(self, feed: ReleaseFeed, current: str) -> None:
        self._feed = feed
        self.current = current

    async def newer(self) -> Release | None:
        """The newest release, or None where this one is as new. Raises OperatorError."""
        found = await self._feed.newest()
        if found is None or _of(found.version) <= _of(self.current):
            return None
        return found


def _of(version: str) -> Version:
    """A copy that bears no version is older than all that do."""
    return version_of(version) or _OLDEST
