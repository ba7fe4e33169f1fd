"""What the frozen program starts of the system's loads the system's libraries, and its own children
load the bundle's."""

from __future__ import annotations

import os
import runpy

import pytest
from places import PACKAGING

HOOK = str(PACKAGING / "hooks" / "own_libraries_only.py")


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
