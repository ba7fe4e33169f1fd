"""The workflow that releases runs nothing that somebody can move, and writes in one place only."""

from __future__ import annotations

import re

import pytest
from places import ROOT

TEXT = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
JOBS = dict(
    re.findall(r"^  (\w+):\n((?:    .*\n|\n)+)", TEXT.partition("\njobs:\n")[2], re.MULTILINE)
)


@pytest.mark.parametrize(("name", "least"), [("release", 4), ("search", 2), ("test", 4)])
def test_actions_are_named_by_their_commit(name: str, least: int) -> None:
    workflow = ROOT / ".github" / "workflows" / f"{name}.yml"
    used = re.findall(r"uses: (\S+)", workflow.read_text(encoding="utf-8"))
    assert len(used) >= least
    assert [action for action in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action)] == []


def test_only_the_draft_may_write() -> None:
    assert re.search(r"^permissions:\n  contents: read$", TEXT, re.MULTILINE)
    assert [name for name, job in JOBS.items() if ": write" in job] == ["release"]
    checkouts = TEXT.count("actions/checkout@")
    assert TEXT.count("persist-credentials: false") == checkouts == 3


@pytest.mark.parametrize("system", ["linux", "windows", "macos"])
def test_each_system_is_built_for_release_and_tried_and_shows_its_parts(system: str) -> None:
    job = JOBS[system]
    assert "--release" in job
    assert "smoke.py" in job or "--verify" in job
    assert "dist/*.cdx.json" in job


def test_the_draft_waits_for_all_and_has_checksums() -> None:
    assert "needs: [linux, windows, macos]" in JOBS["release"]
    assert "sha256sum * | tee SHA256SUMS" in JOBS["release"]
    assert "--draft" in JOBS["release"]
