"""What is asked of this machine: secrets, and staying awake."""

from __future__ import annotations

from typing import Protocol

from desktop_app.domain.mapping_file import MappingPreset
from desktop_app.domain.text import Message


class Secrets(Protocol):
    """Keys, in the OS keyring and nowhere else. Every call runs in a worker with a time-out."""

    async def get(self, connection: str) -> str | None: ...
    async def set(self, connection: str, secret: str) -> bool:
        """Store; False means: no password store here, kept until the program closes."""
        ...

    async def delete(self, connection: str) -> None: ...
    async def available(self) -> Message | None:
        """None when keys can be stored; else the sentence that says why not."""
        ...


class KeepAwake(Protocol):
    """Keeps the computer from sleeping while in use."""

    def hold(self) -> None: ...
    def release(self) -> None: ...


class MappingShelf(Protocol):
    """Saved mappings; names differ by more than case. Every call blocks. Raises OperatorError
    where the disk does not do it."""

    def all(self) -> list[MappingPreset]: ...
    def save(self, preset: MappingPreset) -> None:
        """Also in place of the one of that name."""
        ...

    def remove(self, name: str) -> bool: ...
