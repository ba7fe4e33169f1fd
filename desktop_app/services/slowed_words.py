"""Why it is slow is said alike in the window and in the terminal."""

from __future__ import annotations

from datetime import datetime

from desktop_app.domain.text import Translator
from desktop_app.domain.views import EngineStatus


def slowed(tr: Translator, status: EngineStatus) -> str:
    """To what providers hold it and until when (local time of day), else what stated limit holds
    rows back; empty where nothing does."""
    held = []
    if status.slowed_rate is not None:
        shown = f"{status.slowed_rate:.1f}" if status.slowed_rate >= 0.1 else "< 0.1"
        held.append(tr("{rate}/s", rate=shown))
    if status.slowed_number is not None:
        held.append(tr("{n} at once", n=status.slowed_number))
    at = None
    if status.slowed_until is not None:
        at = f"{datetime.fromtimestamp(status.slowed_until).astimezone():%H:%M}"
    if not held:
        if at is None:
            return tr.say(status.waits_for) if status.waits_for is not None else ""
        return tr("slowed by the provider until {at}", at=at)
    to = tr.listed(held)
    if at is None:
        return tr("slowed to {to} by the provider", to=to)
    return tr("slowed to {to} by the provider until {at}", to=to, at=at)
