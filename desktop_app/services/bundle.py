"""Every service in one frozen bundle: window and verbs are handed things, they find nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # Imported by wiring once they are wanted: the first row on the screen waits for every import.
    from desktop_app.domain.bus import Bus
    from desktop_app.domain.ports import DesktopNotices
    from desktop_app.services.batch_priority import Priorities
    from desktop_app.services.callbacks import Callbacks
    from desktop_app.services.connections import Connections
    from desktop_app.services.dead_letters import DeadLetters
    from desktop_app.services.export_batch import ExportBatch, Language
    from desktop_app.services.failure_sheets import FailureSheets
    from desktop_app.services.import_batch import ImportBatch
    from desktop_app.services.mappings import Mappings
    from desktop_app.services.preferences import Preferences
    from desktop_app.services.queries import Queries
    from desktop_app.services.run_control import RunControl
    from desktop_app.services.support_bundle import SupportBundle
    from desktop_app.services.updates import Updates


@dataclass(frozen=True, slots=True)
class Services:
    """What ``wiring`` builds once."""

    bus: Bus
    imports: ImportBatch
    runs: RunControl
    priorities: Priorities
    dead_letters: DeadLetters
    exports: ExportBatch
    failure_sheets: FailureSheets
    connections: Connections
    queries: Queries
    preferences: Preferences
    language: Language
    support: SupportBundle
    desktop: DesktopNotices
    mappings: Mappings
    callbacks: Callbacks
    updates: Updates
