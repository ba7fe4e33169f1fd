"""Addresses of pictures in a plan's rows: looked at once each before a run, and a row that names a
dead one can't be used, so that nothing is paid for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from desktop_app.domain.ports import AddressNews
from desktop_app.domain.references import REFERENCE, references_of
from desktop_app.domain.task import Draft, DraftValues
from desktop_app.domain.text import Message, message

MOST = 5_000
"""Addresses that are looked at; there is no time for more of them."""

Dead = Mapping[str, Message]
"""What is wrong with an address; see ``AddressNews.dead``."""


class AddressList:
    """The addresses that rows name, each once, the first ``MOST`` of them; ``more`` counts the
    rest."""

    def __init__(self) -> None:
        self._named: dict[str, None] = {}
        self._rest: set[int] = set()

    def add(self, params: Mapping[str, Any]) -> None:
        """Of one row."""
        if REFERENCE not in params:
            return
        for one in references_of(params):
            if not one.url or one.url in self._named:
                continue
            if len(self._named) < MOST:
                self._named[one.url] = None
            else:
                self._rest.add(hash(one.url))

    @property
    def named(self) -> tuple[str, ...]:
        """In sheet order."""
        return tuple(self._named)

    @property
    def more(self) -> int:
        """How many there are beyond those."""
        return len(self._rest)


def values_alive(rows: Iterable[DraftValues], dead: Dead) -> Iterator[DraftValues]:
    """The rows, those that name a dead address as rows that can't be used."""
    return (_values(row, dead) for row in rows) if dead else iter(rows)


def drafts_alive(rows: Iterable[Draft], dead: Dead) -> Iterator[Draft]:
    """The same of drafts."""
    return (draft_alive(row, dead) for row in rows) if dead else iter(rows)


def draft_alive(row: Draft, dead: Dead) -> Draft:
    """The same of one."""
    said = None if row.request is None else _problem(row.row_no, row.request.params, dead)
    return row if said is None else replace(row, request=None, problem=said)


def doubts(found: AddressNews, more: int = 0) -> tuple[Message, ...]:
    """What is not known of a sheet's addresses; no row is blamed for that."""
    said = []
    if found.offline is not None:
        said.append(message("services.addresses_offline", why=found.offline))
    if found.doubtful:
        url, why = next(iter(found.doubtful.items()))
        count = f"{len(found.doubtful):,}"
        said.append(message("services.addresses_doubtful", count=count, url=url, why=why))
    if found.offline is None and found.unseen + more:
        said.append(message("services.addresses_unseen", count=f"{found.unseen + more:,}"))
    return tuple(said)


def _values(row: DraftValues, dead: Dead) -> DraftValues:
    row_no, cells, prompt, params, extra, stem, key, lane, priority, _ = row
    said = None if prompt is None else _problem(row_no, params, dead)
    if said is None:
        return row
    return row_no, cells, None, {}, extra, stem, key, lane, priority, said


def _problem(row_no: int, params: Mapping[str, Any], dead: Dead) -> Message | None:
    if REFERENCE not in params:
        return None
    said = next((dead[one.url] for one in references_of(params) if one.url in dead), None)
    return said and message(said.code, **{**said.values, "row": row_no})
