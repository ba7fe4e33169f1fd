"""Money is said in one place: what is spent, held back, and may have been charged twice."""

from __future__ import annotations

from decimal import Decimal

from desktop_app.domain.money import Money, figure, spoken
from desktop_app.domain.text import Translator
from desktop_app.ui.words import UNKNOWN


def spent(tr: Translator, sums: tuple[Money, ...], unpriced_calls: int) -> str:
    """Sums by currency, never added up; calls without a known price are named, not priced."""
    parts = [spoken(money) for money in sums]
    if not parts:
        return UNKNOWN
    if unpriced_calls:
        parts.append(
            tr.plural("{n} call without a price", "{n} calls without a price", unpriced_calls)
        )
    return " + ".join(parts)


def of_cap(tr: Translator, sums: tuple[Money, ...], cap: Money) -> str:
    """``1.48 of 2.00 USD``; other currencies are named beside it."""
    mine = next((m.amount for m in sums if m.currency == cap.currency), Decimal(0))
    said = tr(
        "{spent} of {cap} {currency}",
        spent=figure(mine),
        cap=figure(cap.amount),
        currency=cap.currency,
    )
    others = tuple(m for m in sums if m.currency != cap.currency)
    return " + ".join((said, *map(spoken, others)))


def money_line(
    tr: Translator,
    sums: tuple[Money, ...],
    unpriced_calls: int,
    reserved: tuple[Money, ...],
    maybe_double: int,
    cap: Money | None,
) -> str:
    """``0.00 spent + 0.30 reserved of 5.00 USD; 2 calls may be paid twice``, as far as there is of
    each."""
    known = spent(tr, sums, unpriced_calls) if cap is None else of_cap(tr, sums, cap)
    if not reserved:
        said = tr("Spent {sum}", sum=known)
    elif cap is not None and all(m.currency == cap.currency for m in (*sums, *reserved)):
        said = tr(
            "{spent} spent + {held} reserved of {cap} {currency}",
            spent=figure(sum((m.amount for m in sums), Decimal(0))),
            held=figure(sum((m.amount for m in reserved), Decimal(0))),
            cap=figure(cap.amount),
            currency=cap.currency,
        )
    elif known == UNKNOWN:
        said = tr("{held} reserved", held=" + ".join(map(spoken, reserved)))
    else:
        held = " + ".join(map(spoken, reserved))
        said = tr("{sum} spent + {held} reserved", sum=known, held=held)
    if maybe_double:
        double = tr.plural(
            "{n} call may be paid twice", "{n} calls may be paid twice", maybe_double
        )
        said = tr("{money}; {double}", money=said, double=double)
    return said


def bills(tr: Translator, reserved: tuple[Money, ...], maybe_double: int) -> str:
    """What is not sure about the bill; empty where all is."""
    said = []
    if reserved:
        money = " + ".join(map(spoken, reserved))
        said.append(tr("Reserved for calls whose bill is not known: {sum}.", sum=money))
    if maybe_double:
        said.append(
            tr.plural(
                "{n} call may have been charged a second time.",
                "{n} calls may have been charged a second time.",
                maybe_double,
            )
        )
    return "\n".join(said)
