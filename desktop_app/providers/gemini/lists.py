"""A list may be missing, or be none: then nothing is in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def objects(found: object) -> list[Mapping[str, Any]]:
    """The objects in a list."""
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []
