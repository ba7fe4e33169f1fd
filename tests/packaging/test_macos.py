"""The script that makes the disk image does its steps in the right order, with tools of macOS that
only note what they were asked."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from places import PACKAGING

pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or shutil.which("bash") is None, reason="a script of Unix"
)

SCRIPT = PACKAGING / "macos" / "disk_image.sh"
TOOLS = ("codesign", "hdiutil", "xcrun", "security", "plutil", "file", "uname", "uuidgen")
TOOL = """#!/bin/sh
name=$(basename "$0")
echo "$name $*" >>"$NOTES"
case $name in
    plutil) echo 1.2.3 ;;
    uname) echo arm64 ;;
    uuidgen) echo a-word ;;
    file)
        case $2 in
            */batchwright | */QtCore | *.so) echo "Mach-O 64-bit" ;;
            *) echo text ;;
        esac
        ;;
    hdiutil) while [ "$1" != -srcfolder ]; do shift; done; cp -R "$2" "$PACKED" ;;
esac
"""


def run(tmp_path: Path, **secrets: str) -> list[str]:
    """What was asked of the tools, in order; ``packed`` is what went into the image."""
    contents = tmp_path / "dist" / "Batchwright.app" / "Contents"
    for name in ("MacOS/batchwright", "Frameworks/QtCore", "Frameworks/a b.so", "Resources/x.csv"):
        (contents / name).parent.mkdir(parents=True, exist_ok=True)
        (contents / name).touch()
    (contents / "Info.plist").touch()
    (tmp_path / "dist" / "copyright").write_text("all licences")
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in TOOLS:
        (tools / name).write_text(TOOL)
        (tools / name).chmod(0o755)
    given = {"NOTES": str(tmp_path / "notes"), "PACKED": str(tmp_path / "packed")}
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    empty = dict.fromkeys(("CERTIFICATE", "PASSWORD", "IDENTITY"), "")
    done = subprocess.run(
        ["bash", str(SCRIPT), str(tmp_path / "dist")],
        env={"PATH": path, "RUNNER_TEMP": str(tmp_path), **given, **empty, **secrets},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return (tmp_path / "notes").read_text().splitlines()


def signed(notes: list[str]) -> list[str]:
    return [note for note in notes if note.startswith("codesign --force")]


def test_what_lies_within_is_signed_before_the_program_and_with_the_hardened_runtime(
    tmp_path: Path,
) -> None:
    given = signed(run(tmp_path))
    app = f"{tmp_path}/dist/Batchwright.app"
    assert {note.rpartition("/")[2] for note in given[:-1]} == {"batchwright", "QtCore", "a b.so"}
    assert all("--options runtime --sign - " in note for note in given)
    assert given[-1].endswith(f"/entitlements.plist {app}")


def test_the_image_holds_the_program_its_licences_and_where_to_drop_it(tmp_path: Path) -> None:
    notes = run(tmp_path)
    packed = tmp_path / "packed"
    assert (packed / "Batchwright.app/Contents/Resources/copyright.txt").read_text()
    assert (packed / "Applications").readlink() == Path("/Applications")
    (made,) = [note for note in notes if note.startswith("hdiutil")]
    assert made.endswith("/dist/Batchwright-1.2.3-macos-arm64.dmg")
    assert not [note for note in notes if note.startswith(("xcrun", "security"))]


def test_with_a_certificate_apple_is_asked_and_its_answer_stapled(tmp_path: Path) -> None:
    apple = {"APPLE_ID": "me@example.org", "APPLE_PASSWORD": "app-word", "APPLE_TEAM": "TEAM"}
    notes = run(tmp_path, CERTIFICATE="QUJD", PASSWORD="pw", IDENTITY="Developer ID: X", **apple)
    assert all("--timestamp --options runtime --sign Developer ID: X" in n for n in signed(notes))
    steps = [" ".join(note.split()[:2]) for note in notes if note.startswith("xcrun")]
    assert steps == ["xcrun notarytool", "xcrun stapler"]
    at = {word: [i for i, note in enumerate(notes) if note.startswith(word)] for word in TOOLS}
    assert max(at["security"]) < min(at["codesign"])
    assert max(at["hdiutil"]) < min(at["xcrun"])
    assert not (tmp_path / "certificate.p12").exists()
