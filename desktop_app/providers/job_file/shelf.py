"""Where provider files are found: those that came with the program, and the operator's own, which
win where both have one name."""

from __future__ import annotations

import logging
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_app.domain.ports import Preset
from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.providers.job_file.preset import nameless, preset_in
from desktop_app.providers.presets import PRESETS

if TYPE_CHECKING:
    from desktop_app.providers.job_file.reading import Loaded

_log = logging.getLogger(__name__)

SUFFIX = ".toml"
MOST_BYTES = 256 * 1024

_Mark = tuple[int, int]
"""Changes with a file."""

TAKEN = frozenset({"practice", *(preset.id for preset in PRESETS)})
"""Presets that are no files."""

UNOFFERED = frozenset({"practice-jobs"})
"""Files that the program itself has a use for; nobody is offered them, or has one of that name."""


class JobFiles:
    """Provider files by the id of their preset, which is the file's name. A file is read again
    where it has changed; one that is faulty is there with its mistakes. Blocks for a moment.

    ``shipped`` and ``own`` are folders, which need not be there.
    """

    def __init__(self, shipped: Path | None = None, own: Path | None = None) -> None:
        self._shipped = shipped
        self._own = own
        self._known: dict[Path, tuple[_Mark, Loaded]] = {}
        self._presets: dict[Path, tuple[_Mark, Preset]] = {}
        self._told: set[Path] = set()

    def presets(self) -> tuple[Preset, ...]:
        """One a file, in the order of their names."""
        found: dict[str, Preset] = {}
        for folder in (self._shipped, self._own):
            for path in _files(folder):
                if folder is self._shipped and path.stem in UNOFFERED:
                    continue
                if path.stem in TAKEN | UNOFFERED:
                    self._tell_taken(path)
                else:
                    found[path.stem] = self._preset(path)
        return tuple(found[name] for name in sorted(found))

    def of(self, preset_id: str | None) -> Loaded | None:
        """The file of this preset, None where there is none."""
        if not preset_id or preset_id in TAKEN or Path(preset_id).name != preset_id:
            return None
        folders = (self._own, self._shipped)
        for folder in folders[1:] if preset_id in UNOFFERED else folders:
            path = None if folder is None else folder / f"{preset_id}{SUFFIX}"
            if path is not None and path.exists():
                return self._load(path)
        return None

    @property
    def own(self) -> str:
        """Where the operator's own files belong, to be shown."""
        return str(self._own) if self._own is not None else "-"

    # --- for the operator's own --------------------------------------------------------------

    def check(self, path: Path) -> Sequence[Message]:
        """What is wrong with a file, nothing where it is sound. Raises OperatorError where it
        can't be read."""
        from desktop_app.providers.job_file.reading import load

        if path.stem in TAKEN | UNOFFERED:
            return (message("job_files.taken", file=path.name, name=path.stem),)
        return load(path.name, _bytes(path)).wrong

    def take_in(self, path: Path) -> str:
        """Copy a file to the operator's own; the id of its preset. The same file may be there
        already, another one of that name is not overwritten. Raises OperatorError."""
        raw = _bytes(path)
        if self._own is None:
            said = message("job_files.not_kept", file=path.name, folder="-", text="-")
            raise OperatorError(said)
        place = self._own / f"{path.stem}{SUFFIX}"
        try:
            if place.exists():
                if place.read_bytes() != raw:
                    folder = str(self._own)
                    said = message("job_files.in_the_way", file=place.name, folder=folder)
                    raise OperatorError(said)
            else:
                self._own.mkdir(parents=True, exist_ok=True)
                # Half a file, on a full disk, would be in the way for good.
                part = place.with_suffix(".part")
                part.write_bytes(raw)
                part.replace(place)
        except OSError as trouble:
            text = trouble.strerror or type(trouble).__name__
            said = message("job_files.not_kept", file=path.name, folder=str(self._own), text=text)
            raise OperatorError(said) from trouble
        return path.stem

    def _tell_taken(self, path: Path) -> None:
        if path not in self._told:
            self._told.add(path)
            _log.warning("provider file %s has the name of a built-in one", path.name)

    def _preset(self, path: Path) -> Preset:
        try:
            mark = _mark(path)
            known = self._presets.get(path)
            if known is not None and known[0] == mark:
                return known[1]
            preset = preset_in(path.stem, tomllib.loads(_read(path).decode("utf-8-sig")))
        except (OSError, ValueError, RecursionError):
            return nameless(path.stem)  # why, the connection's test says
        self._presets[path] = (mark, preset)
        return preset

    def _load(self, path: Path) -> Loaded:
        from desktop_app.providers.job_file.reading import load, unreadable

        try:
            mark = _mark(path)
            known = self._known.get(path)
            if known is not None and known[0] == mark:
                return known[1]
            loaded = load(path.name, _read(path))
        except OSError as trouble:
            return unreadable(path.name, trouble)
        self._known[path] = (mark, loaded)
        return loaded


def _mark(path: Path) -> _Mark:
    state = path.stat()
    return state.st_mtime_ns, state.st_size


def _files(folder: Path | None) -> Iterator[Path]:
    if folder is None:
        return
    try:
        found = sorted(folder.glob(f"*{SUFFIX}"))
    except OSError:
        return
    # A leading dot: copies that some systems leave beside a file.
    yield from (path for path in found if not path.name.startswith("."))


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(MOST_BYTES + 1)


def _bytes(path: Path) -> bytes:
    try:
        return _read(path)
    except OSError as trouble:
        text = trouble.strerror or type(trouble).__name__
        raise OperatorError(message("job_files.unreadable", file=str(path), text=text)) from trouble
