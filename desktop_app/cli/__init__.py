"""The headless verbs, on the same services as the window: the proof that the border holds."""

from __future__ import annotations

from desktop_app.cli.main import main

__all__ = ["main"]
