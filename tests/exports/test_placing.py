from __future__ import annotations

from pathlib import Path

import pytest

from desktop_app.exports import placing
from desktop_app.exports.placing import Placer


def test_a_scanners_lock_is_waited_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part = tmp_path / ".bw-1.part"
    part.write_bytes(b"x")
    slept: list[float] = []
    real = placing._rename_new

    def locked(source: Path, target: Path) -> None:
        if len(slept) < 7:
            raise PermissionError(13, "locked")
        real(source, target)

    monkeypatch.setattr(placing, "_rename_new", locked)
    placer = Placer(links=False, patience_s=10.0, sleep=slept.append, monotonic=lambda: sum(slept))
    assert placer.place(part, tmp_path / "a.png", "0") == tmp_path / "a.png"
    assert len(slept) == 7


def test_a_lock_that_stays_keeps_the_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part = tmp_path / ".bw-1.part"
    part.write_bytes(b"x")
    slept: list[float] = []

    def locked(source: Path, target: Path) -> None:
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


def test_a_note_cut_short_tells_nothing(tmp_path: Path) -> None:
    note = tmp_path / ".bw-1.note"
    for text in ("", '{"path": "a', "[]", "{}"):
        note.write_text(text)
        assert placing.read_note(note) is None
    placing.write_note(note, Path("红/a.png"), "ab")
    assert placing.read_note(note) == placing.Note("红/a.png", "ab")
