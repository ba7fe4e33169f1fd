"""Rooms that a start has no use for: importing them is what the first row on the screen would wait
for, so each is imported when it is first asked for something."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from desktop_app import __version__
from desktop_app.domain.clock import Clock
from desktop_app.services.preferences import Preferences

if TYPE_CHECKING:
    from desktop_app.domain.ports import (
        Addresses,
        Drafter,
        ResultFiles,
        Secrets,
        Sheets,
        SheetWriter,
    )
    from desktop_app.domain.ports.callbacks import CallbackDesk, CallbackListener
    from desktop_app.domain.ports.manifest import ResultLists
    from desktop_app.providers.job_file.shelf import JobFiles
    from desktop_app.providers.registry import AdapterRegistry
    from desktop_app.services.mappings import Mappings
    from desktop_app.services.updates import Updates

T = TypeVar("T")


class _Later:
    """Passes every question on to what ``make`` makes at the first. Two threads that are first
    together get one and the same."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    def __getattr__(self, name: str) -> Any:
        if "_made" not in self.__dict__:
            self.__dict__.setdefault("_made", self._make())
        return getattr(self.__dict__["_made"], name)

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process gets what this stands for, without this room."""
        self.__getattr__("__class__")
        return itemgetter(0), ((self.__dict__["_made"],),)


def later(make: Callable[[], T]) -> T:
    """Stands in for what ``make`` makes, in any thread, once it is needed."""
    return cast("T", _Later(make))


def provider_files(shipped: Path, own: Path) -> JobFiles:
    """Those that describe a provider."""
    from desktop_app.providers.job_file.shelf import JobFiles

    return JobFiles(shipped, own)


def updates() -> Updates:
    """Who asks for newer releases."""
    from desktop_app.providers.release_feed import WebReleases
    from desktop_app.services.updates import Updates
    from desktop_app.settings.paths import resources_dir
    from desktop_app.settings.project import releases_address

    return Updates(WebReleases(releases_address(resources_dir())), __version__)


def adapters(clock: Clock, files: JobFiles) -> AdapterRegistry:
    """What speaks to providers."""
    from desktop_app.providers.registry import AdapterRegistry

    return AdapterRegistry(clock, files=files)


def addresses(clock: Clock) -> Addresses:
    """What looks at addresses of pictures."""
    from desktop_app.providers.addresses import PictureAddresses

    return PictureAddresses(clock)


def callback_listener(desk: CallbackDesk, secrets: Secrets, clock: Clock) -> CallbackListener:
    """What hears providers call."""
    from desktop_app.providers.callbacks.listener import Listener

    return Listener(desk, secrets, clock)


def sheets() -> Sheets:
    """Files of rows."""
    from desktop_app.ingest.sheet import SheetReader

    return SheetReader()


def may_hold(path: Path, word: str) -> bool:
    """Whether a word is among the first of a file."""
    from desktop_app.ingest.own_sheet import may_hold

    return may_hold(path, word)


def drafter() -> Drafter:
    """Rows into requests."""
    from desktop_app.ingest.drafter import RowDrafter

    return RowDrafter()


def sheet_files() -> SheetWriter:
    """Result and failure sheets."""
    from desktop_app.exports.sheets import SheetFiles

    return SheetFiles()


def result_lists() -> ResultLists:
    """What lies in folders of results."""
    from desktop_app.exports.manifest import ManifestFiles

    return ManifestFiles()


def result_files(clock: Clock, embed: Callable[[], bool]) -> ResultFiles:
    """Pictures and texts, verified."""
    from desktop_app.exports.result_file import ResultKeeper

    return ResultKeeper(clock, embed=embed)


def mappings(folder: Path, preferences: Preferences) -> Mappings:
    """Mappings that were used or saved before."""
    from desktop_app.services.mappings import Mappings
    from desktop_app.settings.mapping_shelf import MappingFiles

    return Mappings(MappingFiles(folder), preferences)
