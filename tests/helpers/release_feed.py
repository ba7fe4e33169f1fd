"""A feed of releases that a test fills."""

from __future__ import annotations

from desktop_app.domain.ports.updates import Release
from desktop_app.domain.text import OperatorError


class FakeReleases:
    """Implements ``ports.ReleaseFeed``; ``trouble`` is raised instead of an answer."""

    def __init__(self, newest: Release | None = None) -> None:
        self.told = newest
        self.trouble: OperatorError | None = None
        self.asked = 0

    async def newest(self) -> Release | None:
        self.asked += 1
        if self.trouble is not None:
            raise self.trouble
        return self.told
