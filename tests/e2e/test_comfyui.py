"""A ComfyUI server and a program that is killed: it asks what became of its rows, and sends none
of them twice."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from tests.e2e.program import Program, kill_group, sheet
from tests.helpers.comfy_server import ComfyServer
from tests.providers.comfy.workflows import text_to_picture

ROWS = 4


async def _connected(program: Program, comfy: ComfyServer, folder: Path) -> None:
    file = folder / "shoe workflow.json"
    file.write_text(json.dumps(text_to_picture()), encoding="utf-8")
    added = await asyncio.to_thread(
        program.run, "connection", "add", "gpu", "--preset", "comfyui", "--base-url", comfy.url,
        "--model", str(file),
    )  # fmt: skip
    assert added.code == 0, added.err
    file.unlink()  # what was stored is the workflow, not where it lay


async def test_rows_sent_before_a_kill_are_asked_about_and_not_sent_again(
    program: Program, tmp_path: Path
) -> None:
    source = sheet(tmp_path / "shoes.csv", [f"shoe {n}" for n in range(ROWS)], "sku,prompt")
    out = tmp_path / "out"
    async with ComfyServer() as comfy:
        await _connected(program, comfy, tmp_path)
        comfy.speak.clear()  # it takes jobs, and their ids never come back
        run = ("run", source, "--connection", "gpu", "--out", out, "--param", "5.width=640")
        with program.running(*run) as process:
            async with asyncio.timeout(60):
                await comfy.taken(2)
            kill_group(process)
        comfy.speak.set()
        done = await asyncio.to_thread(program.run, "--json", "resume", timeout=120)
        assert done.code == 0, done.err
        assert done.json["success"] == ROWS
        assert len(comfy.submitted) == len(set(comfy.submitted)) == ROWS
        widths = {record["prompt"][2]["5"]["inputs"]["width"] for record in comfy.history.values()}
        assert widths == {640}
    assert len(list(out.glob("*.png"))) == ROWS


async def test_jobs_whose_ids_are_stored_are_followed_after_a_kill(
    program: Program, tmp_path: Path
) -> None:
    source = sheet(tmp_path / "shoes.csv", [f"shoe {n}" for n in range(ROWS)], "sku,prompt")
    out = tmp_path / "out"
    async with ComfyServer() as comfy:
        await _connected(program, comfy, tmp_path)
        comfy.go.clear()
        with program.running("run", source, "--connection", "gpu", "--out", out) as process:
            async with asyncio.timeout(60):
                await comfy.taken(2)
            kill_group(process)
        comfy.go.set()
        done = await asyncio.to_thread(program.run, "--json", "resume", timeout=120)
        assert done.code == 0, done.err
        assert done.json["success"] == ROWS
        assert len(comfy.submitted) == len(set(comfy.submitted)) == ROWS


async def test_a_server_that_is_started_anew_has_forgotten_its_jobs_and_gets_them_again(
    program: Program, tmp_path: Path
) -> None:
    source = sheet(tmp_path / "shoes.csv", [f"shoe {n}" for n in range(ROWS)], "sku,prompt")
    out = tmp_path / "out"
    async with ComfyServer() as comfy:
        await _connected(program, comfy, tmp_path)
        comfy.go.clear()
        run = ("--json", "run", source, "--connection", "gpu", "--out", out)
        running = asyncio.create_task(asyncio.to_thread(program.run, *run, timeout=120))
        async with asyncio.timeout(60):
            await comfy.taken(2)
        comfy.restart()
        comfy.go.set()
        done = await running
        assert done.code == 0, done.err
        assert done.json["success"] == ROWS
        # Free of charge, so what was lost is asked for once more, and nothing else is.
        assert len(set(comfy.submitted)) == ROWS
        assert len(comfy.submitted) == ROWS + 2
