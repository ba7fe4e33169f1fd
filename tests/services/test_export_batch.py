"""Exports hold every row that was asked for, and come back in unchanged."""

from __future__ import annotations

import csv
import json

import pytest

from desktop_app.domain.task import TaskState
from desktop_app.domain.text import OperatorError
from tests.services.services_kit import Kit

S = TaskState


@pytest.mark.parametrize("suffix", [".csv", ".xlsx"])
async def test_results_are_imported_again_unchanged(kit: Kit, suffix: str) -> None:
    prompts = ["红色的鞋", "=HYPERLINK(1)", "  spaced ", "00123"]
    batch_id = await kit.batch(prompts)
    for claim in await kit.claim(batch_id):
        await kit.end(claim, S.SUCCESS)
    done = await kit.exports.results(batch_id, kit.folder / f"results{suffix}")
    assert (done.rows, done.renamed) == (4, False)
    info = await kit.imports.open(done.path)
    assert info.columns[:3] == ("sku", "prompt", "state")
    rows = await kit.imports.head(info)
    wanted = await kit.imports.head(await kit.imports.open(kit.folder / "shoes.csv"))
    assert [cells[:3] for _, cells in rows] == [(*cells, "success") for _, cells in wanted]


async def test_failures_hold_dead_letters_alone(kit: Kit) -> None:
    batch_id = await kit.batch(4)
    ends = (S.SUCCESS, S.DEAD, S.UNCERTAIN)
    for claim, to in zip(await kit.claim(batch_id, 3), ends, strict=True):
        await kit.end(claim, to)
    done = await kit.exports.failures(batch_id, kit.folder / "failures.jsonl")
    lines = done.path.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["state"] for line in lines] == ["dead", "uncertain"]
    everything = await kit.exports.results(batch_id, kit.folder / "all.csv")
    with everything.path.open(encoding="utf-8-sig", newline="") as file:
        assert [row["state"] for row in csv.DictReader(file)] == [
            "success",
            "dead",
            "uncertain",
            "pending",
        ]


async def test_what_cannot_be_exported_is_said(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    for target, batch, code in (
        ("x.doc", batch_id, "services.export_suffix"),
        ("x", batch_id, "services.export_suffix"),
        ("x.csv", 99, "services.no_batch"),
        ("gone/x.csv", batch_id, "exports.sheet_not_written"),
    ):
        with pytest.raises(OperatorError) as caught:
            await kit.exports.results(batch, kit.folder / target)
        assert caught.value.message.code == code
