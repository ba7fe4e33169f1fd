"""When to ask for a job again: soon enough that nobody waits for a finished picture, and seldom
enough that asking costs the account nothing."""

from __future__ import annotations

from desktop_app.domain.retry import Draw, spaced

FIRST_S = 1.0
APART_MAX_S = 30.0
HINT_MAX_S = 300.0
FAILED_MAX_S = 60.0

_STEP = 0.5
_SHARE = 0.2
_LATE = 2.0
_LATE_STEP = 0.1
_JITTER = 0.15


def next_poll_s(age_s: float, typical_s: float, hint_s: float | None, draw: Draw) -> float:
    """Seconds until the next poll of a job that has run ``age_s`` and usually takes ``typical_s``.

    At first half its age apart, then a fifth of the usual time; one that takes longer than twice
    that is asked for ever more rarely. What the provider itself asks for (``hint_s``) is waited.
    """
    if hint_s is not None:
        return min(HINT_MAX_S, max(FIRST_S / 2, hint_s)) * (1 + draw() * _JITTER)
    apart = max(FIRST_S, typical_s * _SHARE)
    if age_s > typical_s * _LATE:
        apart = max(apart, age_s * _LATE_STEP)
    apart = min(apart, APART_MAX_S, max(FIRST_S, age_s * _STEP))
    return apart * (1 - _JITTER + 2 * _JITTER * draw())


def after_failed_poll_s(failures: int, draw: Draw) -> float:
    """Seconds until a job is asked for again after so many polls that came to nothing."""
    return spaced(failures - 1, draw, cap_s=FAILED_MAX_S)
