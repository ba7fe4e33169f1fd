"""What the house asks about addresses of pictures before a run: a dead one costs a row, and maybe
a call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from desktop_app.domain.connection import Connection
from desktop_app.domain.text import Message


@dataclass(frozen=True, slots=True)
class AddressNews:
    """What was found, by address. ``dead`` ones can never bring a picture that is taken; their
    sentences want a ``row``. Of ``doubtful`` ones that can't be said: why, in a few words.
    ``unseen`` were not looked at for want of time; ``offline``: why none was."""

    dead: Mapping[str, Message] = field(default_factory=dict)
    doubtful: Mapping[str, str] = field(default_factory=dict)
    unseen: int = 0
    offline: Message | None = None


class Addresses(Protocol):
    """Looks at addresses of pictures as a connection would, without any key."""

    async def look(
        self, connection: Connection, mimes: Sequence[str], urls: Sequence[str]
    ) -> AddressNews:
        """Of ``urls``, each named once; ``mimes`` are the kinds that are taken, none: all. Takes
        no longer than a person waits for a report, and raises nothing."""
        ...
