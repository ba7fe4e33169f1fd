"""What the frozen program starts of the system's loads the system's libraries, and its own children
load the bundle's."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from places import PACKAGING

HOOK = str(PACKAGING / "hooks" / "own_libraries_only.py")
OWN_MODULES = PACKAGING / "hooks" / "own_modules_only.py"
# PyInstaller's reader of modules, as far as the hook knows it, in a program whose file is replaced.
REPLACED = """
import os, runpy, sys
from types import ModuleType, SimpleNamespace
sys.modules["pyimod02_importers"] = loader = ModuleType("pyimod02_importers")
loader.pyz_archive = SimpleNamespace(_filename=sys.executable)
runpy.run_path(sys.argv[1])
newer = sys.executable + ".dpkg-new"
open(newer, "wb").write(b"newer")
os.rename(newer, sys.executable)
print(open(loader.pyz_archive._filename, "rb").read(5) == b"newer")
"""


def test_the_folder_of_the_bundle_is_not_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", "/usr/lib/batchwright/_internal")
    monkeypatch.delenv("LD_LIBRARY_PATH_ORIG", raising=False)
    monkeypatch.delenv("PYINSTALLER_RESET_ENVIRONMENT", raising=False)
    runpy.run_path(HOOK)
    assert "LD_LIBRARY_PATH" not in os.environ
    # A child of its own sets it anew: a root without those libraries has shown that it must.
    assert os.environ.pop("PYINSTALLER_RESET_ENVIRONMENT") == "1"


def test_what_the_person_had_set_is_there_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", "/usr/lib/batchwright/_internal:/opt/own")
    monkeypatch.setenv("LD_LIBRARY_PATH_ORIG", "/opt/own")
    monkeypatch.setenv("PYINSTALLER_RESET_ENVIRONMENT", "0")
    runpy.run_path(HOOK)
    assert os.environ["LD_LIBRARY_PATH"] == "/opt/own"
    assert "LD_LIBRARY_PATH_ORIG" not in os.environ


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere it can't be replaced")
def test_modules_come_from_the_program_that_runs_though_its_file_is_replaced(
    tmp_path: Path,
) -> None:
    program = tmp_path / "program"
    shutil.copy(os.path.realpath(sys.executable), program)
    environ = {**os.environ, "PYTHONHOME": sys.base_prefix}
    done = subprocess.run(
        [program, "-c", REPLACED, str(OWN_MODULES)],
        env=environ, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("False\n", "")
    assert program.read_bytes() == b"newer"


def test_elsewhere_modules_are_read_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    loader = ModuleType("pyimod02_importers")
    loader.__dict__["pyz_archive"] = SimpleNamespace(_filename="batchwright.exe")
    monkeypatch.setitem(sys.modules, loader.__name__, loader)
    monkeypatch.setattr(sys, "platform", "win32")
    runpy.run_path(str(OWN_MODULES))
    assert loader.__dict__["pyz_archive"]._filename == "batchwright.exe"
