"""Lines that no account and no batch has to say: what this computer waits for or found damaged."""

from __future__ import annotations

from desktop_app.domain.bus import Bus
from desktop_app.domain.events import EngineChanged
from desktop_app.domain.text import Message, message
from desktop_app.domain.views import Banner, BannerAction


class Notices:
    """Banners by key, shown with the engine's own."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._shown: dict[str, Banner] = {}

    def show(self, key: str, severity: str, said: Message) -> None:
        """Say this until it is dropped or replaced."""
        self._shown[key] = Banner(f"notice:{key}", severity, said)
        self._bus.publish(EngineChanged())

    def offer_report(self, at: str, file: str, *, went_down: bool) -> None:
        """Say that an earlier run went down, or failed somewhere and went on, with the file that
        tells where. Also what was told while it ran is said once more: that line passes, often
        while nobody looks at a batch at work, and only now there is a whole report to hand on."""
        said = message("services.crashed" if went_down else "services.faulted", at=at)
        severity = "warning" if went_down else "info"
        show = (BannerAction.SHOW_REPORT,)
        self._shown["crashed"] = Banner("notice:crashed", severity, said, show, file=file)
        self._bus.publish(EngineChanged())

    def drop(self, key: str) -> None:
        """Take it back."""
        if self._shown.pop(key, None) is not None:
            self._bus.publish(EngineChanged())

    def banners(self) -> tuple[Banner, ...]:
        """What is said now."""
        return tuple(self._shown.values())
