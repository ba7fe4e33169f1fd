"""An answer to a click is kept as what to say, not as said, so that it follows the language."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from desktop_app.domain.text import Translator


@dataclass(frozen=True, slots=True)
class Answer:
    """``text`` says it in the language of now; ``file`` can be shown in its folder; ``severity``
    is a banner's; ``resume`` are batches that it offers to resume."""

    text: Callable[[Translator], str]
    file: Path | None = None
    severity: str = "info"
    resume: tuple[int, ...] = ()
