from __future__ import annotations

import sqlite3
from dataclasses import replace

from desktop_app.store.names import named
from tests.store.store_kit import Kit, connection


async def test_a_claim_comes_with_its_model_and_is_not_copied_for_it(kit: Kit) -> None:
    claim = await kit.claim_one(await kit.batch(1))
    line = connection()
    assert claim.model == line.model
    with sqlite3.connect(":memory:") as conn:
        assert named(conn, line, claim) is claim
        assert named(conn, line, replace(claim, model="")) == claim
