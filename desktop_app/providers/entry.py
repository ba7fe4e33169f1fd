"""What an entry point of the group ``batchwright.adapters`` must hand over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from desktop_app.domain.connection import Connection
from desktop_app.domain.ports import Adapter, Capabilities

if TYPE_CHECKING:
    from desktop_app.providers.http.client import HttpClient
    from desktop_app.providers.job_file.shelf import JobFiles


class Opener(Protocol):
    """Builds an adapter for one connection. ``http`` is the connection's own line; the adapter
    closes it. Must not block and must not raise for settings that are wrong: those are said by
    the first call."""

    def __call__(self, connection: Connection, secret: str | None, http: HttpClient) -> Adapter: ...


@dataclass(frozen=True, slots=True)
class AdapterEntry:
    """The ADAPTER object of an adapter module.

    ``of``: what it can do on one connection, where connections differ; must not block and must not
    raise. ``prepare``: see ``ports.Adapters.prepared``.
    """

    capabilities: Capabilities
    open: Opener
    of: Callable[[Connection], Capabilities] | None = None
    prepare: Callable[[Connection], Connection] | None = None


@dataclass(frozen=True, slots=True)
class FiledEntry:
    """The ADAPTER object of an adapter that does what provider files say. ``bind`` must not
    block."""

    bind: Callable[[JobFiles], AdapterEntry]
