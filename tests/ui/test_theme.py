"""Both schemes have every token, text can be read on them, and every icon that is named exists."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QFileDialog, QStyle, QToolButton

from desktop_app.ui.icons import Icons
from desktop_app.ui.theme import Theme
from tests.ui.conftest import RESOURCES

UI = Path(__file__).resolve().parents[2] / "desktop_app" / "ui"
TOKENS: dict[str, Any] = json.loads((RESOURCES / "theme" / "tokens.json").read_text("utf-8"))


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    return Theme(RESOURCES / "theme" / "tokens.json", RESOURCES / "icons")


def _luminance(color: QColor) -> float:
    parts = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (color.redF(), color.greenF(), color.blueF())
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def _contrast(one: str, other: str) -> float:
    high, low = sorted((_luminance(QColor(one)), _luminance(QColor(other))), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_both_schemes_name_the_same_tokens() -> None:
    assert set(TOKENS["light"]) == set(TOKENS["dark"])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_must_be_read_can_be_read(scheme: str) -> None:
    tokens = TOKENS[scheme]
    for ground in ("window", "surface", "selected", "hover"):
        assert _contrast(tokens["text"], tokens[ground]) >= 7, ground
        assert _contrast(tokens["muted"], tokens[ground]) >= 4.5, ground
    states = [name for name in tokens if name.startswith("state_") and name != "state_cancelled"]
    for state in states:
        least = 3.5 if state == "state_waiting" else 4.5
        assert _contrast(tokens[state], tokens["surface"]) >= least, state
    for severity in ("info", "warning", "error"):
        assert _contrast(tokens[f"{severity}_fg"], tokens[f"{severity}_bg"]) >= 4.5
    assert _contrast(tokens["on_accent"], tokens["accent"]) >= 4.5


def test_modes_put_palette_and_sheet_on_the_application(theme: Theme, qapp: QApplication) -> None:
    changes: list[bool] = []
    theme.changed.connect(lambda: changes.append(theme.dark))
    theme.set_mode("dark")
    assert theme.dark
    assert qapp.palette().color(QPalette.ColorRole.Window) == theme.color("window")
    assert theme.color("window").name() in qapp.styleSheet()
    theme.set_mode("light")
    assert not theme.dark
    theme.set_mode("nonsense")
    assert theme.mode == "system"
    assert changes[:2] == [True, False]


def test_chinese_faces_are_named(theme: Theme) -> None:
    families = theme.font().families()
    for family in ("Noto Sans CJK SC", "WenQuanYi Micro Hei", "PingFang SC", "Microsoft YaHei UI"):
        assert family in families


def test_every_icon_named_in_the_code_exists() -> None:
    named: set[str] = set()
    for path in UI.rglob("*.py"):
        text = path.read_text("utf-8")
        named.update(re.findall(r'icons\.(?:icon|pixmap)\(\s*"([\w-]+)"', text))
        named.update(re.findall(r'icons\.wear\(\s*[\w.\[\]"]+,\s*"([\w-]+)"', text))
    assert len(named) > 10
    assert {name for name in named if not (RESOURCES / "icons" / f"{name}.svg").is_file()} == set()


def test_icons_follow_the_theme(theme: Theme) -> None:
    icons = Icons(RESOURCES / "icons", theme)
    theme.set_mode("light")
    button = QToolButton()
    icons.wear(button, "stop", "text")

    def ink() -> str:
        image = button.icon().pixmap(32, 32).toImage()
        scale = image.width() // 32
        colors = {image.pixelColor(8 * scale, y * scale).name() for y in range(10, 20)}
        return next(iter(colors - {"#000000"}), "#000000")

    before = ink()
    theme.set_mode("dark")
    assert ink() != before
    pixmap = icons.pixmap("stop", "text", 16, 2.0)
    assert (pixmap.width(), pixmap.devicePixelRatio()) == (32, 2.0)
    theme.set_mode("light")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_qts_own_file_dialog_shows_where_its_buttons_lead(
    theme: Theme, qapp: QApplication, scheme: str
) -> None:
    theme.set_mode(scheme)
    dialog = QFileDialog()
    ground = theme.color("window").name()
    for which in (
        QStyle.StandardPixmap.SP_ArrowBack,
        QStyle.StandardPixmap.SP_ArrowForward,
        QStyle.StandardPixmap.SP_FileDialogToParent,
        QStyle.StandardPixmap.SP_FileDialogNewFolder,
        QStyle.StandardPixmap.SP_FileDialogListView,
        QStyle.StandardPixmap.SP_FileDialogDetailedView,
    ):
        image = dialog.style().standardIcon(which, None, dialog).pixmap(16).toImage()
        drawn = [image.pixelColor(x, y) for x in range(16) for y in range(16)]
        solid = max(drawn, key=lambda color: color.alpha())
        assert solid.alpha() > 150, which
        assert _contrast(solid.name(), ground) >= 3, which


def test_every_picture_of_the_style_sheet_is_there(theme: Theme, qapp: QApplication) -> None:
    for mode in ("light", "dark"):
        theme.set_mode(mode)
        named = re.findall(r'url\("([^"]+)"\)', qapp.styleSheet())
        assert len(named) > 6
        assert [path for path in named if not Path(path).is_file()] == []
