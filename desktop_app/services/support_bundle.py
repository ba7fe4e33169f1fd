"""One file for whoever helps, which says itself what is in it, so that the operator decides."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from desktop_app.domain.ports import SupportPack, SupportSource
from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.services.export_batch import Language

README = "README.txt"
_MISSED = "not read:"
_ABOUT = {
    "system.txt": "services.support_system",
    "settings.json": "services.support_settings",
    "store/schema.sql": "services.support_schema",
    "store/checks.txt": "services.support_checks",
    "store/counts.json": "services.support_counts",
    "store/connections.json": "services.support_connections",
    "logs/": "services.support_logs",
}


@dataclass(frozen=True, slots=True)
class Saved:
    """``path`` of the file, the ``names`` in it, and what of it could not be read."""

    path: Path
    names: tuple[str, ...]
    unread: tuple[Message, ...]


class SupportBundle:
    """Gathers what the rooms tell, whatever state they are in. Never asks for a key."""

    def __init__(
        self, sources: Sequence[SupportSource], pack: SupportPack, language: Language
    ) -> None:
        self._sources = sources
        self._pack = pack
        self._language = language

    async def save(self, target: Path) -> Saved:
        """Write a zip; ``.zip`` is added where the name lacks it. Raises OperatorError."""
        if target.suffix.lower() != ".zip":
            target = target.with_name(f"{target.name}.zip")
        parts: dict[str, str] = {}
        for source in self._sources:
            parts |= await asyncio.to_thread(source.parts)
        unread = tuple(
            message("services.support_unread", file=name, why=line.removeprefix(_MISSED).strip())
            for name, text in parts.items()
            for line in text.splitlines()
            if line.startswith(_MISSED) and not name.startswith("logs/batchwright")
        )
        whole = {README: self._readme(parts, unread), **parts}
        try:
            await asyncio.to_thread(self._pack.pack, target, whole)
        except OSError as error:
            said = message(
                "services.support_not_written", file=target.name, reason=error.strerror or error
            )
            raise OperatorError(said) from error
        return Saved(target, tuple(whole), unread)

    def _readme(self, parts: Mapping[str, str], unread: Sequence[Message]) -> str:
        say = self._language.tr.say
        lines = [say(message("services.support_intro")), ""]
        for name in parts:
            code = next((code for about, code in _ABOUT.items() if name.startswith(about)), "")
            lines.append(f"{name}: {say(message(code))}" if code else name)
        lines += ["", say(message("services.support_left_out"))]
        lines += ["", *map(say, unread)] if unread else []
        return "\n".join(lines) + "\n"
