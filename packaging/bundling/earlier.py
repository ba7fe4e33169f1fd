"""The package that the trial upgrades from: an earlier state of the program, packed as of now."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import deb
import freeze
import tree
from places import ROOT, source_date, version_of


def package(work: Path, commit: str) -> Path:
    """The program as it was at ``commit``, packed as of now, its version below this one's."""
    folder = work / "previous"
    folder.mkdir(exist_ok=True)
    made, stamp = sorted(folder.glob("*.deb")), folder / "commit"
    if made and stamp.exists() and stamp.read_text() == commit:
        return made[0]
    print(f"Building {commit} to upgrade from", flush=True)
    source = tree.of_commit(commit, folder / "source")
    built = freeze.in_root(source, work, folder)
    older = dataclasses.replace(built, version=f"{version_of(source)}~previous")
    packed = deb.build(older, source, folder, source_date(ROOT), packing=deb.QUICK)
    shutil.rmtree(built.bundle.parent)
    stamp.write_text(commit)
    return packed
