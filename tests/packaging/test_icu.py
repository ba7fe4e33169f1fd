"""A smaller ICU has what the program speaks, in ICU's own form."""

from __future__ import annotations

import struct

import icu
import pytest

HEADER = struct.pack("<HH", 32, 0x27DA).ljust(32, b"\0")


def package(items: dict[str, bytes]) -> bytes:
    """ICU's common data with these items."""
    names = [f"icudt73l/{name}".encode() + b"\0" for name in items]
    at = 4 + 8 * len(items)
    body_at = -(-(at + sum(map(len, names))) // 16) * 16
    table, body = struct.pack("<I", len(items)), b""
    for name, data in zip(names, items.values(), strict=True):
        table += struct.pack("<II", at, body_at + len(body))
        at += len(name)
        body += data.ljust(-(-len(data) // 16) * 16, b"\xaa")
    return HEADER + (table + b"".join(names)).ljust(body_at, b"\xaa") + body


def items(data: bytes) -> dict[str, bytes]:
    """What a package holds, read apart from the code under test."""
    (count,) = struct.unpack_from("<I", data, 32)
    rows = [struct.unpack_from("<II", data, 36 + 8 * n) for n in range(count)]
    ends = [32 + start for _, start in rows[1:]] + [len(data)]
    found = {}
    for (name, start), end in zip(rows, ends, strict=True):
        said = data[32 + name : data.index(b"\0", 32 + name)].decode()
        found[said] = data[32 + start : end].rstrip(b"\xaa")
    return found


def test_other_languages_go_and_the_rest_is_byte_for_byte_the_same() -> None:
    whole = {
        "brkitr/cjdict.dict": b"words",
        "coll/de.res": b"german",
        "coll/root.res": b"order of all",
        "coll/zh.res": b"pinyin" * 9,
        "de.res": b"german",
        "en_GB.res": b"british",
        "supplementalData.res": b"for everybody",
        "ucadata.icu": b"x",
        "zh_Hant_HK.res": b"hong kong",
    }
    kept = items(icu.smaller(package(whole)))
    assert kept == {
        f"icudt73l/{name}": data
        for name, data in whole.items()
        if name not in {"brkitr/cjdict.dict", "coll/de.res", "de.res"}
    }


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("pool.res", True),
        ("curr/zh_Hans_SG.res", True),
        ("curr/fil.res", False),
        ("zone/en_001.res", True),
        ("zoneinfo64.res", True),
        ("translit/Any_Latin.res", False),
        ("ibm-943_P15A-2003.cnv", False),
        ("gb18030.cnv", True),
        ("unames.icu", False),
    ],
)
def test_which_items_stay(name: str, kept: bool) -> None:
    assert icu.is_kept(name) is kept


def test_what_is_no_icu_data_is_not_touched() -> None:
    with pytest.raises(ValueError, match="no ICU data"):
        icu.smaller(b"\x7fELF" * 20)
