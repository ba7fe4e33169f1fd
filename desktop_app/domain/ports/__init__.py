"""Where the rooms meet: each names here what it needs from the others, and knows nobody."""

from __future__ import annotations

from desktop_app.domain.jobs import (
    RESULT_EXPIRED,
    Arrival,
    Asked,
    Job,
    JobCancelled,
    JobDone,
    JobFailed,
    JobLost,
    JobRunning,
    JobState,
)
from desktop_app.domain.ports.alerts import DesktopNotices
from desktop_app.domain.ports.engine import EngineControl
from desktop_app.domain.ports.engine_store import Command, CommandStore, EngineStore, FinishResult
from desktop_app.domain.ports.exports import ResultFiles, SheetWriter
from desktop_app.domain.ports.import_store import (
    ConnectionStore,
    ImportStore,
    KnownRow,
    Packed,
    RowChange,
    Updated,
)
from desktop_app.domain.ports.ingest import (
    WHOLE_LINES,
    Drafter,
    SheetInfo,
    SheetLine,
    SheetOptions,
    SheetRow,
    Sheets,
)
from desktop_app.domain.ports.providers import (
    Adapter,
    Adapters,
    Answer,
    AskableAdapter,
    Call,
    Capabilities,
    Content,
    JobAdapter,
    Param,
    Preset,
    RateNews,
    RawAnswer,
    ReferenceRule,
    RereadingAdapter,
    TestReport,
)
from desktop_app.domain.ports.reads import ExportRow, Pages, TaskActions
from desktop_app.domain.ports.settings import KeepAwake, MappingShelf, Secrets
from desktop_app.domain.ports.support import SupportPack, SupportSource

__all__ = [
    "RESULT_EXPIRED",
    "WHOLE_LINES",
    "Adapter",
    "Adapters",
    "Answer",
    "Arrival",
    "AskableAdapter",
    "Asked",
    "Call",
    "Capabilities",
    "Command",
    "CommandStore",
    "ConnectionStore",
    "Content",
    "DesktopNotices",
    "Drafter",
    "EngineControl",
    "EngineStore",
    "ExportRow",
    "FinishResult",
    "ImportStore",
    "Job",
    "JobAdapter",
    "JobCancelled",
    "JobDone",
    "JobFailed",
    "JobLost",
    "JobRunning",
    "JobState",
    "KeepAwake",
    "KnownRow",
    "MappingShelf",
    "Packed",
    "Pages",
    "Param",
    "Preset",
    "RateNews",
    "RawAnswer",
    "ReferenceRule",
    "RereadingAdapter",
    "ResultFiles",
    "RowChange",
    "Secrets",
    "SheetInfo",
    "SheetLine",
    "SheetOptions",
    "SheetRow",
    "SheetWriter",
    "Sheets",
    "SupportPack",
    "SupportSource",
    "TaskActions",
    "TestReport",
    "Updated",
]
