"""Every row of a plan looked at once, in the process that reads long sheets, so that a million rows
neither hold up the window nor fill its memory."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice

from desktop_app.domain.budget import likely_tokens, results_asked, worst_case
from desktop_app.domain.connection import Connection
from desktop_app.domain.ports import Capabilities, Drafter, Packed, Sheets
from desktop_app.domain.task import DraftValues, Request
from desktop_app.domain.text import Message
from desktop_app.services.addresses import AddressList, values_alive
from desktop_app.services.duplicates import Duplicates
from desktop_app.services.import_plan import ImportPlan, RowProblem
from desktop_app.services.packed_rows import is_long
from desktop_app.services.plan_rows import taken
from desktop_app.services.trial import Picker, TrialRow

PROBLEMS_SHOWN = 200
SAMPLED = 100
CHUNK = 4_096


@dataclass(frozen=True, slots=True)
class RowCheck:
    """What a plan's rows are. ``results`` is how many the usable ones ask for, ``worst`` the most
    that their calls may cost where tokens are paid and that is known, ``tokens`` about how many
    these take where a limit counts them, ``addresses`` the first of pictures that they name. See
    ``PreRun`` for the rest."""

    rows: int
    bad: int
    problems: tuple[RowProblem, ...]
    results: int
    worst: Decimal | None
    tokens: int
    duplicates: int
    duplicate_rows: tuple[int, ...]
    trial: tuple[TrialRow, ...]
    trial_problem: Message | None
    sample: tuple[TrialRow, ...]
    gaps: int
    gap_rows: tuple[int, ...]
    gap_columns: tuple[str, ...]
    addresses: tuple[str, ...]
    more_addresses: int


@dataclass(frozen=True, slots=True)
class RowChecking:
    """Yields a ``Packed`` without data for every few thousand rows, and in the end one that holds
    the ``RowCheck``: see ``found``. Can be sent to another process as it is."""

    sheets: Sheets
    drafter: Drafter
    plan: ImportPlan
    connection: Connection
    caps: Capabilities

    @property
    def is_long(self) -> bool:
        """Whether there are many rows to come."""
        return is_long(self.plan)

    def __iter__(self) -> Iterator[Packed]:
        """Blocks. Raises OperatorError."""
        plan = self.plan
        values = values_alive(
            self.drafter.values(
                plan.info, plan.mapping, self.caps, taken(plan, self.sheets.lines(plan.info))
            ),
            plan.dead,
        )
        count = _Count(plan, self.connection, self.drafter.wanted(plan.info, plan.mapping))
        while chunk := list(islice(values, CHUNK)):
            bad = count.add(chunk)
            yield Packed(len(chunk), bad)
        yield Packed(0, 0, (pickle.dumps(count.result()),))


def found(data: bytes) -> RowCheck:
    """The last ``Packed`` of a ``RowChecking``; it comes from this program's own process."""
    result = pickle.loads(data)  # noqa: S301
    assert isinstance(result, RowCheck)
    return result


class _Count:
    def __init__(self, plan: ImportPlan, connection: Connection, wanted: tuple[int, ...]) -> None:
        self._connection = connection
        self._columns = plan.info.columns
        self._wanted = tuple(sorted(set(wanted)))
        self._gap_rows: list[int] = []
        self._gap_columns: set[int] = set()
        self._skips = plan.skip_duplicates
        self._seen = Duplicates()
        self._addresses = AddressList()
        self._picker = Picker(plan.trial, plan.lane_on_dead)
        self._rows = self._bad = self._results = self._duplicates = self._gaps = 0
        self._problems: list[RowProblem] = []
        self._duplicate_rows: list[int] = []
        self._sample: list[TrialRow] = []
        price = connection.price
        by_row = price is not None and bool(price.unit.tokens or price.models)
        self._worst: Decimal | None = Decimal(0) if by_row else None
        self._tokens = 0
        self._counts_tokens = connection.limits.tokens_per_minute is not None
        self._of_params: dict[int, tuple[object, int]] = {}

    def add(self, chunk: list[DraftValues]) -> int:
        """Returns how many of them can't be used."""
        before = self._bad
        for values in chunk:
            row_no, cells, prompt, _, _, _, _, lane, _, problem = values
            if self._seen.has(values):
                self._duplicates += 1
                if len(self._duplicate_rows) < PROBLEMS_SHOWN:
                    self._duplicate_rows.append(row_no)
                if self._skips:
                    continue
            self._rows += 1
            if problem is not None or prompt is None:
                self._bad += 1
                self._picker.see(row_no, None, lane)
                if problem is not None and len(self._problems) < PROBLEMS_SHOWN:
                    self._problems.append(RowProblem(row_no, problem))
                continue
            self._picker.see(row_no, prompt, lane)
            if self._wanted:
                self._look_for_gaps(row_no, cells)
            if len(self._sample) < SAMPLED:
                self._sample.append(TrialRow.of(row_no, prompt))
            self._ask(values)
        return self._bad - before

    def result(self) -> RowCheck:
        return RowCheck(
            rows=self._rows,
            bad=self._bad,
            problems=tuple(self._problems),
            results=self._results,
            worst=self._worst,
            tokens=self._tokens,
            duplicates=self._duplicates,
            duplicate_rows=tuple(self._duplicate_rows),
            trial=self._picker.rows(),
            trial_problem=self._picker.problem(),
            sample=tuple(self._sample),
            gaps=self._gaps,
            gap_rows=tuple(self._gap_rows),
            gap_columns=tuple(self._columns[place] for place in sorted(self._gap_columns)),
            addresses=self._addresses.named,
            more_addresses=self._addresses.more,
        )

    def _look_for_gaps(self, row_no: int, cells: Sequence[str]) -> None:
        blank = [place for place in self._wanted if not cells[place].strip()]
        if blank:
            self._gaps += 1
            self._gap_columns.update(blank)
            if len(self._gap_rows) < PROBLEMS_SHOWN:
                self._gap_rows.append(row_no)

    def _ask(self, values: DraftValues) -> None:
        _, _, prompt, params, extra, _, _, _, _, _ = values
        self._addresses.add(params)
        known = self._of_params.get(id(params))
        if known is None or known[0] is not params:
            asked = results_asked(self._connection, Request("", params, extra))
            # Rows share their parameters; a sheet in which they don't is not to fill the memory.
            if len(self._of_params) > SAMPLED:
                self._of_params.clear()
            known = self._of_params[id(params)] = (params, asked)
        self._results += known[1]
        if self._counts_tokens:
            self._tokens += likely_tokens(self._connection, Request(prompt or "", params, extra))
        if self._worst is not None:
            worst = worst_case(self._connection, Request(prompt or "", params, extra))
            self._worst = None if worst is None else self._worst + worst
