"""What a newer version of a sheet does to its batch, said before it is done."""

from __future__ import annotations

from collections.abc import Iterator

from desktop_app.domain.money import spoken
from desktop_app.domain.text import Translator
from desktop_app.services.import_batch import Differences

NAMED = 20
"""Row numbers in a sentence; the rest is a number."""


def update_lines(
    tr: Translator, batch_id: int, differs: Differences, *, pay: bool, cancel: str
) -> Iterator[str]:
    """Sentences for ``run --update``: ``pay`` and ``cancel`` are its options."""
    yield tr(
        "Going on with batch {batch}: {changed} changed, {new} new, {same} the same.",
        batch=batch_id,
        changed=f"{differs.changed:,}",
        new=f"{differs.new:,}",
        same=f"{differs.same:,}",
    )
    if differs.refiled:
        yield tr.plural(
            "{n} of those follows the sheet in its other columns, at no cost.",
            "{n} of those follow the sheet in their other columns, at no cost.",
            differs.refiled,
        )
    if differs.unusable:
        n = differs.unusable
        yield tr.plural(
            "{n} row can't be used as it is now, and is not sent.",
            "{n} rows can't be used as they are now, and are not sent.",
            n,
        )
    if differs.gone:
        yield tr.plural(
            "{n} row is no longer in the sheet.",
            "{n} rows are no longer in the sheet.",
            differs.gone,
        ) + _waiting_gone(tr, differs.waiting_gone, cancel)
    if differs.again:
        yield from _paid(tr, differs, pay=pay)


def _waiting_gone(tr: Translator, n: int, cancel: str) -> str:
    if not n:
        return ""
    if cancel == "cancel":
        return " " + tr.plural("{n} that waits is cancelled.", "{n} that wait are cancelled.", n)
    return " " + tr.plural(
        "{n} that waits is sent all the same: --gone cancel drops it.",
        "{n} that wait are sent all the same: --gone cancel drops them.",
        n,
    )


def _paid(tr: Translator, differs: Differences, *, pay: bool) -> Iterator[str]:
    n = len(differs.again)
    rows = ", ".join(map(str, differs.again_rows[:NAMED])) + (", …" if n > NAMED else "")
    yield tr.plural(
        "{n} changed row is done or on its way: row {rows}.",
        "{n} changed rows are done or on their way: rows {rows}.",
        n,
        rows=rows,
    )
    if differs.uncertain:
        yield tr.plural(
            "{n} of them may have been billed and waits for your word.",
            "{n} of them may have been billed and wait for your word.",
            differs.uncertain,
        )
    cost = differs.again_cost
    most = spoken(cost) if cost is not None and cost.amount else None
    if pay and most is not None:
        yield tr("They run and are paid for again: up to {cost}.", cost=most)
    elif pay:
        yield tr("They run and are paid for again.")
    elif most is not None:
        yield tr("They stay as they are: --pay-again runs them again, for up to {cost}.", cost=most)
    else:
        yield tr("They stay as they are: --pay-again runs them again.")
