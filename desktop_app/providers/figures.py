"""What a vendor counted is taken for a number only where something can be counted with it: a price
is multiplied by it, and the store keeps it."""

from __future__ import annotations

import math

MOST = 10**12
"""No call makes or takes more of anything."""


def whole(found: object) -> int | None:
    """A whole number from 0 to ``MOST``; None for anything else."""
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    if isinstance(found, float) and not math.isfinite(found):
        return None
    return int(found) if 0 <= found <= MOST else None
