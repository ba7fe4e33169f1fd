"""Looks for a key in everything that a program left, in any spelling, whole or in part."""

from __future__ import annotations

import base64
import io
import json
import urllib.parse
import zipfile
from collections.abc import Iterator
from pathlib import Path

SHOWN = 8
"""So many signs in a row are more than the end of a key that is shown on purpose."""


def needles(key: str) -> dict[bytes, str]:
    """What must not be found -> how the key was spelled."""
    found: dict[bytes, str] = {}
    for at in range(len(key) - SHOWN + 1):
        piece = key[at : at + SHOWN]
        spelled = {
            "url": urllib.parse.quote(piece, safe="").encode(),
            "json": json.dumps(piece)[1:-1].encode(),
            "hex": piece.encode().hex().encode(),
            "utf-16": piece.encode("utf-16-le"),
            "plain": piece.encode(),  # the last word where two are alike
        }
        found |= {data: how for how, data in spelled.items()}
    for before in range(3):
        coded = base64.b64encode(b"\0" * before + key.encode()).decode()[4:-4]
        for at in range(len(coded) - 11):
            piece = coded[at : at + 12]
            found[piece.encode()] = "base64"
            found[piece.replace("+", "-").replace("/", "_").encode()] = "base64"
    return found


def traces(data: bytes, key: str) -> set[str]:
    """How the key is spelled in ``data``, or in the files packed in it."""
    found = {how for needle, how in needles(key).items() if needle in data}
    if zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            for name in packed.namelist():
                found |= traces(packed.read(name), key)
    return found


def traces_under(folder: Path, key: str) -> Iterator[str]:
    """``file: spelling`` of every file below ``folder`` that gives the key away."""
    for file in sorted(filter(Path.is_file, folder.rglob("*"))):
        for how in sorted(traces(file.read_bytes() + b"\n" + str(file).encode(), key)):
            yield f"{file.relative_to(folder)}: {how}"
