"""Answers in the system's memory under a name that proves them whole: what a provider was paid for
outlives this program from the moment it has arrived, long before it is safe from a power cut."""

from __future__ import annotations

import hashlib
from pathlib import Path

from desktop_app.domain.ports import Content
from desktop_app.exports.content_check import Checked, check_content
from desktop_app.exports.temp_files import Slot
from desktop_app.exports.text_check import TEXT_MIMES, is_text

SUFFIX = ".staged"
PICTURE_MIME = "image/*"


def sha256_of(data: bytes) -> str:
    """64 hex digits."""
    return hashlib.sha256(data).hexdigest()


def bytes_of(content: Content) -> bytes:
    """What of an answer goes onto the disk."""
    return content.data if content.text is None else content.text.encode("utf-8", "replace")


def staged_of(slot: Slot, content: Content) -> Path:
    """Where a result is staged: the name tells what was promised and what it holds."""
    part = slot.part
    return part.with_name(f"{part.stem}.{_kind(content)}.{sha256_of(bytes_of(content))}{SUFFIX}")


def check_staged(staged: Path, data: bytes) -> Checked:
    """Whether it is what was promised. Raises BadResult."""
    return check_content(data, Content(b"", TEXT_MIMES.get(staged.suffixes[-3], PICTURE_MIME)))


def stage(staged: Path, data: bytes) -> None:
    """Write without waiting for the disk. Raises OSError, and leaves nothing then."""
    try:
        staged.write_bytes(data)
    except OSError:
        staged.unlink(missing_ok=True)
        raise


def find_staged(slot: Slot) -> Path | None:
    """The whole result that its attempt staged, or None; half ones are removed."""
    part = slot.part
    whole: Path | None = None
    for staged in part.parent.glob(f"{part.stem}.*{SUFFIX}"):
        if is_whole(staged):
            whole = staged
        else:
            staged.unlink(missing_ok=True)
    return whole


def is_whole(staged: Path) -> bool:
    """Whether a staged file holds what its name says: it was not cut short by a crash."""
    return sha256_of(staged.read_bytes()) == staged.suffixes[-2].removeprefix(".")


def _kind(content: Content) -> str:
    if content.text is None and not is_text(content.mime):
        return "picture"
    suffix = next((s for s, mime in TEXT_MIMES.items() if mime == content.mime), ".txt")
    return suffix.removeprefix(".")
