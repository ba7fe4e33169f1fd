"""Vendors call over real sockets with real signatures: each job is looked at once, and what nobody
signed is not looked at all."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import pytest

from desktop_app.domain.connection import Connection, Limits, OnUnknown
from desktop_app.domain.task import TaskState
from desktop_app.settings.paths import resources_dir
from tests.contract.server import Reply
from tests.helpers.calling_vendor import KEYS_PATH, CallingVendor
from tests.helpers.vendor_bodies import VENDORS
from tests.helpers.vendor_jobs import KEY, picture
from tests.wiring.calling_program import Program, import_rows, program

S = TaskState
PROMPTS = ("cat 1", "cat 2", "cat 3 [[lose_answer]]", "cat 4")


async def begin(running: Program, server: CallingVendor, folder: Path) -> int:
    running.secrets.keys["vendor"] = KEY
    described = server.vendor
    connection = Connection(
        "vendor",
        "http-job",
        server.url + described.root,
        described.model,
        preset=described.preset,
        limits=Limits(concurrency=4, rate=200, burst=40, headroom=1.0),
        on_unknown=OnUnknown.HOLD,
        proxy="none",
        callbacks=True,
    )
    batch_id = await import_rows(running.store, connection, folder, PROMPTS)
    await running.engine.resume(batch_id)
    return batch_id


def files_for(server: CallingVendor, folder: Path) -> Path:
    """A folder with fal's own file, which has its keys looked for at this server."""
    made = folder / "own-files"
    made.mkdir()
    text = (resources_dir() / "providers" / "fal.toml").read_text("utf-8")
    real = "https://rest.fal.ai/.well-known/jwks.json"
    assert text.count(real) == 1
    (made / "fal.toml").write_text(text.replace(real, server.url + KEYS_PATH), "utf-8")
    return made


@pytest.mark.parametrize("name", ["replicate", "fal", "bfl"])
async def test_a_job_is_looked_at_once_however_often_its_vendor_calls(
    name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "desktop_app")
    server = CallingVendor(VENDORS[name], times=10)
    await server.start()
    own = files_for(server, tmp_path)
    try:
        async with asyncio.timeout(60), program(tmp_path, own_files=own) as running:
            await begin(running, server, tmp_path)
            rows = await running.states([S.SUCCESS] * len(PROMPTS))
            await server.called()
            rows = await running.states([S.SUCCESS] * len(PROMPTS))
    finally:
        await server.close()
    # Without a call each would wait three minutes for its first poll.
    assert set(server.told().values()) == {1}
    assert [len(server.jobs_for(prompt)) for prompt in PROMPTS] == [1] * len(PROMPTS)
    assert server.statuses == [200] * 10 * len(PROMPTS)
    assert server.asked_for_secret == (1 if name == "replicate" else 0)
    assert len(server.keys_asked) == (1 if name == "fal" else 0)
    assert KEY not in str(server.keys_asked)
    for row, prompt in zip(rows, PROMPTS, strict=True):
        made = server.jobs_for(prompt)[0]
        assert row.output is not None
        kept = await asyncio.to_thread(Path(row.output).read_bytes)
        assert kept == picture(int(made.id.removeprefix("job-")))
    tokens = [address.rpartition("/")[2] for address in server.addresses]
    assert len(set(tokens)) == len(PROMPTS)
    assert not any(token in caplog.text for token in tokens)
    assert KEY not in str(server.addresses)


@pytest.mark.parametrize("name", ["replicate", "fal", "bfl"])
@pytest.mark.expect_log("without a good signature")
async def test_what_is_signed_with_something_else_is_not_heard(name: str, tmp_path: Path) -> None:
    server = CallingVendor(VENDORS[name], times=2, forged=True)
    await server.start()
    own = files_for(server, tmp_path)
    try:
        async with asyncio.timeout(60), program(tmp_path, own_files=own) as running:
            await begin(running, server, tmp_path)
            await server.all_made(len(PROMPTS))
            await server.called()
            assert server.statuses == [401] * 2 * len(PROMPTS)
            assert set(server.told().values()) == {0}
            await running.states([S.RUNNING, S.RUNNING, S.UNCERTAIN, S.RUNNING])
    finally:
        await server.close()


@pytest.mark.parametrize(
    "reply", [Reply(503), Reply(200, b"<html>"), Reply(302, headers={"location": "/files/x"})]
)
@pytest.mark.expect_log("is polled, it does not call")
async def test_while_its_keys_cannot_be_had_a_vendor_is_not_asked_to_call(
    reply: Reply, tmp_path: Path
) -> None:
    server = CallingVendor(VENDORS["fal"])
    server.keys_reply = reply
    await server.start()
    own = files_for(server, tmp_path)
    try:
        async with asyncio.timeout(60), program(tmp_path, own_files=own) as running:
            await begin(running, server, tmp_path)
            await running.states([S.SUCCESS, S.SUCCESS, S.UNCERTAIN, S.SUCCESS])
    finally:
        await server.close()
    assert server.addresses == []
    assert len(server.keys_asked) == 1
