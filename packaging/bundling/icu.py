"""Qt brings the words, calendars and code pages of 800 locales (32 MB), of which this program shows
two: a smaller data library with the same interface takes the place of the whole one.

The form of the data is ICU's "common data" (https://unicode-org.github.io/icu/userguide/icu_data/):
a header, then a table of (offset of a name, offset of its item), sorted by name.
"""

from __future__ import annotations

import re
import struct
import subprocess
from pathlib import Path

_KEPT_LOCALES = re.compile(r"(root|en|zh)(_[A-Za-z0-9_]*)?\.res")
_LOCALE = re.compile(r"[a-z]{2,3}(_[A-Za-z0-9_]*)?\.res|root\.res")
_ALIGNED = 16


def is_kept(name: str) -> bool:
    """Whether an item, named without its package, serves English, Chinese or every language."""
    folder, _, file = name.rpartition("/")
    if folder.startswith("translit"):
        return file in {"root.res", "res_index.res"}  # nothing is transliterated
    if file.endswith(".cnv"):
        return file.startswith("gb")  # sheets are decoded by Python
    if file.endswith(".dict") or file == "unames.icu":
        return False  # Qt breaks lines by rules of its own, and nobody asks for names of characters
    return not _LOCALE.fullmatch(file) or bool(_KEPT_LOCALES.fullmatch(file))


def smaller(data: bytes) -> bytes:
    """The same package with the kept items alone. Raises ValueError where it is not of that
    form."""
    header, magic = struct.unpack_from("<HH", data)
    if magic != 0x27DA:
        raise ValueError("no ICU data")
    (count,) = struct.unpack_from("<I", data, header)
    table = [struct.unpack_from("<II", data, header + 4 + 8 * at) for at in range(count)]
    ends = [start for _, start in table[1:]] + [len(data) - header]
    kept: list[tuple[bytes, bytes]] = []
    for (name_at, start), end in zip(table, ends, strict=True):
        at = header + name_at
        name = data[at : data.index(b"\0", at)]
        if is_kept(name.decode("ascii").partition("/")[2]):
            kept.append((name, data[header + start : header + end]))
    names_at = 4 + 8 * len(kept)
    names = b"".join(name + b"\0" for name, _ in kept)
    body_at = -(-(names_at + len(names)) // _ALIGNED) * _ALIGNED
    rows, body, name_at = b"", bytearray(), names_at
    for name, item in kept:
        body += b"\xaa" * (-len(body) % _ALIGNED)
        rows += struct.pack("<II", name_at, body_at + len(body))
        name_at += len(name) + 1
        body += item
    head = struct.pack("<I", len(kept)) + rows + names
    return data[:header] + head.ljust(body_at, b"\xaa") + bytes(body)


def rebuild(library: Path, scratch: Path) -> None:
    """Put a smaller library in the place of ``libicudata.so.N``, made with binutils. Raises
    CalledProcessError, ValueError."""
    symbol, at, size = _symbol(library)
    whole = library.read_bytes()[at : at + size]
    packed, text, made = scratch / "icu.dat", scratch / "icu.s", scratch / "icu.o"
    packed.write_bytes(smaller(whole))
    text.write_text(
        f".section .rodata\n.globl {symbol}\n.type {symbol},%object\n.balign 16\n"
        f'{symbol}:\n.incbin "{packed}"\n.size {symbol}, .-{symbol}\n'
        '.section .note.GNU-stack,"",%progbits\n'
    )
    subprocess.run(["as", "-o", str(made), str(text)], check=True)
    linked = ["ld", "-shared", "-z", "noexecstack", "-soname", library.name, "-o", str(library)]
    subprocess.run([*linked, str(made)], check=True)


def _symbol(library: Path) -> tuple[str, int, int]:
    """(name, offset in the file, size) of the data."""
    said = _readelf("-Ws", library)
    found = re.search(r"([0-9a-f]{16})\s+(\d+|0x[0-9a-f]+) OBJECT .* (icudt\d+_dat)$", said, re.M)
    if found is None:
        raise ValueError(f"no data in {library.name}")
    address, size = int(found[1], 16), int(found[2], 0)
    for line in re.findall(
        r"^\s+LOAD\s+(0x\w+) (0x\w+) \S+ (0x\w+)", _readelf("-Wl", library), re.M
    ):
        offset, start, length = (int(word, 16) for word in line)
        if start <= address < start + length:
            return found[3], offset + address - start, size
    raise ValueError(f"no data in {library.name}")


def _readelf(what: str, file: Path) -> str:
    return subprocess.run(
        ["readelf", what, str(file)], check=True, capture_output=True, text=True
    ).stdout
