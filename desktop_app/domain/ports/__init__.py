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
from desktop_app.domain.ports.addresses import Addresses, AddressNews
from desktop_app.domain.ports.alerts import DesktopNotices
from desktop_app.domain.ports.answers import (
    Answer,
    Content,
    Preview,
    RateNews,
    RawAnswer,
    UnfinishedPicture,
)
from desktop_app.domain.ports.callbacks import CallbackAdapter, CallbackRule
from desktop_app.domain.ports.calls import Call
from desktop_app.domain.ports.capabilities import Capabilities, Param, ReferenceRule
from desktop_app.domain.ports.engine import EngineControl
from desktop_app.domain.ports.engine_store import Command, CommandStore, EngineStore, FinishResult
from desktop_app.domain.ports.exports import ResultFiles, SheetWriter
from desktop_app.domain.ports.import_store import (
    AskedRow,
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
    AskableAdapter,
    JobAdapter,
    Preset,
    ProviderFiles,
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
    "AddressNews",
    "Addresses",
    "Answer",
    "Arrival",
    "AskableAdapter",
    "Asked",
    "AskedRow",
    "Call",
    "CallbackAdapter",
    "CallbackRule",
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
    "Preview",
    "ProviderFiles",
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
    "UnfinishedPicture",
    "Updated",
]
