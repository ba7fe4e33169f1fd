"""The spec compiles and takes the right branch on each system, with a PyInstaller that only notes
what it was asked."""

from __future__ import annotations

import ast
import plistlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import project
import pytest
from places import PACKAGING, ROOT, version_of

SPEC = PACKAGING / "batchwright.spec"
QT = "PySide6/Qt"
COLLECTED = [
    "libstdc++.so.6",
    "libcrypto.so.3",
    f"{QT}/plugins/platforms/libqxcb.so",
    f"{QT}/plugins/platforms/libqvnc.so",
    f"{QT}/plugins/platforminputcontexts/libibusplatforminputcontextplugin.so",
    f"{QT}/plugins/platforminputcontexts/libqtvirtualkeyboardplugin.so",
    f"{QT}/plugins/platformthemes/libqgtk3.so",
    f"{QT}/translations/qtbase_zh_CN.qm",
    f"{QT}/translations/qtbase_de.qm",
    "keyring-25.7.0.dist-info/entry_points.txt",
    "keyring-25.7.0.dist-info/RECORD",
    "certifi/cacert.pem",
    "resources/locale/zh_CN/LC_MESSAGES/batchwright.mo",
]


class Noted:
    """Stands in for one of PyInstaller's steps."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self.args, self.options = args, options
        self.binaries = self.datas = [(name, f"/from/{name}", "KIND") for name in COLLECTED]
        self.pure: list[str] = []
        self.scripts: list[str] = []


ON_WINDOWS = [
    "PySide6\\Qt6Core.dll",
    "PySide6\\Qt6Quick.dll",
    "PySide6\\opengl32sw.dll",
    "PySide6\\plugins\\platforms\\qwindows.dll",
    "PySide6\\plugins\\platforms\\qminimal.dll",
    "PySide6\\plugins\\tls\\qschannelbackend.dll",
    "PySide6\\qml\\QtQuick\\qmldir",
    "PySide6\\translations\\qtbase_de.qm",
    "PySide6\\translations\\qtbase_zh_CN.qm",
]


def run(monkeypatch: pytest.MonkeyPatch, platform: str) -> dict[str, Any]:
    hooks = ModuleType("PyInstaller.utils.hooks")
    hooks.__dict__.update(
        collect_entry_point=lambda group: ([], [f"of {group}"]),
        collect_submodules=lambda package: [f"{package}.all"],
        copy_metadata=lambda package: [(f"{package}.dist-info", ".")],
    )
    for name in ("PyInstaller", "PyInstaller.utils"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, hooks.__name__, hooks)
    monkeypatch.setattr(sys, "platform", platform)
    made: dict[str, list[Noted]] = {}

    def step(name: str) -> Any:
        def note(*args: Any, **options: Any) -> Noted:
            made.setdefault(name, []).append(Noted(*args, **options))
            return made[name][-1]

        return note

    steps = {name: step(name) for name in ("Analysis", "PYZ", "EXE", "COLLECT", "BUNDLE")}
    code = compile(SPEC.read_text(encoding="utf-8"), str(SPEC), "exec")
    told: dict[str, Any] = {"SPECPATH": str(PACKAGING), **steps}
    exec(code, told)
    return {**told, "made": made}


def test_what_stays_and_what_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    told = run(monkeypatch, "linux")
    stayed = {name for name, _, _ in told["analysis"].binaries}
    assert stayed == {
        "libcrypto.so.3",
        f"{QT}/plugins/platforms/libqxcb.so",
        f"{QT}/plugins/platforminputcontexts/libibusplatforminputcontextplugin.so",
        f"{QT}/translations/qtbase_zh_CN.qm",
        "keyring-25.7.0.dist-info/entry_points.txt",
        "certifi/cacert.pem",
        "resources/locale/zh_CN/LC_MESSAGES/batchwright.mo",
    }


def test_what_stays_and_what_goes_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where names are parted by backslashes, and Qt lies right below its package."""
    kept = run(monkeypatch, "win32")["kept"]
    stayed = {name for name, *_ in kept([(name, "", "KIND") for name in ON_WINDOWS])}
    assert stayed == {
        "PySide6\\Qt6Core.dll",
        "PySide6\\plugins\\platforms\\qwindows.dll",
        "PySide6\\translations\\qtbase_zh_CN.qm",
    }


def test_what_goes_in(monkeypatch: pytest.MonkeyPatch) -> None:
    given = run(monkeypatch, "linux")["made"]["Analysis"][0].options
    assert given["hiddenimports"] == ["of batchwright.adapters", "desktop_app.all"]
    targets = {target for _, target in given["datas"]}
    assert {"resources/icons", "resources/fonts", "resources/providers"} <= targets
    assert "resources/locale/zh_CN/LC_MESSAGES" in targets
    assert ("batchwright.dist-info", ".") in given["datas"]
    sources = [Path(source) for source, _ in given["datas"]]
    assert not [file for file in sources if file.suffix in {".po", ".md"}]
    migrations = [s for s, target in given["datas"] if target == "desktop_app/store/migrations"]
    assert migrations
    hooks = [Path(hook).name for hook in given["runtime_hooks"]]
    assert hooks == ["own_libraries_only.py", "own_modules_only.py"]
    assert all(Path(hook).exists() for hook in given["runtime_hooks"])


def test_nothing_that_we_import_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    left_out = run(monkeypatch, "linux")["EXCLUDED_MODULES"]
    imported = set()
    for file in (ROOT / "desktop_app").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {name.name for name in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                imported |= {node.module, *(f"{node.module}.{n.name}" for n in node.names)}
    assert imported & set(left_out) == set()


def test_each_system_has_its_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        linux = run(patched, "linux")["made"]
        assert [exe.options["name"] for exe in linux["EXE"]] == ["batchwright"]
        assert "BUNDLE" not in linux
    with monkeypatch.context() as patched:
        windows = run(patched, "win32")
        programs = [(e.options["name"], e.options["console"]) for e in windows["made"]["EXE"]]
        assert programs == [("batchwright", False), ("batchwright-cli", True)]
        assert windows["icon_file"].endswith("batchwright.ico")
        # Only on Linux is the C++ library every system's own.
        assert "libstdc++.so.6" in {name for name, _, _ in windows["analysis"].binaries}
    with monkeypatch.context() as patched:
        macos = run(patched, "darwin")["made"]
        (app,) = macos["BUNDLE"]
        assert app.options["bundle_identifier"] == project.read().app_id
        assert app.options["info_plist"]["NSAppSleepDisabled"] is True
        version = version_of(ROOT)
        assert app.options["version"] == app.options["info_plist"]["CFBundleVersion"] == version
        assert Path(macos["EXE"][0].options["entitlements_file"]).exists()


def test_the_property_lists_are_whole() -> None:
    info = plistlib.loads((PACKAGING / "macos" / "Info.plist").read_bytes())
    kinds = [
        kind for t in info["CFBundleDocumentTypes"] for kind in t.get("LSItemContentTypes", [])
    ]
    assert "public.comma-separated-values-text" in kinds
    assert "org.openxmlformats.spreadsheetml.sheet" in kinds
    rights = plistlib.loads((PACKAGING / "macos" / "entitlements.plist").read_bytes())
    assert all(rights.values())
