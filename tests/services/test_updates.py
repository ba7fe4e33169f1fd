"""A newer release is one with a higher version, and nobody asks by themselves."""

from __future__ import annotations

import pytest

from desktop_app.domain.ports.updates import Release
from desktop_app.services.updates import Updates
from tests.helpers.release_feed import FakeReleases

PAGE = "https://example.org/releases"


@pytest.mark.parametrize(
    ("running", "newest", "is_newer"),
    [
        ("1.9.0", "1.10.0", True),
        ("1.10.0", "1.9.9", False),
        ("1.2.3", "1.2.3", False),
        ("1.2", "1.2.0", False),
        ("1.2", "1.2.0.1", True),
        ("0.1.0", "1", True),
        ("1.3.0rc1", "1.3.0", True),
        ("1.3.0.dev4", "1.3.0", True),
        ("1.3.0rc2", "1.2.9", False),
        ("1.3.0+local.7", "1.3.0", False),
        ("1.3.0.post1", "1.3.0", False),
        ("unknown", "0.0.1", True),
    ],
)
async def test_which_release_is_newer(running: str, newest: str, is_newer: bool) -> None:
    release = Release(newest, "notes", PAGE)
    feed = FakeReleases(release)
    updates = Updates(feed, running)
    assert feed.asked == 0
    assert await updates.newer() == (release if is_newer else None)
    assert feed.asked == 1


async def test_no_release_yet_is_none_newer() -> None:
    assert await Updates(FakeReleases(), "0.1.0").newer() is None
