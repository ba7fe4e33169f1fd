"""Which encoding a text file is in: Excel, WPS and shop systems each write another."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from desktop_app.domain.text import OperatorError, message

_CHUNK = 1 << 20
_SAMPLE = 1 << 16
_STRAY_NULS = 8
"""So many may spoil single rows of a text, however short; they are said with their row."""
_ENDS = re.compile("[\n\r\t,;|]")
_CONTROL = re.compile("[\0-\x08\x0e-\x1f]")
# One for each script: what a short text can't part further is better a guess that is told.
_OTHERS = ["cp1252", "cp1251", "koi8_r", "cp1253", "cp1255", "cp1256", "big5", "cp932", "cp949"]
_SURE = frozenset({"utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "gb18030"})


def find_encoding(path: Path, name: str, asked: str | None = None) -> str:
    """The codec's name for ``path``; ``asked`` wins where it exists. ``name`` is for sentences.
    Raises OperatorError when the file is no text, or nobody can tell its encoding."""
    if asked is not None:
        try:
            # A text codec only: "hex" and "zip" are codecs too.
            "".encode(asked)
        except LookupError as error:
            raise OperatorError(message("ingest.unknown_encoding", encoding=asked)) from error
        return asked
    with path.open("rb") as file:
        head = file.read(_SAMPLE)
    marked = _by_mark(head)
    if marked is not None:
        return marked
    bad_at = _first_error(path, "utf-8")
    wide = _wide(head, is_utf8=bad_at is None)
    if wide is not None:
        return wide
    if head.count(0) > max(_STRAY_NULS, len(head) // 20):
        raise OperatorError(message("ingest.not_text", file=name))
    if bad_at is None:
        return "utf-8"
    return _legacy(path, name, bad_at)


def is_sure(encoding: str) -> bool:
    """Whether an encoding found is more than a guess."""
    return encoding in _SURE


def _by_mark(head: bytes) -> str | None:
    if head.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    return None


def _wide(head: bytes, *, is_utf8: bool) -> str | None:
    """UTF-16 without its mark, seen by where the zero bytes of commas and line ends stand."""
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if not even and not odd:
        return None
    codec = "utf-16-le" if odd > even else "utf-16-be"
    mostly = max(even, odd) * 5 > len(head) // 2 and min(even, odd) * 20 <= max(even, odd)
    few = not is_utf8 and not min(even, odd) and max(even, odd) > 1
    if not (mostly or few):
        return None
    try:
        decoded = head[: len(head) // 2 * 2].decode(codec)
    except UnicodeDecodeError:
        return None
    return codec if _ENDS.search(decoded) and not _CONTROL.search(decoded) else None


def _first_error(path: Path, encoding: str) -> int | None:
    """Offset (to the chunk) of the first byte that ``encoding`` does not know; None: all known."""
    decoder = codecs.getincrementaldecoder(encoding)()
    plain, is_between = encoding == "utf-8", True
    offset = 0
    with path.open("rb", buffering=0) as file:
        try:
            while chunk := file.read(_CHUNK):
                # Nearly all of most files is ASCII, which is seen in a tenth of the time.
                if not (plain and is_between and chunk.isascii()):
                    decoder.decode(chunk)
                    is_between = not decoder.getstate()[0]
                offset += len(chunk)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError as error:
            return max(0, offset + error.start - 4)
    return None


def _legacy(path: Path, name: str, bad_at: int) -> str:
    """Not UTF-8 throughout. The text around the first error tells what else it is."""
    with path.open("rb") as file:
        file.seek(max(0, bad_at - _SAMPLE // 2) if bad_at > _SAMPLE // 2 else 0)
        sample = file.read(_SAMPLE)
    if _is_damaged_utf8(sample):
        return "utf-8"
    if _looks_chinese(sample):
        return "gb18030"
    # Only a text that says nothing of itself needs it.
    import charset_normalizer

    best = charset_normalizer.from_bytes(sample, cp_isolation=_OTHERS).best()
    if best is not None and _first_error(path, best.encoding) is None:
        return best.encoding
    if _first_error(path, "gb18030") is None:
        return "gb18030"
    raise OperatorError(message("ingest.no_encoding", file=name))


def _is_damaged_utf8(sample: bytes) -> bool:
    """Mostly good multi-byte sequences: a few rows are broken, not the whole file foreign."""
    text = sample.decode("utf-8", "surrogateescape")
    bad = sum(1 for c in text if "\udc80" <= c <= "\udcff")
    good = sum(1 for c in text if c > "\x7f") - bad
    return good > 4 * bad


def _looks_chinese(sample: bytes) -> bool:
    """Whether the byte pairs are those of common GB2312 characters and punctuation."""
    pairs = common = at = 0
    while at < len(sample) - 1:
        lead, trail = sample[at], sample[at + 1]
        if lead < 0x81:
            at += 1
            continue
        pairs += 1
        common += trail >= 0xA1 and (0xB0 <= lead <= 0xD7 or 0xA1 <= lead <= 0xA3)
        at += 2
    return pairs > 0 and common * 10 >= pairs * 7
