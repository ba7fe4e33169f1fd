"""How a vendor wants to be spoken to, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Manner:
    """The header that carries the key, what stands before the key in it, and headers that every
    call carries. ``key_hosts``: where else than to the connection's host the key may go, see
    ``key_hosts.may_have_key``."""

    key_header: str = "Authorization"
    key_prefix: str = "Bearer "
    fixed: Mapping[str, str] = field(default_factory=dict)
    key_hosts: Sequence[str] = ()


BEARER = Manner()
