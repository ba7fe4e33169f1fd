"""File names legal on three systems at once, because a batch folder travels between computers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

MAX_NAME_BYTES = 255
"""The longest file name ext4, APFS and NTFS all take, in UTF-8 bytes."""

STEM_BYTES = 120
"""What a result's stem may take: leaves room for ``-2``, an extension, and Windows' 260-character
paths."""

FOLDER_LEVELS = 4
_FOLDERS_BYTES = 120  # what the folders of a stem may take together
_FOLDER_BYTES = 60
_PATH_BYTES = 180  # what a stem may take with its folders, again for Windows' sake

_FORBIDDEN = re.compile(r'[<>:"/\\|?*]')
_SLASHES = re.compile(r"[/\\]")
_LIKE_A_FILE = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,4}\Z")
_SPACES = re.compile(r"\s+")
# What most names are: nothing to mend.
_is_plain = re.compile(r"[A-Za-z0-9_-]+(?: [A-Za-z0-9_-]+)*").fullmatch
_are_plain = re.compile(
    r"[A-Za-z0-9_-]+(?: [A-Za-z0-9_-]+)*(?:\n[A-Za-z0-9_-]+(?: [A-Za-z0-9_-]+)*)*"
).fullmatch
_RESERVED = frozenset(
    {"con", "prn", "aux", "nul", "conin$", "conout$"}
    | {f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789¹²³"}
)
_LONGEST_RESERVED = max(map(len, _RESERVED))
_ZWJ = "\u200d"
_KEPT_FORMAT = frozenset({_ZWJ, "\u200c"}) | {chr(c) for c in range(0xE0020, 0xE0080)}


def safe_name(text: str, max_bytes: int = STEM_BYTES, fallback: str = "_") -> str:
    """A file name (or stem) made of ``text``: NFC, at most ``max_bytes`` UTF-8 bytes, whole
    graphemes only, never a reserved name, never a path. ``fallback`` where nothing is left."""
    if is_safe(text, max_bytes):
        return text
    name = _trim(cut(_legal(text), max_bytes))
    if _is_reserved(name):
        name = _trim(cut(f"_{name}", max_bytes))
    return name or fallback


def is_safe(text: str, max_bytes: int = STEM_BYTES) -> bool:
    """Whether it is one as it is; False also where only a closer look would tell."""
    # Without a dot in it, a name longer than all the reserved ones is none of them.
    return (
        (len(text) > _LONGEST_RESERVED or not _is_reserved(text))
        and len(text) <= max_bytes
        and _is_plain(text) is not None
    )


def are_safe(texts: Sequence[str]) -> bool:
    """Whether ``is_safe`` holds for all of them, seen at once; False also where only a look at each
    would tell."""
    lengths = list(map(len, texts))
    if not lengths or min(lengths) <= _LONGEST_RESERVED or max(lengths) > STEM_BYTES:
        return False
    together = "\n".join(texts)
    return together.count("\n") == len(texts) - 1 and _are_plain(together) is not None


def safe_folders(text: str) -> tuple[str, ...]:
    """Subfolders made of ``text``, in which both slashes part levels: each legal on three systems,
    none leads out or up (``..``, ``.``, roots and blanks are left out), at most ``FOLDER_LEVELS``
    deep (what would be deeper is joined to the last one), and none looks like a result's file."""
    wanted = [part for part in _SLASHES.split(text) if _folder(part, _FOLDER_BYTES)]
    kept, deeper = wanted[: FOLDER_LEVELS - 1], wanted[FOLDER_LEVELS - 1 :]
    parts = [*kept, "_".join(deeper)] if deeper else kept
    room = min(_FOLDER_BYTES, _FOLDERS_BYTES // max(1, len(parts)))
    return tuple(name for part in parts if (name := _folder(part, room)))


def safe_stem(name: str, folders: Sequence[str] = (), fallback: str = "_") -> str:
    """An output name as a batch's rows keep it: without an ending, relative to the batch's folder,
    ``/`` between its levels on every system. ``folders`` are those of ``safe_folders``; ``name``
    is one level, whatever slashes are in it."""
    path = "".join(f"{folder}/" for folder in folders)
    room = min(STEM_BYTES, _PATH_BYTES - len(path.encode()))
    return path + safe_name(name, room, safe_name(fallback, room))


def as_text(name: str) -> str:
    """The name of a file as it can be kept and shown: what the system's encoding does not know of
    it (to Python lone surrogates) is a question mark each."""
    return name.encode("utf-8", "replace").decode("utf-8")


def first_graphemes(text: str, count: int) -> str:
    """The first ``count`` characters as a reader counts them, free of what no name may hold."""
    taken: list[str] = []
    for cluster in clusters(_legal(text[: count * 80]).strip()):
        if len(taken) == count:
            break
        taken.append(cluster)
    return "".join(taken)


def numbered(stem: str, number: int, suffix: str = "") -> str:
    """``stem-2.png``: the stem is cut where the whole would grow past 255 bytes."""
    tail = f"-{number}{suffix}"
    return cut(stem, MAX_NAME_BYTES - len(tail.encode())) + tail


def fold(name: str) -> str:
    """What two names share when some file system would take them for one: case and
    normalisation do not count."""
    decomposed = unicodedata.normalize("NFD", name)
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", decomposed.casefold()))


def _folder(text: str, max_bytes: int) -> str:
    """A folder ``a.png`` would stand where a file of that name is to go."""
    name = safe_name(text, max_bytes - 1, fallback="")
    return f"{name}_" if _LIKE_A_FILE.search(name) else name


def cut(text: str, max_bytes: int) -> str:
    """The longest run of whole graphemes from the start that fits ``max_bytes`` in UTF-8."""
    if len(text.encode()) <= max_bytes:
        return text
    kept: list[str] = []
    room = max_bytes
    for cluster in clusters(text):
        room -= len(cluster.encode())
        if room < 0:
            break
        kept.append(cluster)
    return "".join(kept)


def clusters(text: str) -> Iterator[str]:
    """Graphemes, near enough to UAX 29 for names: marks, emoji sequences, flags and Hangul
    stay whole."""
    start = 0
    for at in range(1, len(text)):
        if _breaks(text, start, at):
            yield text[start:at]
            start = at
    if text:
        yield text[start:]


def _breaks(text: str, start: int, at: int) -> bool:
    before, after = text[at - 1], text[at]
    if _extends(after) or before == _ZWJ:
        return False
    if _is_flag_letter(before) and _is_flag_letter(after):
        return (at - start) % 2 == 0
    return not (_is_hangul(before) and _is_hangul(after) and (_leads(before) or _follows(after)))


def _extends(char: str) -> bool:
    """Marks, joiners, skin tones and tags belong to the character before them."""
    return (
        char in _KEPT_FORMAT
        or 0x1F3FB <= ord(char) <= 0x1F3FF
        or unicodedata.category(char).startswith("M")
    )


def _is_flag_letter(char: str) -> bool:
    return 0x1F1E6 <= ord(char) <= 0x1F1FF


def _is_hangul(char: str) -> bool:
    return 0x1100 <= ord(char) <= 0x11FF or 0xAC00 <= ord(char) <= 0xD7A3


def _leads(char: str) -> bool:
    """A leading consonant waits for its vowel."""
    return 0x1100 <= ord(char) <= 0x115F


def _follows(char: str) -> bool:
    """Vowels and trailing consonants belong to what is before them."""
    return 0x1160 <= ord(char) <= 0x11FF


def _legal(text: str) -> str:
    """NFC without control, direction and lone-surrogate characters; every run of white space is
    one space; what Windows forbids is an underscore."""
    text = _SPACES.sub(" ", text)
    if text.isascii() and text.isprintable():
        return _FORBIDDEN.sub("_", text)
    kept = (
        c for c in text if c in _KEPT_FORMAT or unicodedata.category(c) not in ("Cc", "Cf", "Cs")
    )
    # What was left out may have stood between two spaces.
    return _FORBIDDEN.sub("_", _SPACES.sub(" ", unicodedata.normalize("NFC", "".join(kept))))


def _trim(name: str) -> str:
    """Windows drops dots and spaces at the end; a dot at the start hides the file elsewhere.
    A name of nothing but marks and joiners could not be seen."""
    name = name.strip(". ")
    return "" if all(_extends(c) for c in name) else name


def _is_reserved(name: str) -> bool:
    return name.split(".", 1)[0].rstrip(" ").casefold() in _RESERVED
