"""The user-level install script puts the program where desktops look, and takes it away again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import project
import pytest
import share

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="of Linux")


def run(folder: Path, home: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", str(folder / "install.sh"), *args],
        env={"PATH": os.environ["PATH"], "HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def unpacked(tmp_path: Path) -> Path:
    """An archive of a program that says hello."""
    folder = tmp_path / "解压 here"
    (folder / "batchwright" / "_internal").mkdir(parents=True)
    program = folder / "batchwright" / "batchwright"
    program.write_text("#!/bin/sh\necho hello\n")
    program.chmod(0o755)
    places = {
        "applications/batchwright.desktop": "batchwright.desktop",
        "mime/packages/batchwright.xml": "batchwright-mime.xml",
        "man/man1/batchwright.1": "batchwright.1",
        f"metainfo/{project.read().app_id}.metainfo.xml": "batchwright.metainfo.xml",
    }
    for place, name in places.items():
        target = folder / "share" / place
        target.parent.mkdir(parents=True)
        target.write_text(share.filled(name, "1.2.3", 0), encoding="utf-8")
    for place in ("48x48/apps/batchwright.png", "scalable/apps/batchwright.svg"):
        target = folder / "share" / "icons" / "hicolor" / place
        target.parent.mkdir(parents=True)
        target.write_bytes(b"icon")
    (folder / "install.sh").write_text(share.filled("install.sh", "1.2.3", 0), encoding="utf-8")
    return folder


def test_it_installs_again_and_removes_all_but_data(unpacked: Path, tmp_path: Path) -> None:
    home = tmp_path / "home of 某人"
    data = home / ".local/share/Batchwright/batchwright.db"
    data.parent.mkdir(parents=True)
    data.write_bytes(b"store")
    # An earlier version had a file that this one has not.
    stale = home / ".local/opt/batchwright/_internal/old.so"
    stale.parent.mkdir(parents=True)
    stale.touch()
    done = run(unpacked, home)
    assert done.returncode == 0, done.stderr
    assert not stale.exists()
    started = subprocess.run([home / ".local/bin/batchwright"], capture_output=True, text=True)
    assert started.stdout == "hello\n"
    entry = (home / ".local/share/applications/batchwright.desktop").read_text(encoding="utf-8")
    assert f'Exec="{home}/.local/opt/batchwright/batchwright" %F' in entry
    assert (home / ".local/share/icons/hicolor/48x48/apps/batchwright.png").exists()
    done = run(unpacked, home, "--remove")
    assert done.returncode == 0, done.stderr
    left = [f for f in home.rglob("*") if f.is_file() or f.is_symlink()]
    own = [f for f in left if "batchwright" in f.name.lower()]
    assert own == [data]


def test_an_unknown_word_changes_nothing(unpacked: Path, tmp_path: Path) -> None:
    done = run(unpacked, tmp_path / "home", "--uninstall")
    assert done.returncode == 2
    assert not (tmp_path / "home").exists()


def test_what_was_unpacked_where_it_installs_to_is_not_thrown_away(
    unpacked: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    placed = home / ".local" / "opt" / "batchwright"
    placed.parent.mkdir(parents=True)
    unpacked.rename(placed)
    done = run(placed, home)
    assert done.returncode == 1
    assert "somewhere else" in done.stderr
    assert (placed / "batchwright" / "batchwright").exists()
