"""What a Linux desktop looks for under a ``share`` folder, the same in every package."""

from __future__ import annotations

import datetime
import gzip
import shutil
from pathlib import Path

import project
from icons import SIZES
from places import NAME, PACKAGING, Built

LINUX = PACKAGING / "linux"
OPENER = f"zz-{NAME}-sheets.desktop"
"""The entry that opens sheets."""


def filled(name: str, version: str, date: int) -> str:
    """A file of packaging/linux with its version and day, and what the owner says, written in."""
    whose = project.read()
    words = {"APP_ID": whose.app_id, "HOME_PAGE": whose.home_page, "VERSION": version}
    day = datetime.datetime.fromtimestamp(date, datetime.UTC).strftime("%Y-%m-%d")
    text = (LINUX / name).read_text(encoding="utf-8")
    for word, value in {**words, "DATE": day}.items():
        text = text.replace(f"@{word}@", value)
    return text


def write(built: Built, source: Path, share: Path, date: int, *, packed_man: bool) -> None:
    """Desktop entries, icons, AppStream metadata, MIME type and man page below ``share``."""
    places = {
        f"applications/{NAME}.desktop": f"{NAME}.desktop",
        f"applications/{OPENER}": f"{NAME}-sheets.desktop",
        f"metainfo/{project.read().app_id}.metainfo.xml": f"{NAME}.metainfo.xml",
        f"mime/packages/{NAME}.xml": f"{NAME}-mime.xml",
    }
    for place, name in places.items():
        target = share / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(filled(name, built.version, date), encoding="utf-8")
    hicolor = share / "icons" / "hicolor"
    for size in SIZES:
        target = hicolor / f"{size}x{size}" / "apps" / f"{NAME}.png"
        target.parent.mkdir(parents=True)
        shutil.copyfile(built.bundle.parent / "icons" / f"{size}.png", target)
    scalable = hicolor / "scalable" / "apps" / f"{NAME}.svg"
    scalable.parent.mkdir(parents=True)
    shutil.copyfile(source / "resources" / "icons" / "app.svg", scalable)
    page = filled(f"{NAME}.1", built.version, date).encode()
    man = share / "man" / "man1" / f"{NAME}.1"
    man.parent.mkdir(parents=True)
    if packed_man:
        man.with_name(f"{NAME}.1.gz").write_bytes(gzip.compress(page, mtime=0))
    else:
        man.write_bytes(page)
