"""A data folder of as many rows as a bench of the window wants, with pictures that can be shown."""

from __future__ import annotations

import itertools
import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from PIL import Image

from desktop_app.domain.batch import Batch, SheetMapping
from desktop_app.domain.connection import Connection, Limits
from desktop_app.domain.task import Draft, Request
from desktop_app.settings.paths import paths
from desktop_app.store.store import open_store

SIDE, DRAWN, PICTURES, CHUNK = 1024, 24, 2_000, 5_000
PROMPTS = (
    "blue sneaker no. {n}, white background, soft light from the left, 45 degree angle, shop photo",
    "{n} 号红色运动鞋，纯白背景，柔和光线，电商主图，鞋面纹理清晰，四十五度角拍摄",
    "green rain boot no. {n} on wet cobblestones, early morning, shallow depth of field",
)
CALLS_A_SECOND, AT_ONCE = 25.0, 8

# Every fifth row is done, with one of the pictures; one in a hundred is dead; the others wait.
_ATTEMPTS = """
INSERT INTO attempt (id, task_pk, batch_id, attempt_no, edition, idempotency_key, stem, started_at,
                     ended_at, outcome, latency_s, billed, error_class, error_code)
SELECT id, id, batch_id, 1, 1, task_id || '-1-0', stem, 1000 + row_no, 1010 + row_no,
       iif(row_no % 5 = 0, 'success', 'transient'), 10, iif(row_no % 5 = 0, 'yes', 'no'),
       iif(row_no % 5 = 0, NULL, 'transient'), iif(row_no % 5 = 0, NULL, 'http_500')
FROM task WHERE row_no % 5 = 0 OR row_no % :dead = 1"""
_RESULTS = """
INSERT INTO result (id, task_pk, attempt_id, path, size, mime, flags, sha256)
SELECT id, id, id, printf('%05d.png', row_no % :pictures), 1, 'image/png', '[]', 'ab'
FROM task WHERE row_no % 5 = 0"""
_RUN = """
UPDATE task SET state = 1, rev = 1, attempt_no = 1, attempt_id = id
WHERE row_no % 5 = 0 OR row_no % :dead = 1"""
_DONE = """
UPDATE task SET state = 3, rev = 2, result_id = id, updated_at = 1010 + row_no
WHERE row_no % 5 = 0"""
_DEAD = """
UPDATE task SET state = 5, rev = 2, retries_spent = 3, updated_at = 1010 + row_no,
       error_class = 'transient', error_code = 'http_500',
       note = '["providers.server_error", {"host": "bench", "status": 500}]'
WHERE row_no % :dead = 1"""


async def fill(data: Path, rows: int, dead_of: int = 100) -> int:
    """Make the folder, one of ``dead_of`` rows dead; returns the batch's id."""
    where = paths(data)
    where.make()
    out = data / "out"
    _draw(out)
    store = await open_store(where.database, boot_id="bench")
    connection = await store.connections.save(
        Connection(
            name="bench",
            adapter="bench",
            base_url="http://127.0.0.1:9/v1",
            model="m",
            limits=Limits(concurrency=AT_ONCE, rate=CALLS_A_SECOND, headroom=1.0),
        )
    )
    batch_id = await store.imports.begin(
        Batch(
            id=0,
            name="Spring shoes",
            sheet_path="/spring shoes.csv",
            sheet_hash="hash",
            fingerprint="print",
            columns=("prompt", "sku"),
            mapping=SheetMapping(prompt_column="prompt", key_column="sku"),
            connection_id=connection.id,
            out_dir=str(out),
            created_at=time.time(),
        )
    )
    numbers = iter(range(2, rows + 2))
    while chunk := list(itertools.islice(numbers, CHUNK)):
        await store.imports.add(batch_id, [_draft(n) for n in chunk])
    await store.imports.seal(batch_id)
    await store.close()
    with closing(sqlite3.connect(where.database)) as conn, conn:
        for sql in (_ATTEMPTS, _RESULTS, _RUN, _DONE, _DEAD):
            conn.execute(sql, {"pictures": PICTURES, "dead": dead_of})
    return batch_id


def _draft(n: int) -> Draft:
    prompt, key = PROMPTS[n % len(PROMPTS)].format(n=n), f"SKU-{n:07d}"
    return Draft(n, (prompt, key), Request(prompt), f"{n:07d}_{key}", key=key)


def _draw(out: Path) -> None:
    """A few pictures under many names: each name is a file of its own to the thumbnails."""
    out.mkdir()
    for n in range(DRAWN):
        colour = Image.radial_gradient("L").resize((SIDE, SIDE))
        flat = Image.new("L", (SIDE, SIDE), 255 * n // DRAWN)
        Image.merge("RGB", (colour, flat, colour.rotate(90))).save(out / f"{n:05d}.png")
    for n in range(DRAWN, PICTURES):
        os.link(out / f"{n % DRAWN:05d}.png", out / f"{n:05d}.png")
