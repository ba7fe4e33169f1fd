"""How long to wait before trying again: random, so that many rows never come back in one wave."""

from __future__ import annotations

from collections.abc import Callable

FIRST_S = 1.0
CAP_S = 60.0

Draw = Callable[[], float]
"""A random source: a number in [0, 1)."""


def ceiling(spent: int, *, first_s: float = FIRST_S, cap_s: float = CAP_S) -> float:
    """The longest wait after ``spent`` earlier tries: 1, 2, 4 ... seconds, never above the cap."""
    doublings = min(max(spent, 0), 32)
    return min(cap_s, first_s * float(2**doublings))


def backoff(spent: int, draw: Draw, *, first_s: float = FIRST_S, cap_s: float = CAP_S) -> float:
    """Full jitter: anywhere between nothing and the ceiling, in seconds."""
    return draw() * ceiling(spent, first_s=first_s, cap_s=cap_s)


def spaced(spent: int, draw: Draw, *, first_s: float = FIRST_S, cap_s: float = CAP_S) -> float:
    """Half fixed, half jitter: for probes, where a wait of nothing would be no wait."""
    return (0.5 + draw() / 2) * ceiling(spent, first_s=first_s, cap_s=cap_s)
