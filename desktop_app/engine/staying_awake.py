"""The computer is kept from sleeping while there is work, and told so once, not at every round."""

from __future__ import annotations

from desktop_app.domain.ports import KeepAwake


class StayingAwake:
    """Holds the computer awake, or does not."""

    def __init__(self, awake: KeepAwake) -> None:
        self._awake = awake
        self._is_on = False

    def turn(self, on: bool) -> None:
        """Keep the computer from sleeping, or no longer."""
        if on is self._is_on:
            return
        self._is_on = on
        if on:
            self._awake.hold()
        else:
            self._awake.release()
