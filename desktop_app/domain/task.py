"""A task is one row's request; its states live here because every room speaks of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from json.encoder import encode_basestring
from typing import Any

from desktop_app.domain.references import identities


class TaskState(IntEnum):
    """Where a task stands. The numbers are stored; never renumber them."""

    PENDING = 0
    RUNNING = 1
    RETRYING = 2
    SUCCESS = 3
    FAILED = 4
    DEAD = 5
    UNCERTAIN = 6
    CANCELLED = 7

    @property
    def word(self) -> str:
        """The state's name as the verbs and exports print it, e.g. ``success``."""
        return self.name.lower()


UNFINISHED = frozenset({TaskState.PENDING, TaskState.RUNNING, TaskState.RETRYING})
"""States in which a task still has work to come (and in which a lane head blocks its lane)."""

DEAD_LETTERS = frozenset({TaskState.FAILED, TaskState.DEAD, TaskState.UNCERTAIN})
"""States that need a person."""

REQUEUEABLE = DEAD_LETTERS | {TaskState.CANCELLED}


@dataclass(frozen=True, slots=True)
class Request:
    """One row's request, frozen at import.

    ``params`` holds the adapter's named parameters (``size``, ``quality``, ``system``,
    ``temperature``, ``max_tokens`` ...), already typed, and under ``reference`` the pictures that
    are shown to the provider (``references``); ``extra`` is merged into the provider's JSON body
    as it is.
    """

    prompt: str
    params: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def model(self) -> str:
        """The model that the row names; empty where it is the connection's."""
        return str(self.params.get("model") or "").strip()


@dataclass(frozen=True, slots=True)
class Draft:
    """A row on its way into the store.

    ``row_no`` is the row number that Excel shows (header = 1). ``cells`` are the sheet's own
    cells, text, in column order. ``stem`` is the output name without extension, legal on three
    systems, not yet unique. ``problem`` is set for a row that cannot be used: it is imported
    as FAILED with that message so that the ledger equals the sheet.
    """

    row_no: int
    cells: tuple[str, ...]
    request: Request | None
    stem: str
    key: str | None = None
    lane: str | None = None
    priority: int = 0
    problem: Any | None = None  # domain.text.Message

    def values(self) -> DraftValues:
        """The same as plain values."""
        request = self.request
        prompt, params, extra = (
            (None, {}, {}) if request is None else (request.prompt, request.params, request.extra)
        )
        return (
            self.row_no,
            self.cells,
            prompt,
            params,
            extra,
            self.stem,
            self.key,
            self.lane,
            self.priority,
            self.problem,
        )


DraftValues = tuple[
    int,  # row_no
    Sequence[str],  # cells
    str | None,  # prompt; None: no request
    Mapping[str, Any],  # params
    Mapping[str, Any],  # extra
    str,  # stem
    str | None,  # key
    str | None,  # lane
    int,  # priority
    Any | None,  # problem
]
"""What a Draft says, without its dress: an import makes a million of them."""


_encode = json.JSONEncoder(sort_keys=True, default=str, ensure_ascii=False).encode


def request_digest(request: Request | None) -> str:
    """Identifies what a row asks for, so that a changed row is seen: 32 hex digits, or empty."""
    if request is None:
        return ""
    return digest_of(request.prompt, digested(request.params), digested(request.extra))


def digested(values: Mapping[str, Any]) -> str:
    """Parameters or extras as they go into the digest; of reference pictures their content."""
    return _encode(dict(identities(values)))


def digest_of(prompt: str, params: str, extra: str) -> str:
    """``request_digest`` of parts that are ``digested`` already: rows of a sheet share theirs."""
    text = f"[{encode_basestring(prompt)}, {params}, {extra}]"
    return hashlib.sha256(text.encode()).hexdigest()[:32]
