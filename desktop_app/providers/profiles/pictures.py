"""How a vendor's picture calls differ from OpenAI's, as data: no vendor is named in code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class PictureWays:
    """``fixed``: fields of every request unless somebody wants them otherwise. ``shows``: the field
    of the request itself that takes reference pictures, where there are no edits.
    ``groups``: several pictures of one call are a group, whose number is a bound (Ark's fields
    ``sequential_image_generation``)."""

    fixed: Mapping[str, Any] = field(default_factory=dict)
    shows: str = ""
    groups: bool = False


LIKE_OPENAI = PictureWays()
