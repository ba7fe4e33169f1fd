"""Adapters are found by name, so that a package installed beside this one can bring its own."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING

from desktop_app.domain.clock import Clock, SystemClock
from desktop_app.domain.connection import Connection
from desktop_app.domain.ports import Adapter, Capabilities, Preset
from desktop_app.domain.text import OperatorError, message
from desktop_app.providers.entry import AdapterEntry, FiledEntry
from desktop_app.providers.job_file.shelf import JobFiles
from desktop_app.providers.presets import PRESETS

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

    from desktop_app.providers.http.transport import HttpLimits

GROUP = "batchwright.adapters"

_BUILT_IN = {
    # A checkout that was never installed has no metadata, and still has these.
    "openai-chat": "desktop_app.providers.adapters.openai_chat:ADAPTER",
    "openai-images": "desktop_app.providers.adapters.openai_images:ADAPTER",
    "anthropic-messages": "desktop_app.providers.adapters.anthropic_messages:ADAPTER",
    "gemini": "desktop_app.providers.adapters.gemini:ADAPTER",
    "comfyui": "desktop_app.providers.adapters.comfyui:ADAPTER",
    "http-job": "desktop_app.providers.adapters.http_job:ADAPTER",
}


def entry_points(group: str) -> EntryPoints:
    """What is installed in this group."""
    # The window's first rows need no adapter, and what reads metadata is slow to import.
    from importlib import metadata

    return metadata.entry_points(group=group)


class AdapterRegistry:
    """Implements ``ports.Adapters``. An adapter's module is imported when it is first used, and
    so is all that speaks HTTP; ``warm_up`` does it beforehand. ``files``: those that describe a
    provider; none where they are left out."""

    def __init__(
        self,
        clock: Clock | None = None,
        limits: HttpLimits | None = None,
        files: JobFiles | None = None,
    ) -> None:
        self._clock = clock or SystemClock()
        self._limits = limits
        self._files = files or JobFiles()
        self._loaded: dict[str, AdapterEntry] = {}

    @cached_property
    def _found(self) -> dict[str, str]:
        return {**_BUILT_IN, **{e.name: e.value for e in entry_points(group=GROUP)}}

    def warm_up(self) -> None:
        """Import what every call needs: some tenths of a second, in any thread."""
        import_module("desktop_app.providers.http.client")

    def names(self) -> tuple[str, ...]:
        """All adapters, in alphabetical order."""
        return tuple(sorted(self._found))

    def capabilities(self, adapter: str, connection: Connection | None = None) -> Capabilities:
        """What an adapter can do, on this connection where one is given. Raises OperatorError for
        an unknown or broken one."""
        entry = self._entry(adapter)
        if connection is None or entry.of is None:
            return entry.capabilities
        return entry.of(connection)

    def prepared(self, connection: Connection) -> Connection:
        """The connection with what its fields point to. May block. Raises OperatorError."""
        prepare = self._entry(connection.adapter).prepare
        return connection if prepare is None else prepare(connection)

    def presets(self) -> tuple[Preset, ...]:
        """Known providers, those whose adapter is there, and then those that a file describes."""
        known = (*PRESETS, *self._files.presets())
        return tuple(preset for preset in known if preset.adapter in self._found)

    def open(self, connection: Connection, secret: str | None) -> Adapter:
        """An adapter for one connection; the caller closes it. Nothing is sent or opened yet.
        Raises OperatorError for an unknown or broken adapter."""
        from desktop_app.providers.http.client import HttpClient

        entry = self._entry(connection.adapter)
        http = HttpClient(connection, secret, self._clock, self._limits)
        return entry.open(connection, secret, http)

    def _entry(self, adapter: str) -> AdapterEntry:
        if adapter not in self._loaded:
            target = self._found.get(adapter)
            if target is None:
                known = list(self.names())
                raise OperatorError(
                    message("providers.unknown_adapter", adapter=adapter, known=known)
                )
            module, _, attribute = target.partition(":")
            try:
                found = getattr(import_module(module), attribute)
            except (ImportError, AttributeError) as trouble:
                said = message("providers.broken_adapter", adapter=adapter, text=str(trouble))
                raise OperatorError(said) from trouble
            self._loaded[adapter] = (
                found.bind(self._files) if isinstance(found, FiledEntry) else found
            )
        return self._loaded[adapter]
