"""The id of this start of the machine."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from desktop_app.settings import boot


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_linux_reads_the_kernels_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert boot.boot_id() == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    monkeypatch.setattr(boot, "_LINUX", tmp_path / "hidden")
    assert boot.boot_id() is None


def test_it_does_not_change_while_the_machine_runs() -> None:
    assert boot.boot_id() == boot.boot_id()
