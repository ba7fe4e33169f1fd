"""A provider of jobs and a program that is killed while they are worked on: none is bought twice,
and each result comes home."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from tests.e2e.program import Program, kill_group, sheet, wait_for
from tests.helpers.vendor_bodies import VENDORS
from tests.helpers.vendor_jobs import KEY, VendorServer

ROWS = 3
ENV_KEY = "BATCHWRIGHT_KEY_SHOP"


def _polled(server: VendorServer) -> int:
    """Jobs that were asked for: whoever does has stored their ids."""
    return sum(made.polls > 0 for made in tuple(server.made.values()))


@pytest.mark.parametrize(
    "name",
    [
        "replicate",
        "fal",
        pytest.param("bfl", marks=pytest.mark.long),
        pytest.param("dashscope-wan", marks=pytest.mark.long),
    ],
)
async def test_jobs_outlive_a_kill_and_are_paid_for_once(
    name: str, program: Program, tmp_path: Path
) -> None:
    vendor = VENDORS[name]
    server = VendorServer(vendor)
    await server.start()
    program = replace(program, env={**program.env, ENV_KEY: KEY})
    source = sheet(tmp_path / "shoes.csv", [f"shoe {n} [[slow]]" for n in range(ROWS)])
    out = tmp_path / "out"
    try:
        added = await asyncio.to_thread(
            program.run, "connection", "add", "shop", "--preset", name, "--proxy", "none",
            "--base-url", server.url + vendor.root, "--model", vendor.model, "--price", "0.04",
            "--concurrency", str(ROWS),
        )  # fmt: skip
        assert added.code == 0, added.err
        with program.running("run", source, "--connection", "shop", "--out", out) as process:
            await asyncio.to_thread(wait_for, "a poll for each", lambda: _polled(server) == ROWS)
            kill_group(process)
        done = await asyncio.to_thread(program.run, "--json", "resume", timeout=120)
    finally:
        await server.close()
    assert done.code == 0, done.err
    assert done.json["success"] == ROWS
    assert len(server.made) == ROWS
    assert len({made.prompt for made in server.made.values()}) == ROWS
    assert len(list(out.glob("*.png"))) == ROWS
    assert server.strangers == server.keys_at_files == []
