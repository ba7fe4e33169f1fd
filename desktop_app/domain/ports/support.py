"""What is asked of the rooms for the file that an operator sends to whoever helps."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol


class SupportSource(Protocol):
    """One room's share."""

    def parts(self) -> Mapping[str, str]:
        """File name -> text. Blocks and never raises: what can't be read is said in the text, on
        a line that begins with ``not read:``."""
        ...


class SupportPack(Protocol):
    """Puts texts into one file."""

    def pack(self, target: Path, parts: Mapping[str, str]) -> None:
        """Take out of every text what gives somebody away, and write all or nothing. Blocks;
        raises OSError."""
        ...
