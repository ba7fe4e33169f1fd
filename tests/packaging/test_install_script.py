"""The user-level install script puts the program where desktops look, and takes it away again."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import project
import pytest
import share

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="of Linux")


def run(folder: Path, home: Path, *args: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", str(folder / "install.sh"), *args],
        env={"PATH": os.environ["PATH"], "HOME": str(home), **environ},
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
        f"applications/{share.OPENER}": "batchwright-sheets.desktop",
        "mime/packages/batchwright.xml": "batchwright-mime.xml",
        "man/man1/batchwright.1": "batchwright.1",
        f"metainfo/{project.read().app_id}.metainfo.xml": "batchwright.metainfo.xml",
    }
    for place, name in places.items():
        target = folder / "share" / place
        target.parent.mkdir(parents=True, exist_ok=True)
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
    assert not (home / ".local/opt/batchwright.new").exists()
    started = subprocess.run([home / ".local/bin/batchwright"], capture_output=True, text=True)
    assert started.stdout == "hello\n"
    for name in ("batchwright.desktop", share.OPENER):
        entry = (home / ".local/share/applications" / name).read_text(encoding="utf-8")
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


def test_what_was_installed_stays_where_the_new_one_cannot_be_copied_or_does_not_start(
    unpacked: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    assert run(unpacked, home).returncode == 0
    before = tree_of(home)
    program = unpacked / "batchwright" / "batchwright"
    program.write_text("#!/bin/sh\necho 'GLIBC_2.36 not found' >&2\nexit 1\n")
    done = run(unpacked, home)
    assert done.returncode == 1
    assert "nothing was changed:\nGLIBC_2.36 not found" in done.stderr
    assert tree_of(home) == before
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "cp").write_text('#!/bin/sh\nmkdir -p "$3"; echo half >"$3/batchwright"; exit 1\n')
    (tools / "cp").chmod(0o755)
    done = run(unpacked, home, PATH=f"{tools}:{os.environ['PATH']}")  # as where the disk is full
    assert done.returncode != 0
    assert tree_of(home) == before


def tree_of(folder: Path) -> dict[str, bytes]:
    files = (f for f in folder.rglob("*") if f.is_file())
    return {str(f.relative_to(folder)): f.read_bytes() for f in files}


def test_the_entry_starts_the_program_whatever_the_home_is_called(
    unpacked: Path, tmp_path: Path
) -> None:
    home = tmp_path / 'R&D |1\\2 "a" $HOME `b` 100%'
    done = run(unpacked, home)
    assert done.returncode == 0, done.stderr
    entry = (home / ".local/share/applications/batchwright.desktop").read_text(encoding="utf-8")
    (line,) = [line for line in entry.splitlines() if line.startswith("Exec=")]
    # https://specifications.freedesktop.org/desktop-entry-spec: the file's own escapes are undone
    # first, then those of the quotes, then the field codes.
    quoted = line.removeprefix("Exec=").removesuffix(" %F").replace("\\\\", "\\")
    word = re.sub(r'\\(["`$\\])', r"\1", quoted.removeprefix('"').removesuffix('"'))
    assert word.replace("%%", "%") == f"{home}/.local/opt/batchwright/batchwright"


def test_where_it_lies_is_found_whatever_the_shell_is_set_to(
    unpacked: Path, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere" / unpacked.name).mkdir(parents=True)
    done = subprocess.run(
        ["sh", f"{unpacked.name}/install.sh"],
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path / "home"),
            "CDPATH": str(tmp_path / "elsewhere"),
        },
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_libraries_that_the_window_needs_and_the_system_lacks_are_named(
    unpacked: Path, tmp_path: Path
) -> None:
    (unpacked / "batchwright" / "_internal" / "libqxcb.so").touch()
    tools = tmp_path / "tools"
    tools.mkdir()
    lines = ["libEGL.so.1 => not found", "libc.so.6 => /lib/libc.so.6 (0x1)"]
    said = "".join(f"echo '\t{line}'\n" for line in lines)
    (tools / "ldd").write_text(f"#!/bin/sh\n{said}")
    (tools / "ldd").chmod(0o755)
    done = run(unpacked, tmp_path / "home", PATH=f"{tools}:{os.environ['PATH']}")
    assert done.returncode == 0, done.stderr
    assert done.stderr.endswith("install them too:\nlibEGL.so.1\n")
    (tools / "ldd").write_text("#!/bin/sh\necho '\tlibc.so.6 => /lib/libc.so.6 (0x1)'\n")
    done = run(unpacked, tmp_path / "home", PATH=f"{tools}:{os.environ['PATH']}")
    assert done.stderr == ""


def test_it_speaks_chinese_where_the_system_does(unpacked: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert "已安装" in run(unpacked, home, LANG="zh_CN.UTF-8").stdout
    assert "已移除" in run(unpacked, home, "--remove", LANG="zh_CN.UTF-8").stdout
    assert "is removed" in run(unpacked, home, "--remove", LANG="zh_CN.UTF-8", LC_ALL="C").stdout


def test_what_opens_sheets_today_goes_on_doing_so(unpacked: Path, tmp_path: Path) -> None:
    """A desktop that prefers what one person has installed, but for what somebody has chosen."""
    home, tools, notes = tmp_path / "home", tmp_path / "tools", tmp_path / "notes"
    tools.mkdir()
    (tools / "xdg-mime").write_text(
        "#!/bin/sh\n"
        'case "$*" in\n'
        f'    default*) echo "$*" >>"{notes}"; exit ;;\n'
        "    *vnd.ms-excel) echo chosen.desktop; exit ;;\n"
        "esac\n"
        f"ours={share.OPENER}\n"
        f'test -f "{home}/.local/share/applications/$ours" && echo $ours && exit\n'
        'case "$*" in *text/csv) echo calc.desktop ;; *) exit 4 ;; esac\n'
    )
    (tools / "xdg-mime").chmod(0o755)
    for _ in range(2):  # the second time it is there already
        done = run(unpacked, home, PATH=f"{tools}:{os.environ['PATH']}")
        assert done.returncode == 0, done.stderr
    assert notes.read_text() == "default calc.desktop text/csv\n"
