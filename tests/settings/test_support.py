"""The support file holds what helps, and nothing that gives its sender away."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from desktop_app.settings.logs import Redactor
from desktop_app.settings.paths import paths
from desktop_app.settings.support import MachineFacts, SupportZip

KEY = "0b7a9c1e-55d3-4f0e-9d55-ark0key0of0mine"


@pytest.fixture
def pack(tmp_path: Path) -> SupportZip:
    redactor = Redactor()
    redactor.add(KEY)
    return SupportZip(redactor, home=lambda: Path("/home/li.wei"))


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        (f"key {KEY}", "key ***"),
        ("Authorization: Bearer abcdefghijkl", "Authorization: Bearer ***"),
        ("see sk-Zz91kqPLmN0_abcd", "see sk-***"),
        (
            "https://me:pw@a.example:8443/v1/x?sig=abc&t=1#top end",
            "https://a.example:8443/v1/x?… end",
        ),
        ("socks5://user@10.0.0.1:1080", "socks5://10.0.0.1:1080"),
        ("https://a.example/v1", "https://a.example/v1"),
        ('File "/home/li.wei/x.py", line 3', 'File "~/x.py", line 3'),
        ('{"folder": "/home/li.wei/图片"}', '{"folder": "~/图片"}'),
    ],
)
def test_what_gives_somebody_away_is_taken_out(pack: SupportZip, text: str, clean: str) -> None:
    assert pack.clean(text) == clean


def test_a_home_on_windows_is_found_in_every_spelling() -> None:
    pack = SupportZip(Redactor(), home=lambda: Path("C:\\Users\\李伟"))
    for text in ("C:\\Users\\李伟\\x", "C:/Users/李伟/x", json.dumps("C:\\Users\\李伟\\x")):
        assert "李伟" not in pack.clean(text)


def test_every_text_is_cleaned_on_its_way_into_the_file(pack: SupportZip, tmp_path: Path) -> None:
    target = tmp_path / "s.zip"
    target.write_text("an older one", encoding="utf-8")
    pack.pack(target, {"logs/a.log": f"x {KEY} 中", "b.txt": "y"})
    with zipfile.ZipFile(target) as opened:
        assert opened.namelist() == ["logs/a.log", "b.txt"]
        assert opened.read("logs/a.log").decode() == "x *** 中"
    assert [file.name for file in tmp_path.iterdir()] == ["s.zip"]


def test_a_file_that_can_not_be_written_leaves_nothing(pack: SupportZip, tmp_path: Path) -> None:
    (tmp_path / "s.zip").mkdir()
    with pytest.raises(OSError, match="directory"):
        pack.pack(tmp_path / "s.zip", {"a": "b"})
    assert [file.name for file in tmp_path.iterdir()] == ["s.zip"]


def test_logs_settings_and_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://me:hunter2@proxy.example")
    where = paths(tmp_path)
    where.make()
    (where.logs / "batchwright.log").write_text("a line\n", encoding="utf-8")
    (where.logs / "batchwright.log.1").write_bytes(b"older \xff line\n")
    choices = {"theme": "dark", "folder": "/home/li.wei/x", "alerts": {"to": "a@b"}, "notify": True}
    where.settings.write_text(json.dumps(choices), encoding="utf-8")
    parts = MachineFacts(where).parts()
    assert list(parts) == [
        "system.txt",
        "settings.json",
        "logs/batchwright.log",
        "logs/batchwright.log.1",
    ]
    assert json.loads(parts["settings.json"]) == {
        "alerts": "(dict)",
        "folder": "(str)",
        "notify": True,
        "theme": "dark",
    }
    assert "httpx: " in parts["system.txt"]
    assert "HTTPS_PROXY: set" in parts["system.txt"]
    assert "hunter2" not in "".join(parts.values())


def test_a_damaged_or_missing_folder_is_told(tmp_path: Path) -> None:
    where = paths(tmp_path / "none")
    assert MachineFacts(where).parts()["settings.json"] == "{}"
    assert "not read" in MachineFacts(where).parts()["system.txt"]
    (tmp_path / "none").mkdir()
    where.settings.write_text("{", encoding="utf-8")
    assert MachineFacts(where).parts()["settings.json"] == "not read: damaged"
