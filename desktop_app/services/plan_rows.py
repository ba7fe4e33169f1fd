"""The rows of a plan as drafts: a first run, its check and every comparison read the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from desktop_app.domain.budget import results_asked
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
from desktop_app.services.import_plan import ImportPlan, RowProblem

PROBLEMS_SHOWN = 200


def taken(plan: ImportPlan, lines: Iterable[SheetLine]) -> Iterator[SheetLine]:
    """The rows that the plan takes, in sheet order."""
    only = plan.only_rows
    wanted = lines if only is None else (line for line in lines if line[0] in only)
    return islice(wanted, plan.limit)


class PlanRows:
    """``drafts`` and ``check`` block: they belong in a worker thread."""

    def __init__(
        self,
        *,
        sheets: Sheets,
        drafter: Drafter,
        connections: ConnectionStore,
        adapters: Adapters,
    ) -> None:
        self._sheets = sheets
        self._drafter = drafter
        self._connections = connections
        self._adapters = adapters

    async def connection(self, plan: ImportPlan) -> Connection:
        """The plan's connection. Raises OperatorError where it is gone."""
        connection = await self._connections.get(plan.connection_id)
        if connection is None:
            raise OperatorError(message("services.no_connection"))
        return connection

    async def caps(self, plan: ImportPlan) -> Capabilities:
        """What the plan's connection can do. Raises OperatorError."""
        return self._adapters.capabilities((await self.connection(plan)).adapter)

    def usable(self, plan: ImportPlan, caps: Capabilities) -> None:
        """Raises OperatorError for an unusable mapping."""
        self._drafter.check(plan.info, plan.mapping, caps)

    def draft(self, plan: ImportPlan, caps: Capabilities, row: SheetRow) -> Draft:
        """One row."""
        return self._drafter.draft(plan.info, plan.mapping, caps, row)

    def drafts(self, plan: ImportPlan, caps: Capabilities) -> Iterator[Draft]:
        """The rows that the plan takes, in sheet order."""
        for row_no, cells, problem in taken(plan, self._sheets.lines(plan.info)):
            row = SheetRow(row_no, tuple(cells), problem)
            yield self._drafter.draft(plan.info, plan.mapping, caps, row)

    def check(
        self, plan: ImportPlan, connection: Connection, caps: Capabilities
    ) -> tuple[int, int, list[RowProblem], int | None, int]:
        """(Rows, those of them that can't be used, what is wrong with the first 200 of those, the
        number of the last row of a trial, the results that the others ask for)."""
        rows = bad = good = results = 0
        last: int | None = None
        problems: list[RowProblem] = []
        for draft in self.drafts(plan, caps):
            rows += 1
            if draft.problem is None:
                good += 1
                if draft.request is not None:
                    results += results_asked(connection, draft.request)
                if good == plan.trial_rows:
                    last = draft.row_no
                continue
            bad += 1
            if len(problems) < PROBLEMS_SHOWN:
                problems.append(RowProblem(draft.row_no, draft.problem))
        return rows, bad, problems, last, results
