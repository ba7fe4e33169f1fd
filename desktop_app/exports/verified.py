"""A result that was read back and held, wherever it stands."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from desktop_app.domain.attempt import Kept
from desktop_app.domain.errors import BadResult
from desktop_app.exports.content_check import Checked, check_any, under_other_names
from desktop_app.exports.picture_check import PICTURE_MIMES
from desktop_app.exports.placing import fsync_folder
from desktop_app.exports.staging import sha256_of
from desktop_app.exports.text_check import TEXT_MIMES


@dataclass(frozen=True, slots=True)
class Verified:
    """A verified file, wherever it stands."""

    checked: Checked
    size: int
    sha256: str

    def kept(self, out: Path, name: Path) -> Kept:
        """The same under its final name."""
        checked = self.checked
        return Kept(
            path=_below(out, name),
            size=self.size,
            mime=checked.mime,
            text=checked.text,
            width=checked.width,
            height=checked.height,
            sha256=self.sha256,
        )


def _below(out: Path, name: Path) -> str:
    """The name as seen from ``out``, with slashes."""
    if name.parent == out:  # nearly always, and quicker told
        return name.name
    return name.relative_to(out).as_posix()


def read_verified(path: Path) -> Verified | None:
    """A file verified again; None where it does not hold."""
    data = path.read_bytes()
    try:
        return Verified(check_any(data, ".txt"), len(data), sha256_of(data))
    except BadResult:
        return None


def read_noted(out: Path, path: str, sha256: str) -> Kept | None:
    """The file a note speaks of, if it holds what the note says."""
    name = out / path
    result = read_verified(name) if name.is_file() else None
    if result is None or result.sha256 != sha256:
        return None
    fsync_folder(name.parent)
    named = [c for c in under_other_names(result.checked) if c.suffix == name.suffix]
    return replace(result, checked=named[0]).kept(out, name) if named else None


def undecoded(out: Path, name: Path, sha256: str | None = None) -> Kept | None:
    """A file under its final name (that holds what ``sha256`` says, where that is given), told by
    its ending: whoever decodes it may not live to tell."""
    if not name.is_file():
        return None
    data, suffix = name.read_bytes(), name.suffix
    found = sha256_of(data)
    if sha256 not in (None, found):
        return None
    fsync_folder(name.parent)
    mime = PICTURE_MIMES.get(suffix) or TEXT_MIMES.get(suffix, "")
    text = data.decode("utf-8-sig", "replace") if suffix in TEXT_MIMES else None
    return Verified(Checked(suffix, mime, text=text), len(data), found).kept(out, name)
