"""dev.py as a module, on a made-up checkout."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]


@pytest.fixture
def dev(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A fresh import of dev.py each time."""
    spec = importlib.util.spec_from_file_location("dev_under_test", CHECKOUT / "dev.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "dev_under_test", module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout that locks nothing, in a folder whose name is not ASCII."""
    root = tmp_path / "检出 copy"
    folder = root / "packaging" / "lock"
    folder.mkdir(parents=True)
    for name in ("core.txt", "gui.txt", "dev.txt"):
        (folder / name).write_text(f"# nothing in {name}\n", encoding="utf-8")
    return root
