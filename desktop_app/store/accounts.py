"""Accounts that wait for a person stay paused over a restart, so the pause is stored."""

from __future__ import annotations

import sqlite3

from desktop_app.domain.text import Message
from desktop_app.store.tables import AccountPauseRow, run
from desktop_app.store.writer import Txn


def pause_of(conn: sqlite3.Connection, account: str) -> Message | None:
    """Why the account is paused, or None."""
    query = AccountPauseRow.select(AccountPauseRow.reason).where(AccountPauseRow.account == account)
    row = run(conn, query).fetchone()
    return None if row is None else Message.load(row[0])


def set_pause(txn: Txn, account: str, reason: Message | None, now: float) -> None:
    """Pause the account with a reason, or lift the pause."""
    run(txn.conn, AccountPauseRow.delete().where(AccountPauseRow.account == account))
    if reason is not None:
        run(
            txn.conn,
            AccountPauseRow.insert(
                {
                    AccountPauseRow.account: account,
                    AccountPauseRow.reason: reason.dump(),
                    AccountPauseRow.since: now,
                }
            ),
        )
