"""The rows of a plan as drafts, so that every comparison reads what a first run reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from desktop_app.domain.batch import SheetMapping
from desktop_app.domain.connection import Connection
from desktop_app.domain.ports import (
    Adapters,
    Capabilities,
    ConnectionStore,
    Drafter,
    SheetLine,
    SheetRow,
    Sheets,
)
from desktop_app.domain.task import Draft
from desktop_app.domain.text import OperatorError, message
from desktop_app.services.addresses import draft_alive, drafts_alive
from desktop_app.services.duplicates import first_drafts
from desktop_app.services.import_plan import ImportPlan

MODEL = "model"
"""The parameter of a mapping that says which model a row is for."""


def taken(plan: ImportPlan, lines: Iterable[SheetLine]) -> Iterator[SheetLine]:
    """The rows that the plan takes, in sheet order."""
    only = plan.only_rows
    wanted = lines if only is None else (line for line in lines if line[0] in only)
    return islice(wanted, plan.limit)


def drafts_of(
    sheets: Sheets, drafter: Drafter, plan: ImportPlan, caps: Capabilities
) -> Iterator[Draft]:
    """The rows that the plan takes, in sheet order. Blocks."""
    drafts = (
        drafter.draft(plan.info, plan.mapping, caps, SheetRow(row_no, tuple(cells), problem))
        for row_no, cells, problem in taken(plan, sheets.lines(plan.info))
    )
    alive = drafts_alive(drafts, plan.dead)
    return first_drafts(alive) if plan.skip_duplicates else alive


def caps_of(adapters: Adapters, connection: Connection, mapping: SheetMapping) -> Capabilities:
    """What a connection can do under a mapping: with the model that all rows name, or else with its
    own. Raises OperatorError for an unknown adapter."""
    named = mapping.params.get(MODEL, "").strip()
    if named and not named.startswith("@"):
        connection = replace(connection, model=named)
    return adapters.capabilities(connection.adapter, connection).of(connection.model)


class PlanRows:
    """``drafts`` blocks: it belongs in a worker thread."""

    def __init__(
        self,
        *,
        sheets: Sheets,
        drafter: Drafter,
        connections: ConnectionStore,
        adapters: Adapters,
    ) -> None:
        self.sheets = sheets
        self.drafter = drafter
        self._connections = connections
        self._adapters = adapters

    async def connection(self, plan: ImportPlan) -> Connection:
        """The plan's connection, at the plan's price. Raises OperatorError where it is gone."""
        connection = await self._connections.get(plan.connection_id)
        if connection is None:
            raise OperatorError(message("services.no_connection"))
        return connection if plan.price is None else replace(connection, price=plan.price)

    async def caps(self, plan: ImportPlan) -> Capabilities:
        """What the plan's connection can do. Raises OperatorError."""
        connection = await self.connection(plan)
        return caps_of(self._adapters, connection, plan.mapping)

    def usable(self, plan: ImportPlan, caps: Capabilities) -> None:
        """Raises OperatorError for an unusable mapping."""
        self.drafter.check(plan.info, plan.mapping, caps)

    def draft(self, plan: ImportPlan, caps: Capabilities, row: SheetRow) -> Draft:
        """One row."""
        return draft_alive(self.drafter.draft(plan.info, plan.mapping, caps, row), plan.dead)

    def drafts(self, plan: ImportPlan, caps: Capabilities) -> Iterator[Draft]:
        """The rows that the plan takes, in sheet order."""
        return drafts_of(self.sheets, self.drafter, plan, caps)
