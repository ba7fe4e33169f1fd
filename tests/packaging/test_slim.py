"""Only libraries that nothing reaches are taken out of a bundle."""

from __future__ import annotations

from pathlib import Path

import pytest
import slim

LINKS = {
    "PySide6/QtGui.abi3.so": {"libQt6Gui.so.6", "libc.so.6"},
    "PySide6/Qt/lib/libQt6Gui.so.6": {"libglib-2.0.so.0"},
    "PySide6/Qt/lib/libQt6Network.so.6": {"libgssapi_krb5.so.2"},
    "PySide6/Qt/plugins/platforms/libqxcb.so": {"libxcb-cursor.so.0"},
    "pillow.libs/libfreetype-57.so.6": set(),
    "PIL/_imagingft.cpython-311-x86_64-linux-gnu.so": {"libfreetype-57.so.6"},
    "libglib-2.0.so.0": {"libpcre2-8.so.0"},
    "libpcre2-8.so.0": set(),
    "libgssapi_krb5.so.2": {"libkrb5.so.3"},
    "libkrb5.so.3": set(),
    "libxcb-cursor.so.0": set(),
    "libdbus-1.so.3": set(),
    "libpython3.11.so.1.0": set(),
}


def test_what_nothing_links_to_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in LINKS:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()

    def needed(file: Path) -> set[str]:
        return LINKS[file.relative_to(tmp_path).as_posix()]

    monkeypatch.setattr(slim, "needed", needed)
    assert [file.name for file in slim.unused(tmp_path)] == [
        "libQt6Network.so.6",
        "libgssapi_krb5.so.2",
        "libkrb5.so.3",
    ]
