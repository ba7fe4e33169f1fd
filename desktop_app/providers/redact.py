"""Answers of providers are stored and shown, and some repeat the key: here it is taken out."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from desktop_app.domain.masking import Mask

MASK = "[key]"

# Vendors echo keys shortened ("sk-ab***yz"), which an exact replacement would miss.
_LOOKS_LIKE_A_KEY = re.compile(
    r"\b(?:sk|rk|pk|ak)-[A-Za-z0-9_*.\-]{6,}|(?i:bearer)\s+[^\s\"',}]{6,}"
)
_SPACE = re.compile(r"[\s\x00-\x1f\x7f]+")


class Scrubber:
    """Takes the given secrets, and anything that looks like a key, out of texts."""

    def __init__(self, secrets: Iterable[str | None] = ()) -> None:
        self._mask = Mask(secrets, MASK)

    def __call__(self, text: str, limit: int | None = None) -> str:
        """The text without secrets, cut to ``limit`` characters afterwards."""
        text = self._mask(text, _without_lookalikes)
        return text if limit is None else text[:limit]

    def tree(self, value: Any) -> Any:
        """Parsed JSON with every string in it cleaned, names of fields too; what Python reads as a
        number and JSON knows none of is None."""
        if isinstance(value, str):
            return self(value)
        if value is None or isinstance(value, int):
            return value
        if isinstance(value, Mapping):
            return {self(str(name)): self.tree(inside) for name, inside in value.items()}
        if isinstance(value, float) and not math.isfinite(value):
            return None
        return [self.tree(inside) for inside in value] if isinstance(value, list) else value

    def line(self, text: str, limit: int = 300) -> str:
        """One line for a sentence: no secrets, no line breaks, at most ``limit`` characters."""
        clean = _SPACE.sub(" ", self(text)).strip()
        return clean if len(clean) <= limit else clean[: limit - 1] + "…"


def _without_lookalikes(text: str) -> str:
    # Most texts hold none, and to look for the signs of each costs a tenth of looking for it.
    if "k-" not in text and "bearer" not in text.lower():
        return text
    return _LOOKS_LIKE_A_KEY.sub(MASK, text)
