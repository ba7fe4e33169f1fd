"""What every widget is handed, so that none has to find anything."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from desktop_app.domain.text import Message, Translator
from desktop_app.services.bundle import Services
from desktop_app.ui.icons import Icons
from desktop_app.ui.theme import Theme


class UiSignals(QObject):
    """What the parts of the window tell each other without knowing each other.

    ``events`` carries a list of domain events, at most ten times a second.
    """

    language_changed = Signal()
    batch_selected = Signal(object)  # int | None
    open_task = Signal(int)
    open_result = Signal(int, int)  # after open_task: which of its results, from 0
    events = Signal(list)
    request_import = Signal(list)  # file paths
    show_progress = Signal()
    show_needs_you = Signal(object)  # int | None
    trouble = Signal(object)  # Message
    notice = Signal(object)  # Message
    answered = Signal(object)  # Answer


@dataclass
class UiContext:
    """The window's surroundings. ``tr`` is replaced when the language changes: always ask the
    context for it, never keep it.

    ``spawn`` runs a coroutine and shows what it raises; ``say_error`` and ``say`` put a sentence
    on the banner line; ``open_path`` opens a file or folder with the system, ``reveal_path``
    shows a file in its folder; ``finish`` ends what ``spawn`` started, for the program's end.
    """

    services: Services
    tr: Translator
    theme: Theme
    icons: Icons
    spawn: Callable[[Coroutine[Any, Any, Any]], asyncio.Task[Any] | None]
    say_error: Callable[[Message], None]
    say: Callable[[Message], None]
    open_path: Callable[[str | Path], None]
    reveal_path: Callable[[str | Path], None]
    set_language: Callable[[str], None]
    finish: Callable[[], Awaitable[None]]
    signals: UiSignals = field(default_factory=UiSignals)
