"""A file is shown in its folder by each system's own means."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QUrl

from desktop_app.ui import desktop

FILE = Path("/out/春季 shoes/0042 red, white.png")


@pytest.mark.parametrize(
    ("platform", "command"),
    [
        # One word for the switch and one for the file: Explorer reads no quotes around both.
        ("win32", ["explorer", "/select,", str(FILE)]),
        ("darwin", ["open", "-R", str(FILE)]),
    ],
)
def test_it_is_shown_selected_where_that_can_be(
    monkeypatch: pytest.MonkeyPatch, platform: str, command: list[str]
) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(desktop, "sys", SimpleNamespace(platform=platform))
    monkeypatch.setattr(desktop, "subprocess", SimpleNamespace(Popen=started.append))
    desktop.reveal_path(FILE)
    assert started == [command]


def test_elsewhere_its_folder_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[QUrl] = []
    monkeypatch.setattr(desktop, "sys", SimpleNamespace(platform="linux"))
    monkeypatch.setattr(desktop, "QDesktopServices", SimpleNamespace(openUrl=opened.append))
    desktop.reveal_path(FILE)
    assert [url.toLocalFile() for url in opened] == [str(FILE.parent)]
