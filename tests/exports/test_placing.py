from __future__ import annotations

from pathlib import Path

import pytest

from desktop_app.exports import placing
from desktop_app.exports.placing import Placer, fsync_folder


def test_a_scanners_lock_is_waited_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part = tmp_path / ".bw-1.part"
    part.write_bytes(b"x")
    slept: list[float] = []
    real = placing._rename_new

    def locked(source: Path, target: Path, replaces: bool) -> None:
        if len(slept) < 7:
            raise PermissionError(13, "locked")
        real(source, target, replaces)

    monkeypatch.setattr(placing, "_rename_new", locked)
    placer = Placer(links=False, patience_s=10.0, sleep=slept.append, monotonic=lambda: sum(slept))
    assert placer.place(part, tmp_path / "a.png", "0") == tmp_path / "a.png"
    assert len(slept) == 7


def test_a_lock_that_stays_keeps_the_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part = tmp_path / ".bw-1.part"
    part.write_bytes(b"x")
    slept: list[float] = []

    def locked(source: Path, target: Path, replaces: bool) -> None:
        raise PermissionError(13, "locked")

    monkeypatch.setattr(placing, "_rename_new", locked)
    placer = Placer(links=False, patience_s=10.0, sleep=slept.append, monotonic=lambda: sum(slept))
    with pytest.raises(PermissionError):
        placer.place(part, tmp_path / "a.png", "0")
    assert 10.0 <= sum(slept) < 10.2
    assert part.exists()


def test_a_name_taken_at_the_last_moment_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = tmp_path / ".bw-1.part"
    part.write_bytes(b"mine")
    real = Path.exists
    monkeypatch.setattr(Path, "exists", lambda self: real(self) and self.name != "a.png")
    (tmp_path / "a.png").write_bytes(b"theirs")
    placed = Placer(links=False, patience_s=0.0).place(part, tmp_path / "a.png", "0")
    assert placed.name == "a-2.png"
    assert (tmp_path / "a.png").read_bytes() == b"theirs"


def test_on_windows_the_rename_itself_leaves_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There it fails where a name is taken, which only this shows: to look before is too early."""
    part = tmp_path / ".bw-1.part"
    part.write_bytes(b"mine")
    (tmp_path / "a.png").write_bytes(b"theirs")
    real_exists, real_rename = Path.exists, Path.rename

    def rename(self: Path, target: Path) -> Path:
        if real_exists(target):
            raise FileExistsError(183, "Cannot create a file when that file already exists")
        return real_rename(self, target)

    monkeypatch.setattr(Path, "rename", rename)
    monkeypatch.setattr(Path, "exists", lambda self: False)  # taken at the last moment
    placed = Placer(links=False, replaces=False, patience_s=0.0).place(
        part, tmp_path / "a.png", "0"
    )
    assert placed.name == "a-2.png"
    assert (tmp_path / "a.png").read_bytes() == b"theirs"
    assert placed.read_bytes() == b"mine"
    assert sorted(file.name for file in tmp_path.iterdir()) == [".bw-1.note", "a-2.png", "a.png"]


def test_a_folder_is_forced_to_disk_where_that_can_be_done(tmp_path: Path) -> None:
    fsync_folder(tmp_path, windows=False)
    with pytest.raises(FileNotFoundError):
        fsync_folder(tmp_path / "gone", windows=False)
    fsync_folder(tmp_path / "gone", windows=True)  # no such call is made


def test_a_note_cut_short_tells_nothing(tmp_path: Path) -> None:
    note = tmp_path / ".bw-1.note"
    for text in ("", '{"path": "a', "[]", "{}"):
        note.write_text(text)
        assert placing.read_note(note) is None
    placing.write_note(note, Path("红/a.png"), "ab")
    assert placing.read_note(note) == placing.Note("红/a.png", "ab")
