"""A name for each result that a call asks for, given with its attempt, so that none takes that of
another row."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

from desktop_app.domain.attempt import Claim
from desktop_app.domain.budget import results_asked
from desktop_app.domain.connection import Connection
from desktop_app.store.stems import beside

MOST = 128
"""More results than any provider gives of one call; a number mistyped names no million files."""


def named(conn: sqlite3.Connection, connection: Connection, claim: Claim) -> Claim:
    """The claim with its model, and the names of the second and further results if it asks for
    several."""
    results = min(results_asked(connection, claim.request), MOST)
    if results == 1:
        return claim if claim.model == connection.model else replace(claim, model=connection.model)
    stems = beside(conn, claim.batch_id, claim.file_stem, results, claim.task_pk)
    return replace(claim, model=connection.model, more_stems=stems)
