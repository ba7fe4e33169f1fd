"""The control file and the changelog are in Debian's form."""

from __future__ import annotations

import deb
import places
import project


def test_the_control_file_has_its_fields() -> None:
    fields = dict(
        line.split(": ", 1)
        for line in deb.control("1.2.3", 2049, "amd64").splitlines()
        if not line.startswith(" ")
    )
    assert fields["Package"] == "batchwright"
    assert fields["Version"] == "1.2.3"
    assert fields["Installed-Size"] == "3"  # KiB, rounded up
    assert "python" not in fields["Depends"]
    assert "fonts-noto-cjk | fonts-wqy-microhei" in fields["Depends"]


def test_the_changelog_carries_the_day_of_the_sources() -> None:
    said = deb.changelog("1.2.3", 1_700_000_000)
    assert said.startswith("batchwright (1.2.3) stable; urgency=medium\n")
    assert said.endswith(f" -- {project.read().maintainer}  Tue, 14 Nov 2023 22:13:20 +0000\n")


def test_processors_by_debian_names() -> None:
    assert places.debian_architecture("x86_64") == "amd64"
    assert places.debian_architecture("aarch64") == "arm64"
    assert places.debian_architecture("riscv64") == "riscv64"
