"""How a row is filed apart from what it asks for, so that a cell that changed is seen as well."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from json import JSONEncoder

_encode = JSONEncoder(ensure_ascii=False).encode


def filed_digest(cells: Sequence[str], key: str | None, lane: str | None, priority: int) -> str:
    """Identifies a row's cells, key, lane and priority: 32 hex digits."""
    text = _encode([list(cells), key, lane or None, priority])
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
